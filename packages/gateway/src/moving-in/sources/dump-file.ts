// A dump in plain text, of pg_dump or mysqldump. It is parsed, never executed: its rows become those of a SQLite file of ours.
import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { copiedValues, insertedRows, nameIn, namesIn } from './dump-values.ts'
import { type SourceDatabase, SourceError, type SourceValue } from './source-database.ts'
import { readSqlite } from './sqlite.ts'

/** A statement of mysqldump is one line of up to a packet, which is 1 GiB at most and 16 MiB by default. */
const LONGEST_STATEMENT = 256 * 1024 * 1024
const MOST_TABLES = 2_000
const MOST_COLUMNS = 2_000
const ROWS_OF_TRANSACTION = 10_000

type Add = (values: SourceValue[]) => void
/** `adders`: by the columns of the rows. */
type Table = { columns: readonly string[]; adders: Map<string, Add> }

/** `folder`: for the file with the rows, which is removed by `close`. */
export async function openDumpSource(file: string, folder: string): Promise<SourceDatabase> {
  const rows = join(folder, `${randomUUID()}.sqlite`)
  const db = new Database(rows, { create: true, strict: true })
  try {
    db.run('PRAGMA journal_mode = MEMORY')
    db.run('PRAGMA synchronous = OFF')
    const engine = await readDump(linesOf(file), db)
    db.close()
    return readSqlite(rows, engine)
  } catch (error) {
    db.close()
    await rm(rows, { force: true })
    if (error instanceof SourceError) throw error
    const reason =
      error instanceof TypeError
        ? 'it is not in UTF-8; mysqldump needs --hex-blob for binary columns'
        : 'an error of the system'
    throw new SourceError(`The dump cannot be read: ${reason}.`, { cause: error })
  }
}

async function readDump(lines: AsyncIterable<string>, db: Database): Promise<SourceDatabase['engine']> {
  const tables = new Map<string, Table>()
  let engine: SourceDatabase['engine'] | undefined
  let open: { statement: string[]; length: number; isQuoted: boolean } | undefined
  let creating: { name: string; columns: [name: string, type: string][] } | undefined
  let copying: Add | undefined
  let body: string | undefined
  let count = 0

  function tableOf(name: string, columns: readonly (readonly [name: string, type: string])[]): Table {
    const present = tables.get(name)
    if (present) return present
    if (tables.size >= MOST_TABLES || columns.length > MOST_COLUMNS || columns.length === 0)
      throw new SourceError(`The dump has more tables or columns than can be read, or none in ${name}.`)
    const described = columns.map(([column, type]) => `${quoted(column)} ${/int|serial/i.test(type) ? 'INTEGER' : ''}`)
    db.run(`CREATE TABLE ${quoted(name)} (${described.join(', ')})`)
    const table = { columns: columns.map(([column]) => column), adders: new Map() }
    tables.set(name, table)
    return table
  }

  function adderOf(table: Table, name: string, columns: readonly string[]): Add {
    const list = columns.map(quoted).join(', ')
    const present = table.adders.get(list)
    if (present) return present
    const statement = db.prepare(`INSERT INTO ${quoted(name)} (${list}) VALUES (${columns.map(() => '?').join(', ')})`)
    const add: Add = (values) => {
      if (values.length !== columns.length)
        throw new SourceError(`A row of table ${name} has ${values.length} values for ${columns.length} columns.`)
      if (count % ROWS_OF_TRANSACTION === 0) db.run(count === 0 ? 'BEGIN' : 'COMMIT; BEGIN')
      statement.run(...values)
      count += 1
    }
    table.adders.set(list, add)
    return add
  }

  function insert(statement: string): void {
    const head =
      /^INSERT (?:IGNORE )?INTO ((?:[^\s("`]|"(?:[^"]|"")+"|`(?:[^`]|``)+`)+)\s*(?:\(([^)]*)\)\s*)?VALUES\s*/i.exec(
        statement,
      )
    if (!head?.[1]) throw new SourceError('The dump has an INSERT of another form.')
    const name = nameIn(head[1])
    const table = tables.get(name)
    const columns = head[2] === undefined ? table?.columns : namesIn(head[2])
    if (!columns) throw new SourceError(`The dump has rows of table ${name} before its columns.`)
    const add = adderOf(table ?? tableOf(name, untyped(columns)), name, columns)
    for (const values of insertedRows(statement, head[0].length, engine === 'mysql')) add(values)
  }

  for await (const line of lines) {
    if (body !== undefined) {
      if (line.includes(body)) body = undefined
    } else if (copying) {
      if (line === '\\.') copying = undefined
      else copying(copiedValues(line))
    } else if (creating) {
      if (/^\s*\)/.test(line)) {
        tableOf(creating.name, creating.columns)
        creating = undefined
      } else {
        const [, column, type] = /^\s*("(?:[^"]|"")+"|`(?:[^`]|``)+`|[a-z_]\w*)\s+(\S+)/.exec(line) ?? []
        if (column && type) creating.columns.push([nameIn(column), type])
      }
    } else if (open || /^INSERT /i.test(line)) {
      open ??= { statement: [], length: 0, isQuoted: false }
      open.statement.push(line)
      open.length += line.length
      if (open.length > LONGEST_STATEMENT) throw new SourceError('The dump has a statement that is too long.')
      open.isQuoted = endsQuoted(line, open.isQuoted, engine === 'mysql')
      if (!open.isQuoted && line.endsWith(';')) {
        insert(open.statement.join('\n'))
        open = undefined
      }
    } else if (/^--.*PostgreSQL database dump/.test(line)) engine = 'postgres'
    else if (/^(?:--|\/\*).*(?:MySQL|MariaDB) dump|^\/\*[M!]/.test(line)) engine = 'mysql'
    else if (/^SET client_encoding = '(?!UTF8')/.test(line))
      throw new SourceError('The dump cannot be read: it is not in UTF-8.')
    else {
      // Functions may have statements of their own.
      const [, tag] = /(?:^|\s)AS (\$\w*\$)/.exec(line) ?? []
      if (tag && line.split(tag).length === 2) body = tag
      const copy = /^COPY (\S+(?: \S+)*?) \((.+)\) FROM stdin;$/.exec(line)
      const create = /^CREATE TABLE (?:IF NOT EXISTS )?(.+?) ?\($/.exec(line)
      if (copy?.[1] && copy[2]) {
        const [name, columns] = [nameIn(copy[1]), namesIn(copy[2])]
        copying = adderOf(tableOf(name, untyped(columns)), name, columns)
      } else if (create?.[1]) creating = { name: nameIn(create[1]), columns: [] }
    }
  }
  if (copying || creating || open) throw new SourceError('The dump ends in the middle: it is not complete.')
  if (!engine || tables.size === 0)
    throw new SourceError('The file is not a dump in plain text of pg_dump or mysqldump.')
  if (count > 0) db.run('COMMIT')
  return engine
}

/** Whether the end of the line is inside of a quoted text. */
function endsQuoted(line: string, wasQuoted: boolean, hasBackslashes: boolean): boolean {
  let isQuoted = wasQuoted
  for (let at = 0; at < line.length; at++) {
    const character = line.charCodeAt(at)
    if (character === 39) isQuoted = !isQuoted
    else if (character === 92 && hasBackslashes && isQuoted) at += 1
  }
  return isQuoted
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest: string[] = []
  let length = 0
  for await (const chunk of Bun.file(file).stream()) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n')
    for (const part of parts.slice(0, -1)) {
      yield withoutReturn(rest.join('') + part)
      rest = []
      length = 0
    }
    const last = parts.at(-1) ?? ''
    rest.push(last)
    length += last.length
    if (length > LONGEST_STATEMENT) throw new SourceError('The dump has a line that is too long.')
  }
  if (rest.length > 0) yield rest.join('')
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)
const untyped = (columns: readonly string[]) => columns.map((column) => [column, ''] as const)
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
