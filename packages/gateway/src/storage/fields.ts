// How rows become objects, field by field: types, columns and values follow from one list.

export type Row = Record<string, unknown>

export const integer = (value: unknown): bigint => BigInt(value as bigint | number | string)
/** For times, flags and node ids, which are far below 2^53; never for money. */
export const small = (value: unknown): number => Number(value)
export const flag = (value: unknown): boolean => Number(value) !== 0
export const text = (value: unknown): string => value as string
/** SQLite gives a Uint8Array, PostgreSQL a Buffer. */
export const bytes = (value: unknown): Uint8Array => new Uint8Array(value as Uint8Array)
export const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === null || value === undefined ? undefined : read(value)
/** Kept as JSON. */
export const list = (value: unknown): readonly string[] => JSON.parse(text(value)) as string[]

/** `NULL` is undefined. */
export const maybe =
  <T>(read: (value: unknown) => T) =>
  (value: unknown): T | undefined =>
    optional(value, read)
/** One of some words, which the schema or what writes them checks. */
export const word =
  <Word extends string>() =>
  (value: unknown): Word =>
    value as Word

export const isThere = (value: unknown): boolean => value !== null
/** For a column that is not named as the field. */
export const from = <Column extends string, T>(column: Column, read: (value: unknown) => T) =>
  Object.assign((value: unknown) => read(value), { column })

/** `lastFour` -> `last_four`. */
type ColumnOf<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnOf<Rest>}`
  : Field

type Fields = Record<string, ((value: unknown) => unknown) & { column?: string }>
type ColumnsOf<F extends Fields> = {
  [Name in keyof F & string]: F[Name] extends { column: infer Column } ? Column : ColumnOf<Name>
}[keyof F & string]

/** What rows are read as, field by field: the type of an object and its columns follow from it. */
export function fieldsOf<F extends Fields>(fields: F) {
  const reads = Object.entries(fields).map(
    ([name, read]) =>
      [name, read.column ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), read] as const,
  )
  const read = (row: Row) =>
    Object.fromEntries(reads.map(([name, column, of]) => [name, of(row[column])])) as {
      [Name in keyof F]: ReturnType<F[Name]>
    }
  return Object.assign(read, { columns: reads.map(([, column]) => column) as unknown as readonly ColumnsOf<F>[] })
}
