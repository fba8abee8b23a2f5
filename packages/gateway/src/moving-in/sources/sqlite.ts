// A SQLite file. What is read is a copy that SQLite itself makes of one state of it, so that a program that writes is not held up.
import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  checkLengths,
  columnsOf,
  portions,
  type SourceDatabase,
  SourceError,
  type SourceRow,
  type SourceValue,
} from './source-database.ts'

const BUSY_MS = 10_000
/** After as many rows other work gets its turn. */
const ROWS_AT_ONCE = 200

/** `folder`: for the copy, which is removed by `close`. */
export async function openSqliteSource(file: string, folder: string): Promise<SourceDatabase> {
  const copy = join(folder, `${randomUUID()}.sqlite`)
  try {
    const source = new Database(file, { readonly: true, strict: true })
    try {
      source.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
      source.query('VACUUM INTO ?').run(copy)
    } finally {
      source.close()
    }
    return readSqlite(copy, 'sqlite')
  } catch (error) {
    await removeFile(copy)
    throw unreadable(error)
  }
}

/** A file of ours, which `close` removes. */
export function readSqlite(file: string, engine: SourceDatabase['engine']): SourceDatabase {
  const db = new Database(file, { readonly: true, safeIntegers: true, strict: true })
  const tables = tablesOf(db)

  async function* select(
    table: string,
    wanted: readonly string[] | undefined,
    rest: string,
    values: SourceValue[] = [],
  ) {
    const columns = columnsOf(tables, table, wanted)
    if (columns.length === 0) return
    let count = 0
    try {
      const statement = db.prepare<Record<string, SourceValue>, SourceValue[]>(
        `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)} ${rest}`,
      )
      for (const row of statement.iterate(...values)) {
        yield checkLengths(table, plain(row))
        count += 1
        if (count % ROWS_AT_ONCE === 0) await new Promise(setImmediate)
      }
    } catch (error) {
      throw unreadable(error)
    }
  }

  return {
    engine,
    tables,
    rows: (table, order, columns) => select(table, columns, `ORDER BY ${order.map(quoted).join(', ')}`),
    async *find(table, column, values, columns) {
      for (const some of portions(values)) {
        yield* select(table, columns, `WHERE ${quoted(column)} IN (${some.map(() => '?').join(', ')})`, [...some])
      }
    },
    async close() {
      db.close()
      await removeFile(file)
    },
  }
}

function tablesOf(db: Database): SourceDatabase['tables'] {
  const names = db.query<{ name: string }, []>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  )
  const columns = db.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
  return new Map(names.all().map(({ name }) => [name, new Set(columns.all(name).map((column) => column.name))]))
}

/** Integers that a number can hold are numbers. */
function plain(row: Record<string, SourceValue>): SourceRow {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) row[name] = Number(value)
  }
  return row
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const removeFile = (file: string) => rm(file, { force: true })

/** SQLite names no values in its messages. */
const unreadable = (error: unknown): SourceError =>
  error instanceof SourceError
    ? error
    : new SourceError(
        `The file is not a readable SQLite database: ${error instanceof Error ? error.message : 'unknown'}.`,
        {
          cause: error,
        },
      )
