// A database of another gateway, read in one snapshot and never written: PostgreSQL, MySQL, SQLite, or a dump of one of the first two.

/** Text, or bytes of binary columns; of SQLite also numbers, those beyond 2^53 as bigint. `fields.ts` reads all forms alike. */
export type SourceValue = string | number | bigint | Uint8Array | null
export type SourceRow = Readonly<Record<string, SourceValue>>

export type SourceDatabase = {
  engine: 'postgres' | 'mysql' | 'sqlite'
  /** Column names by table. */
  tables: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * In this order, in pieces, so that memory is constant. `order`: columns that are together unique and never NULL. `columns`:
   * undefined for all; those that the table lacks are left out. A table that is missing has no rows.
   */
  rows(table: string, order: readonly string[], columns?: readonly string[]): AsyncIterable<SourceRow>
  /** The rows whose `column` is one of `values`, of which there may be any number. */
  find(table: string, column: string, values: readonly string[], columns?: readonly string[]): AsyncIterable<SourceRow>
  close(): Promise<void>
}

/** The source cannot be read, or not as what it was said to be. Its message is for the operator and has no secret. */
export class SourceError extends Error {}

/** Those of `wanted` that the table has; all of them if undefined. */
export function columnsOf(
  tables: SourceDatabase['tables'],
  table: string,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const present = tables.get(table) ?? new Set<string>()
  return wanted ? wanted.filter((column) => present.has(column)) : [...present]
}

/** Characters, or bytes. */
export const LONGEST_VALUE = 1_048_576
export function checkLengths(table: string, row: SourceRow): SourceRow {
  for (const [column, value] of Object.entries(row)) {
    if ((typeof value === 'string' || value instanceof Uint8Array) && value.length > LONGEST_VALUE)
      throw new SourceError(`Column ${column} of table ${table} has a value of more than ${LONGEST_VALUE} characters.`)
  }
  return row
}

/** Values of one query of `find`. */
const FOUND_AT_ONCE = 200
export function* portions<T>(values: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < values.length; at += FOUND_AT_ONCE) yield values.slice(at, at + FOUND_AT_ONCE)
}
