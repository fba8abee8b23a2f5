// Moves rows of sealed months from their tables to files, month by month, in small steps.
//
// First all files of a month are written, each read back and compared with what was to be written. Then the seal of the month is computed
// again, of the rows in the files and those that stay. Only if it is the same do rows leave the tables, in small pieces. Whatever stops it in
// between, the next run goes on where this one was: what is in complete files is not written again, and removing a row twice is no harm.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { SETTLED, SHORTFALL, VOIDED } from '../../money/book.ts'
import { integer, type Row } from '../fields.ts'
import { firstRequestAfter, monthName, NONE, type Seal } from '../sql/months/bounds.ts'
import { hashOfLedger } from '../sql/months/check.ts'
import { rowsOfTables } from '../sql/months/ledger-rows.ts'
import { seals } from '../sql/months/rows.ts'
import { type Connection, rawStatement } from '../sql/statements.ts'
import type { Archive } from './archive.ts'
import { COLUMNS, decodeBlock, type Kind, openPart, type PartFile, ROWS_OF_BLOCK, sha256 } from './part-file.ts'
import { readRange } from './part-store.ts'
import { ALONE, COMPLETE, type Part } from './parts.ts'

const BLOCKS_OF_PART = 50
const REMOVED_AT_ONCE = 250
const KINDS = ['request', 'transfer'] as const

/** `end`: months that end by then are archived. `keptUntil`: the text of receipts of later requests is still kept. */
export type ArchiveTerms = { end: number; keptUntil: number }

export function archivingOver(connection: Connection, archive: Archive, blocksOfPart = BLOCKS_OF_PART) {
  const { db, runner } = connection
  const { parts } = archive
  const tables = rowsOfTables(connection, {
    request: COLUMNS.request.join(', '),
    transfer: COLUMNS.transfer.join(', '),
  })

  /** Requests that may still be corrected, or that reports look for by their transfers: their rows stay. */
  async function staying(): Promise<ReadonlySet<bigint>> {
    const rows = await runner.readPage(
      rawStatement(
        db,
        sql`SELECT request FROM month_seal_request UNION SELECT request FROM transfer
          WHERE debit = ${sql.lit(SHORTFALL)} OR credit = ${sql.lit(SHORTFALL)}`,
      ),
    )
    return new Set(rows.flatMap(({ request }) => (request === null ? [] : [integer(request)])))
  }

  /** The rows of the month that are in no file yet, block by block. Transfers as far as all of them are in seals. */
  async function* blocksOf(kind: Kind, { endsAt, firstOpen }: Seal, previous: Seal): AsyncGenerator<Row[] | undefined> {
    const stay = await staying()
    const mayLeave = (row: Row) => (kind === 'request' ? isRequestOver(row, stay) : isCharge(row))
    const written = archive.of(kind).at(-1)?.lastId ?? -1n
    const [first, end] =
      kind === 'request'
        ? [firstRequestAfter(previous), firstRequestAfter({ endsAt })]
        : [previous === NONE ? 0n : previous.firstOpen, firstOpen]
    let block: Row[] = []
    for await (const page of tables(kind, written >= first ? written : first - 1n, end - 1n)) {
      for (const row of page) {
        if (!mayLeave(row)) continue
        if (kind === 'request' && row.receipt !== '') throw new NotCleared()
        if (block.push(row) < ROWS_OF_BLOCK) continue
        yield block
        block = []
      }
      yield undefined
    }
    if (block.length > 0) yield block
  }

  async function* writeParts(kind: Kind, seal: Seal, previous: Seal): AsyncGenerator<undefined> {
    let part = await openPart(kind)
    for await (const block of blocksOf(kind, seal, previous)) {
      if (block) await part.add(block)
      if (part.blocks.length === blocksOfPart) {
        yield* writePart(kind, seal, part.end())
        part = await openPart(kind)
      }
      yield
    }
    if (part.blocks.length > 0) yield* writePart(kind, seal, part.end())
  }

  async function* writePart(kind: Kind, { endsAt }: Seal, file: PartFile): AsyncGenerator<undefined> {
    const store = await archive.store()
    const name = randomBytes(16).toString('hex')
    const id = await parts.begin(name, kind, endsAt)
    yield
    await store.write(name, once(file.bytes))
    yield
    const stored = await readRange(store, name, 0, file.bytes.length)
    let rows = 0
    for (const { start, end } of file.blocks) {
      rows += (await decodeBlock(kind, stored.subarray(start, end))).length
      yield
    }
    if (sha256(stored) !== file.sha256 || rows !== file.rows)
      throw new Error(`${monthName(endsAt)} is not archived: the media store returned other bytes than were written`)
    if (!(await parts.complete(id, file))) throw new Error('another process archives the same month')
    yield
  }

  /** Files that were begun and are not complete. */
  async function* removeBegun(): AsyncGenerator<undefined> {
    for (const { id, name } of await parts.begun()) {
      if (!(await parts.remove(id))) continue
      await (await archive.store()).delete(name)
      await parts.forget(id)
      yield
    }
  }

  async function* removeRows(part: Part): AsyncGenerator<undefined> {
    for (const block of await archive.blocksOf(part)) {
      const ids = (await archive.rowsOf(part, block)).map(({ id }) => integer(id))
      for (let from = 0; from < ids.length; from += REMOVED_AT_ONCE, yield) {
        const some = sql.join(ids.slice(from, from + REMOVED_AT_ONCE))
        await runner.write([rawStatement(db, sql`DELETE FROM ${sql.table(part.kind)} WHERE id IN (${some})`)])
      }
    }
    await parts.left(part.id)
  }

  return {
    /** Archives all months that are due, and pauses after each small step. It may be left unfinished at any of them. */
    async *archive({ end, keptUntil }: ArchiveTerms): AsyncGenerator<undefined, void> {
      const all = await seals(connection)
      // After the last sealed month, the audit still reads transfers that were booked after its end.
      const due = all.slice(0, -1).filter(({ endsAt }) => endsAt <= Math.min(end, keptUntil))
      if (due.length === 0) return
      yield* removeBegun()
      await archive.reload()
      for (const [at, seal] of due.entries()) {
        const own = () => archive.all().filter(({ endsAt }) => endsAt === seal.endsAt)
        const isLast = archive.all().every(({ endsAt }) => endsAt <= seal.endsAt)
        if (!isLast && own().every(({ state }) => state === ALONE)) continue
        const previous = all[at - 1] ?? NONE
        try {
          for (const kind of KINDS) {
            yield* writeParts(kind, seal, previous)
            await archive.reload()
          }
        } catch (error) {
          if (error instanceof NotCleared) return
          throw error
        }
        const leaving = own().filter(({ state }) => state === COMPLETE)
        if (leaving.length === 0) continue
        yield
        if ((await hashOfLedger(connection, seal, previous, archive.allRows)) !== seal.hash)
          throw new Error(`${monthName(seal.endsAt)} is not archived: its files and its seal differ; run audit --deep`)
        yield
        for (const part of leaving) yield* removeRows(part)
        await archive.reload()
      }
    },
  }
}

/** The text of a receipt is still there: it is cleared soon, and files never change. */
class NotCleared extends Error {}

/** It has ended for good. Those at price 0 are removed on their own. */
function isRequestOver({ id, state, held, cost, shortfall }: Row, staying: ReadonlySet<bigint>): boolean {
  const [is, paid] = [Number(state), integer(cost) !== 0n]
  const isFree = integer(held) === 0n && !paid && integer(shortfall) === 0n
  return (is === SETTLED || is === VOIDED) && !isFree && integer(shortfall) === 0n && !staying.has(integer(id))
}

/** Credits, and what requests cost beyond their wallets, are few, and lists find them by indexes. */
const isCharge = ({ request, debit, credit }: Row): boolean =>
  request !== null && integer(debit) !== SHORTFALL && integer(credit) !== SHORTFALL

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
