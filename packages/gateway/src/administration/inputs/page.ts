// How every list is read page by page. Rows come newest first.
import { idOf, optional } from '../../request/schema/schema.ts'
import { LIMIT } from './schemas.ts'

/** `after`: the id of the last row of the page before this one. `before`: the id of the first row of the page after this one. */
export const pageFields = (what: string) => ({
  after: optional(idOf(what)),
  before: optional(idOf(what)),
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
