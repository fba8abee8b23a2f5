// Pages of lists over tables and archives.
//
// Ids divide a list into ranges: above all files, one range for each block of a file, and below all files. A page first reads the range above
// from the tables alone, and goes on into files only where that had nothing, so that files are read where they are asked for. In the range of
// a block are its rows and those that stayed in the tables.
import { sql } from 'kysely'
import type { Page, Place } from '../console/pages.ts'
import type { Row } from '../fields.ts'
import type { IdRange } from '../sql/lists/pages.ts'
import { type Connection, rawStatement } from '../sql/statements.ts'
import type { Archive } from './archive.ts'
import { openMemory } from './memory.ts'
import { type Block, COLUMNS, type Kind } from './part-file.ts'
import type { Part } from './parts.ts'

/** How many blocks one page reads, and for how long at most: then it ends, and says where to go on. */
const MOST_BLOCKS = 20
const LONGEST_MS = 3_000
/** Rows of a block that stayed in the tables may be this far apart in time. */
const DISORDER_MS = 3_600_000

export type ArchivedList<Item> = {
  kind: Kind
  order: 'newest' | 'oldest'
  place: Place
  limit: number
  /** Rows outside of these times are not wanted. */
  from: number | undefined
  to: number | undefined
  /** Only rows of this one. */
  account: bigint | undefined
  idOf(item: Item): bigint
  /** The list within a range, of the tables or of rows in memory. */
  read(connection: Connection, range: IdRange, place: Place, limit: number): Promise<Page<Item>>
}

type BlockRange = { low: bigint; high: bigint; block: Block; part: Part; times: { from: number; to: number } }
type Range = IdRange | BlockRange

export async function readArchivedPage<Item>(
  connection: Connection,
  archive: Archive,
  list: ArchivedList<Item>,
): Promise<Page<Item>> {
  return await archive.unchanged(async () => {
    const { order, place, limit, read } = list
    const parts = await wantedParts(connection, archive, list)
    if (parts.length === 0) return await read(connection, {}, place, limit)
    const isBackwards = place.before !== undefined
    const descends = (order === 'newest') !== isBackwards
    const start = place.before ?? place.after
    const items: Item[] = []
    let next: bigint | undefined
    /** Where a page goes on that ends before this range. */
    const before = ({ low, high }: IdRange) => (descends ? high : low === undefined ? undefined : low - 1n)
    const deadline = performance.now() + LONGEST_MS
    let [blocks, leave] = [0, () => {}]
    try {
      for await (const range of rangesOf(archive, parts, descends, start)) {
        const isOfFile = 'block' in range
        if (isOfFile && isOutside(range.times, list)) continue
        const isEnough = blocks >= MOST_BLOCKS || performance.now() > deadline || (blocks === 0 && items.length > 0)
        if (items.length === limit || (isOfFile && isEnough)) {
          next = before(range)
          break
        }
        if (isOfFile && blocks++ === 0) leave = await archive.gate.enter(list.account)
        const missing = limit - items.length
        const page = await (isOfFile
          ? readBlock(connection, archive, list, range, missing)
          : read(connection, range, place, missing))
        items.push(...(isBackwards ? page.rows.toReversed() : page.rows))
        next = page.next
        if (next !== undefined) break
      }
    } finally {
      leave()
    }
    return { rows: isBackwards ? items.reverse() : items, next }
  })
}

const isOutside = ({ from, to }: BlockRange['times'], wanted: { from: number | undefined; to: number | undefined }) =>
  (wanted.from !== undefined && to + DISORDER_MS < wanted.from) ||
  (wanted.to !== undefined && from - DISORDER_MS >= wanted.to)

/** In the order of the walk, from its start on. */
async function* rangesOf(
  archive: Archive,
  parts: readonly Part[],
  descends: boolean,
  start: bigint | undefined,
): AsyncGenerator<Range> {
  const end = (parts.at(-1)?.lastId ?? 0n) + 1n
  const first = parts[0]?.firstId ?? 0n
  const [above, below]: [IdRange, IdRange] = [{ low: end }, { high: first }]
  const isPassed = ({ low, high }: IdRange) =>
    start !== undefined && (descends ? low !== undefined && low >= start : high !== undefined && high <= start + 1n)
  if (!isPassed(descends ? above : below)) yield descends ? above : below
  for (const [at, part] of descends ? [...parts.entries()].reverse() : parts.entries()) {
    const high = parts[at + 1]?.firstId ?? end
    if (isPassed({ low: part.firstId, high })) continue
    const blocks = await archive.blocksOf(part)
    // A range reaches to the next block: the rows between them stayed in the tables.
    const ranges = blocks.map((block, place): Range => {
      const { first: until, from } = blocks[place + 1] ?? { first: part.lastId + 1n, from: block.to }
      return { low: block.first, high: until, block, part, times: { from: block.from, to: Math.max(block.to, from) } }
    })
    if (part.lastId + 1n < high) ranges.push({ low: part.lastId + 1n, high })
    for (const range of descends ? ranges.reverse() : ranges) if (!isPassed(range)) yield range
  }
  const last = descends ? below : above
  if (!isPassed(last)) yield last
}

async function readBlock<Item>(
  connection: Connection,
  archive: Archive,
  { kind, account, place, read }: ArchivedList<Item>,
  { low, high, block, part }: BlockRange,
  limit: number,
): Promise<Page<Item>> {
  using memory = openMemory(kind)
  const { db, runner } = connection
  const columns = sql.raw(COLUMNS[kind].join(', '))
  const stayed = await runner.readPage(
    rawStatement(db, sql`SELECT ${columns} FROM ${sql.table(kind)} WHERE id >= ${low} AND id < ${high}`),
  )
  const contains = account === undefined ? undefined : `,${account},`
  memory.fill([...stayed, ...(await archive.rowsOf(part, block, contains))].map(withIntegers))
  return await read(memory.connection, { low, high }, place, limit)
}

/** As SQLite has them. */
const withIntegers = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? BigInt(value) : value]),
  )

/** The files that may have something of the list: those of late enough months, if the account has anything in sealed months at all. */
async function wantedParts(
  { db, runner }: Connection,
  archive: Archive,
  { kind, account, from = 0 }: Pick<ArchivedList<unknown>, 'kind' | 'account' | 'from'>,
): Promise<readonly Part[]> {
  const parts = archive.of(kind).filter(({ endsAt }) => endsAt + DISORDER_MS > from)
  const last = parts.at(-1)
  if (!last || account === undefined) return parts
  const query = sql`SELECT account FROM month_seal_account WHERE account = ${account} AND ends_at <= ${last.endsAt} LIMIT 1`
  return (await runner.read(rawStatement(db, query))).length > 0 ? parts : []
}
