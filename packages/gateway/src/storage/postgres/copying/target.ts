// An empty PostgreSQL database that is filled with a copy, in one transaction. A table marks it until all of it is there.
import { NotEmpty, type Query, type Target, UNFINISHED, type Value } from '../../copying/copy.ts'
import { createTables, LOCK } from '../../migrations/migrate-postgres.ts'
import type { Row } from '../../sql/rows.ts'
import { begin, openAlone } from './connection.ts'

/** A statement with more text than this is sent in parts. */
const MOST_CHARACTERS = 4_000_000

/** Rejects with NotEmpty. A mark that a failed attempt left is no obstacle: its transaction left nothing else. */
export async function openPostgresTarget(url: string): Promise<Target> {
  const sql = openAlone(url, 'restore')
  const query: Query = (text) => sql.unsafe<Row[]>(text)
  const filled = new Set<string>()
  try {
    const [place] = await query('SELECT current_database() AS name')
    // The mark has its own transaction: it is there also if this process is killed.
    await query(begin())
    await query(LOCK)
    const tables = await query('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')
    if (tables.some(({ name }) => name !== UNFINISHED))
      throw new NotEmpty(`the database ${place?.name} has tables already: use an empty one`)
    await query(`CREATE TABLE IF NOT EXISTS ${UNFINISHED} (since bigint NOT NULL)`)
    await query('COMMIT')
  } catch (error) {
    await sql.close({ timeout: 0 })
    throw error
  }

  async function insert(name: string, columns: readonly string[], objects: readonly string[]): Promise<void> {
    const list = columns.join(', ')
    // From text, in which both engines' integers and bytes can be written.
    await sql.unsafe(
      `INSERT INTO ${name} (${list}) OVERRIDING SYSTEM VALUE
        SELECT ${list} FROM json_populate_recordset(NULL::${name}, $1::text::json)`,
      [`[${objects.join(',')}]`],
    )
  }

  return {
    engine: 'postgres',
    async create(version) {
      await query(begin())
      await query(LOCK)
      await createTables((text, parameters) => sql.unsafe(text, [...parameters]), version)
    },
    async insert({ name, columns }, rows) {
      if (!filled.has(name)) {
        // What triggers would add is in the copy. Rows that the script itself has inserted are replaced.
        await query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
        await query(`DELETE FROM ${name}`)
        filled.add(name)
      }
      let objects: string[] = []
      let characters = 0
      for (const row of rows) {
        const object = JSON.stringify(
          Object.fromEntries(columns.map((column, at) => [column, inJson(row[at] ?? null)])),
        )
        if (objects.length > 0 && characters + object.length > MOST_CHARACTERS) {
          await insert(name, columns, objects)
          objects = []
          characters = 0
        }
        objects.push(object)
        characters += object.length
      }
      if (objects.length > 0) await insert(name, columns, objects)
    },
    async continueIds(table, lastId = 0n) {
      const [column] = await query(`SELECT 1 FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = '${table}' AND column_name = 'id' AND is_identity = 'YES'`)
      if (!column) return
      await query(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), greatest(last, 1), last > 0)
        FROM (SELECT greatest(${lastId}, (SELECT coalesce(max(id), 0) FROM ${table})) AS last) known`)
    },
    query,
    async finish() {
      for (const name of filled) await query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
      await query(`DROP TABLE ${UNFINISHED}`)
      await query('COMMIT')
      await sql.close({ timeout: 1 })
      // Without statistics the first queries would read whole tables. The database gathers them by itself, too, later.
      const after = openAlone(url, 'restore')
      await after.unsafe('ANALYZE').catch(() => undefined)
      await after.close({ timeout: 1 })
    },
    async abort() {
      // The server rolls back what a closed connection has not committed.
      await sql.close({ timeout: 0 }).catch(() => undefined)
    },
  }
}

const inJson = (value: Value): string | null => {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`
  return value
}
