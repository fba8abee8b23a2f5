// A running PostgreSQL or MySQL: one connection, and one transaction that cannot write and sees one state.
import { SQL } from 'bun'
import {
  checkLengths,
  columnsOf,
  LONGEST_VALUE,
  portions,
  type SourceDatabase,
  SourceError,
  type SourceRow,
} from './source-database.ts'

const CONNECT_SECONDS = 10
/** The first rows of a large log come when it is sorted. */
const STATEMENT_MS = 300_000
/** Beyond the server's own timeout, for networks that lose packets without an error. */
const GRACE_MS = 5_000
/** What was read is written meanwhile. */
const IDLE_MS = 600_000
const ROWS_AT_ONCE = 250
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong',
  '3D000': 'there is no such database',
}

type Table = ReadonlyMap<string, { type: string }>
type Query = (text: string, values?: readonly unknown[]) => Promise<SourceRow[]>
/** What differs between the two. */
type Engine = {
  name: 'postgres' | 'mysql'
  begin: readonly string[]
  columns: string
  quoted(name: string): string
  placeholder(at: number): string
  /** As text, cut off one character behind the longest. */
  asText(column: string, type: string): string
}

const POSTGRES: Engine = {
  name: 'postgres',
  begin: [
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    `SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL lock_timeout = 10000;
     SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}; SET LOCAL datestyle = 'ISO'; SET LOCAL timezone = 'UTC';
     SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'`,
  ],
  columns: `SELECT c.table_name::text AS "table", c.column_name::text AS name, c.data_type::text AS type FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.ordinal_position`,
  quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder: (at) => `$${at}`,
  asText: (column) => `left(${column}::text, ${LONGEST_VALUE + 1})`,
}

const MYSQL: Engine = {
  name: 'mysql',
  begin: [
    `SET SESSION wait_timeout = ${IDLE_MS / 1_000}, net_write_timeout = ${IDLE_MS / 1_000}, time_zone = '+00:00'`,
    'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
    'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
  ],
  columns: `SELECT table_name AS \`table\`, column_name AS name, data_type AS type FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = database() AND table_type = 'BASE TABLE' ORDER BY table_name, ordinal_position`,
  quoted: (name) => `\`${name.replaceAll('`', '``')}\``,
  placeholder: () => '?',
  asText: (column, type) =>
    /blob|binary/.test(type)
      ? `LEFT(${column}, ${LONGEST_VALUE + 1})`
      : `LEFT(CAST(${type === 'bit' ? `${column} + 0` : column} AS CHAR), ${LONGEST_VALUE + 1})`,
}

export async function openServerSource(url: URL): Promise<SourceDatabase> {
  const engine = url.protocol === 'mysql:' ? MYSQL : POSTGRES
  const sql = new SQL(url.href, {
    max: 1,
    bigint: true,
    idleTimeout: 0,
    maxLifetime: 0,
    connectionTimeout: CONNECT_SECONDS,
  })
  const close = () => sql.close({ timeout: 0 })
  const run: Query = async (text, values = []) => {
    try {
      return await withDeadline(sql.unsafe<SourceRow[]>(text, [...values]))
    } catch (error) {
      await close()
      throw unreadable(error, url)
    }
  }
  for (const statement of engine.begin) await run(statement)
  const described = new Map<string, Map<string, { type: string }>>()
  for (const { table, name, type } of await run(engine.columns)) {
    const columns = described.get(String(table)) ?? new Map()
    described.set(String(table), columns.set(String(name), { type: String(type) }))
  }
  return readServer(engine, run, described, close)
}

function readServer(
  engine: Engine,
  run: Query,
  described: ReadonlyMap<string, Table>,
  close: () => Promise<void>,
): SourceDatabase {
  const { quoted, placeholder } = engine
  const tables = new Map([...described].map(([table, columns]) => [table, new Set(columns.keys())]))
  let cursors = 0

  function select(table: string, wanted: readonly string[] | undefined): string | undefined {
    const columns = columnsOf(tables, table, wanted)
    const texts = columns.map((name) => {
      const type = described.get(table)?.get(name)?.type ?? ''
      return `${engine.asText(quoted(name), type)} AS ${quoted(name)}`
    })
    return columns.length === 0 ? undefined : `SELECT ${texts.join(', ')} FROM ${quoted(table)}`
  }

  async function* byCursor(query: string): AsyncGenerator<SourceRow> {
    const cursor = `moving_in_${++cursors}`
    await run(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`)
    for (;;) {
      const rows = await run(`FETCH ${ROWS_AT_ONCE} FROM ${cursor}`)
      yield* rows
      if (rows.length < ROWS_AT_ONCE) break
    }
    await run(`CLOSE ${cursor}`)
  }

  /** Each page begins behind the last row of the one before: MySQL has no cursors outside of procedures. */
  async function* byPages(query: string, sorted: string, order: readonly string[], names: readonly string[]) {
    const behind = names.map((name, at) =>
      [...names.slice(0, at).map((same) => `${same} = ?`), `${name} > ?`].join(' AND '),
    )
    let where = ''
    let values: unknown[] = []
    for (;;) {
      const rows = await run(`${query} ${where} ${sorted} LIMIT ${ROWS_AT_ONCE}`, values)
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < ROWS_AT_ONCE) return
      where = `WHERE ${behind.map((each) => `(${each})`).join(' OR ')}`
      values = order.flatMap((_, at) => order.slice(0, at + 1).map((column) => last[column]))
    }
  }

  async function* checked(table: string, rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow> {
    for await (const row of rows) yield checkLengths(table, row)
  }

  return {
    engine: engine.name,
    tables,
    async *rows(table, order, columns) {
      const query = select(table, columns && [...new Set([...columns, ...order])])
      if (query === undefined) return
      const names = order.map((column) => `${quoted(table)}.${quoted(column)}`)
      const sorted = `ORDER BY ${names.join(', ')}`
      yield* checked(
        table,
        engine.name === 'mysql' ? byPages(query, sorted, order, names) : byCursor(`${query} ${sorted}`),
      )
    },
    async *find(table, column, values, columns) {
      const query = select(table, columns)
      if (query === undefined) return
      for (const some of portions(values)) {
        const places = some.map((_, at) => placeholder(at + 1)).join(', ')
        for (const row of await run(`${query} WHERE ${quoted(column)} IN (${places})`, some))
          yield checkLengths(table, row)
      }
    },
    close,
  }
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), STATEMENT_MS + GRACE_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Servers quote their users and databases in errors, and may quote what they were sent. */
function unreadable(error: unknown, url: URL): SourceError {
  const { errno, message = '' } = error as { errno?: unknown; message?: string }
  const reason = SYSTEM_ERRORS[String(errno)] ?? message
  const secrets = [url.password, decodeURIComponent(url.password), url.href].filter((secret) => secret !== '')
  const plain = secrets.reduce((text, secret) => text.replaceAll(secret, '...'), reason)
  return new SourceError(`The database at ${url.host} cannot be read: ${plain}`, { cause: error })
}
