// What a copy is made of, whatever the engine: a source is one consistent state of all tables, and a target is an empty place that has all
// of them or is marked as unfinished.
import type { Row } from '../sql/rows.ts'

export type Engine = 'sqlite' | 'postgres'

/** A column of either engine: integers are bigints. */
export type Value = null | string | bigint | Uint8Array

/** `lastId`: the last id that was assigned, also to a row that is gone since; undefined: the table assigns none. */
export type Table = { name: string; columns: readonly string[]; lastId: bigint | undefined }

/** SQLite keeps contents in a file of their own. */
export type Part = 'ledger' | 'contents'
export type Query = (sql: string, part?: Part) => Promise<Row[]>

export type Source = {
  engine: Engine
  /** The version of its tables. */
  version: number
  tables(): Promise<Table[]>
  /** In batches of a bounded number. */
  rows(table: Table): AsyncIterable<Value[][]>
  query: Query
  close(): Promise<void>
}

export type Target = {
  engine: Engine
  /** Creates the tables as they are in this version. */
  create(version: number): Promise<void>
  insert(table: Omit<Table, 'lastId'>, rows: readonly Value[][]): Promise<void>
  /** Ids continue after it, and after the highest that was inserted. */
  continueIds(table: string, lastId: bigint | undefined): Promise<void>
  query: Query
  /** All of it is durable, and no longer marked as unfinished. */
  finish(): Promise<void>
  /** It stays marked, so that no server starts with it. */
  abort(): Promise<void>
}

/** The target has data, which a copy never replaces. */
export class NotEmpty extends Error {
  override name = 'NotEmpty'
}

/** A value of either driver. */
export function toValue(value: unknown): Value {
  if (typeof value === 'number') return BigInt(value)
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`a column has a value of the type ${typeof value}, which cannot be copied`)
}

/** Marks a table or file while it is filled: a server rejects it. */
export const UNFINISHED = 'restore_unfinished'

export const unfinished = (place: string): string =>
  `${place} is incomplete: a restore or a move into it failed. Repeat that command, or use an empty one.`
