// Every table and column of a product with what becomes of it. What is in no list is named in the report, not guessed.
import type { Findings, Grade } from '../findings.ts'
import { textOf } from '../sources/fields.ts'
import type { SourceDatabase, SourceRow, SourceValue } from '../sources/source-database.ts'

/** Names are separated by blanks. */
export type Columns = {
  /** Carried over, or without meaning outside of that program. */
  used: string
  /** Named in the report for each row that has them. */
  others?: readonly OtherColumns[]
}
export type OtherColumns = readonly [names: string, grade: Grade, says: string]
export type Tables = Readonly<Record<string, Columns | readonly [grade: Grade, says: string]>>

const isWhole = (entry: Tables[string]): entry is readonly [Grade, string] => Array.isArray(entry)
const names = (text: string): string[] => text.split(' ').filter((name) => name !== '')

export const UNKNOWN_TABLE = 'This table is not known. It is not read.'
export const UNKNOWN_COLUMN = 'This column is not known. It is not read.'

/** What the database has, whatever its rows are. */
export async function reportTables(database: SourceDatabase, tables: Tables, findings: Findings): Promise<void> {
  for (const [table, columns] of database.tables) {
    const entry = Object.hasOwn(tables, table) ? tables[table] : undefined
    if (!entry) findings.add(table, 'manual', UNKNOWN_TABLE)
    else if (isWhole(entry)) {
      if (await hasRows(database, table, columns)) findings.add(table, ...entry)
    } else {
      const used = new Set(names(entry.used))
      const others = new Set((entry.others ?? []).flatMap(([list]) => names(list)))
      for (const column of columns) {
        if (used.has(column)) findings.add(`${table}.${column}`, 'exact')
        else if (!others.has(column)) findings.add(`${table}.${column}`, 'manual', UNKNOWN_COLUMN)
      }
    }
  }
}

async function hasRows(database: SourceDatabase, table: string, columns: ReadonlySet<string>): Promise<boolean> {
  const [first = 'id'] = columns
  for await (const _row of database.rows(table, [first], [first])) return true
  return false
}

/** What is the same as nothing, in each form that engines and programs have for it. */
const BLANK: ReadonlySet<string> = new Set(['', '0', 'false', 'f', '{}', '[]', 'null', '0.0'])
export const isBlank = (value: SourceValue | undefined): boolean => BLANK.has((textOf(value) ?? '').trim())

/** The rows of a table, of which each column that is not carried over is reported where it is set. */
export async function* reportedRows(
  database: SourceDatabase,
  table: string,
  { tables, findings }: { tables: Tables; findings: Findings },
): AsyncIterable<SourceRow> {
  const entry = tables[table]
  const others = entry && !isWhole(entry) ? (entry.others ?? []) : []
  const watched = others.flatMap(([list, grade, says]) => names(list).map((column) => ({ column, grade, says })))
  for await (const row of database.rows(table, ['id'])) {
    for (const { column, grade, says } of watched) {
      if (!isBlank(row[column])) findings.add(`${table}.${column}`, grade, says, rowOf(table, row))
    }
    yield row
  }
}

export const rowOf = (table: string, row: SourceRow): string => `${table} ${textOf(row.id) ?? '?'}`
