// One state of a PostgreSQL database: all tables in one transaction, which reads beside the nodes that write.
import type { SQL } from 'bun'
import { type Query, type Source, type Table, toValue } from '../../copying/copy.ts'
import { rowsAtOnce, tablesToCopy } from '../../copying/tables.ts'
import { checkVersion } from '../../migrations/migrate-postgres.ts'
import { integer, type Row } from '../../sql/rows.ts'
import { begin, openAlone } from './connection.ts'

export async function openPostgresSource(url: string): Promise<Source> {
  const sql = openAlone(url, 'backup')
  try {
    await sql.unsafe(begin('ISOLATION LEVEL REPEATABLE READ READ ONLY'))
    const version = await checkVersion((text, parameters) => sql.unsafe(text, [...parameters]))
    return over(sql, version)
  } catch (error) {
    await sql.close({ timeout: 0 })
    throw error
  }
}

function over(sql: SQL, version: number): Source {
  const query: Query = (text) => sql.unsafe<Row[]>(text)

  async function lastIdOf(table: string): Promise<bigint> {
    const [found] = await query(`SELECT pg_get_serial_sequence('${table}', 'id') AS name`)
    const [row] = await query(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM ${found?.name}`)
    return integer(row?.id)
  }

  return {
    engine: 'postgres',
    version,
    query,
    async tables() {
      const found = await query('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')
      const tables: Table[] = []
      for (const name of tablesToCopy(found.map((row) => String(row.name)))) {
        const columns = await query(`SELECT column_name AS name, is_identity FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name = '${name}' ORDER BY ordinal_position`)
        const assignsIds = columns.some((column) => column.is_identity === 'YES')
        tables.push({
          name,
          columns: columns.map((column) => String(column.name)),
          lastId: assignsIds ? await lastIdOf(name) : undefined,
        })
      }
      return tables
    },
    async *rows({ name, columns }) {
      await query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${name}`)
      for (;;) {
        const rows = await query(`FETCH ${rowsAtOnce(name)} FROM copied`)
        if (rows.length === 0) break
        yield rows.map((row) => columns.map((column) => toValue(row[column])))
      }
      await query('CLOSE copied')
    },
    async close() {
      await sql.close({ timeout: 1 })
    },
  }
}
