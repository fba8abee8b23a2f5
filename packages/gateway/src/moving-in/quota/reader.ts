// What the readers of rows share.
import type { Findings } from '../findings.ts'
import { integerOf, textOf } from '../sources/fields.ts'
import type { SourceDatabase, SourceRow } from '../sources/source-database.ts'
import type { Options } from './options.ts'
import type { Program } from './program.ts'

export type Reader = { program: Program; database: SourceDatabase; options: Options; findings: Findings; now: number }

/** What keys need to know of their person. */
export type Users = { groups: ReadonlyMap<number, string> }

export const DAMAGED = 'The row is damaged. It is left out.'

export const personId = (id: number): string => `user:${id}`
export const accountId = (id: number): string => `account:${id}`
export const keyId = (id: number): string => `token:${id}`

export const cell = (row: SourceRow, column: string): string => textOf(row[column])?.trim() ?? ''
/** In milliseconds; 0 and below are none. */
export const timeIn = (row: SourceRow, column: string): number | undefined => {
  const seconds = integerOf(row[column])
  return seconds !== undefined && seconds > 0 ? seconds * 1000 : undefined
}
