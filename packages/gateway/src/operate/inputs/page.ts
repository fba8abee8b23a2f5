// How every list is read page by page. Most rows come newest first.
import type { TSchema } from 'typebox'
import { parseIsoTime } from '../../request/iso-time.ts'
import { idOf, optional, WRITTEN_TIME } from '../../request/schema/schema.ts'
import type { Place } from '../../storage/storage.ts'
import { rejected } from '../rejections.ts'
import { LIMIT } from './schemas.ts'

/** `after`: the id of the last row of the page before this one. `before`: the id of the first row of the page after this one. */
export const pageFields = (what: string) => pageFieldsBy(idOf(what))

/** `id`: the ids of the rows, if they are no numbers. */
export const pageFieldsBy = <Id extends TSchema>(id: Id) => ({
  after: optional(id),
  before: optional(id),
  limit: optional(LIMIT),
})

type PageInput = { after?: string; before?: string; limit?: number }

/** `next`: the id to read on from; null: there are no more rows in that direction. */
export type Page<Row> = { items: Row[]; next: string | null }

export const DEFAULT_LIMIT = 100

/** As stores name it: rows with a lower or a higher id; in either case newest first, and those nearest to it. */
export type Range<Id = bigint> = { before?: Id; after?: Id }

/** `read`: at most so many rows. `idOf`: as the page shows it. `parse`: the id of an input, if it is no number. */
export async function readPage<Row, Id = bigint>(
  { after, before, limit = DEFAULT_LIMIT }: PageInput,
  read: (range: Range<Id>, limit: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
  parse: (id: string) => Id = (id) => BigInt(id) as Id,
): Promise<Page<Row>> {
  const range: Range<Id> = {}
  if (after !== undefined) range.before = parse(after)
  if (before !== undefined) range.after = parse(before)
  // One more than is shown, to know whether there are more.
  const rows = await read(range, limit + 1)
  const isBackward = range.after !== undefined
  const items = isBackward ? rows.slice(-limit) : rows.slice(0, limit)
  const end = isBackward ? items[0] : items.at(-1)
  return { items: [...items], next: rows.length > limit && end ? idOf(end) : null }
}

/** For lists that the store gives in pages of its own. `parse`: the id of an input. */
export function readPlace<Id>({ after, before, limit = DEFAULT_LIMIT }: PageInput, parse: (id: string) => Id) {
  if (after !== undefined && before !== undefined) throw rejected('exclusive', { field: 'before', other: 'after' })
  const place: Place<Id> = {}
  if (after !== undefined) place.after = parse(after)
  if (before !== undefined) place.before = parse(before)
  return { place, limit }
}

/** `to` is excluded. */
export const TIMES = { from: optional(WRITTEN_TIME), to: optional(WRITTEN_TIME) }

export function readTimes({ from, to }: { from?: string; to?: string }): { from?: number; to?: number } {
  const [start, end] = [from, to].map((time) => (time === undefined ? undefined : parseIsoTime(time)))
  if (start !== undefined && end !== undefined && start >= end)
    throw rejected('empty_range', { field: 'from', other: 'to' })
  return given({ from: start, to: end })
}

/** The fields that are set: a filter has no undefined ones. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }
