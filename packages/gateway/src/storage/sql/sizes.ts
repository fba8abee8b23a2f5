// How much each table takes, with its indexes: as the engines count it, which is near enough to see what fills a disk.
import { sql } from 'kysely'
import { optional, type Row, small, text } from './rows.ts'
import { type Database, rawStatement, type Statement } from './statements.ts'

/** About how much a table takes, with its indexes. `rows`: undefined where the engine does not know. */
export type TableSize = { table: string; bytes: number; rows: number | undefined }

/** The sizes of a SQLite file's tables; reads every page of it once. */
export const sqliteSizes = (db: Database): Statement =>
  rawStatement(
    db,
    sql`SELECT tbl_name AS name, sum(pgsize) AS bytes,
        sum(CASE WHEN type = 'table' AND pagetype = 'leaf' THEN ncell ELSE 0 END) AS rows
      FROM dbstat JOIN sqlite_schema USING (name)
      WHERE tbl_name <> 'schema_version' GROUP BY tbl_name`,
  )

/** The sizes in the schema of a PostgreSQL connection, which keeps these figures itself. */
export const postgresSizes = (db: Database): Statement =>
  rawStatement(
    db,
    sql`SELECT relname AS name, pg_total_relation_size(relid) AS bytes, n_live_tup AS rows
      FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname <> 'schema_version'`,
  )

export const toSizes = (rows: readonly Row[]): TableSize[] =>
  rows
    .map(({ name, bytes, rows: count }) => ({ table: text(name), bytes: small(bytes), rows: optional(count, small) }))
    .sort((one, other) => other.bytes - one.bytes || (one.table < other.table ? -1 : 1))
