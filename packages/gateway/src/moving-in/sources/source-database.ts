// A database of another gateway, read in one snapshot and never written: PostgreSQL, MySQL, SQLite, or a dump of one of the first two.

/** Columns that hold JSON are text or values, as the engine has them; numbers beyond 2^53 are bigint. */
export type SourceRow = Readonly<Record<string, unknown>>

export type SourceDatabase = {
  engine: 'postgres' | 'mysql' | 'sqlite'
  /** Column names by table. */
  tables: ReadonlyMap<string, ReadonlySet<string>>
  /** In pieces, in the order of these columns, so that memory is constant. A table that is missing has none. */
  rows(table: string, order: readonly string[]): AsyncIterable<SourceRow>
  close(): Promise<void>
}

/** The source cannot be read, or not as what it was said to be. Its message is for the operator and has no secret. */
export class SourceError extends Error {}
