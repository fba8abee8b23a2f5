// How rows become objects, field by field: types, columns and values follow from one list.
import { optional, type Row } from './sql/rows.ts'

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

/** `lastFour` -> `last_four`. */
type ColumnOf<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnOf<Rest>}`
  : Field

/** What rows are read as, field by field, from the columns of the same names: the type of an object and its columns follow from it. */
export function fieldsOf<Fields extends Record<string, (value: unknown) => unknown>>(fields: Fields) {
  const columns = Object.keys(fields).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  const reads = Object.entries(fields).map(([name, read], index) => [name, columns[index] ?? '', read] as const)
  const read = (row: Row) =>
    Object.fromEntries(reads.map(([name, column, of]) => [name, of(row[column])])) as {
      [Name in keyof Fields]: ReturnType<Fields[Name]>
    }
  return Object.assign(read, { columns: columns as unknown as readonly ColumnOf<keyof Fields & string>[] })
}
