// Seals months that are over: what accounts and keys had at their end is kept forever, in a chain of hashes, so that an audit reads what
// came later.
//
// All is done in small steps. The sums of a month are added up in memory, of rows that no longer change; then its rows are written, and the
// row of the seal last. Whatever stops it in between, the next attempt removes what was written and begins the month anew. A token in
// `meta`, which each write checks, keeps two processes from writing the same month.
import { type RawBuilder, sql } from 'kysely'
import { REPETITION_KEPT_MS } from '../../../money/book.ts'
import { EPOCH_MS, timeOfId } from '../../../money/request-ids.ts'
import { integer, optional, small } from '../rows.ts'
import { type Connection, putMeta, rawStatement, required, type Statement, statement } from '../statements.ts'
import { firstRequestAfter, monthEnd, monthName, NONE, type Seal } from './bounds.ts'
import { rowsOfTables } from './ledger-rows.ts'
import { closingRows, openHash, SEAL_TABLES, seals } from './rows.ts'
import { addUpMonth, type MonthSums, NotFinal } from './sums.ts'

const DAY_MS = 86_400_000
/** By then the clocks of all nodes are past the end of the month, and what they began in it has mostly ended. */
const SEALED_AFTER_MS = DAY_MS
/** Until then the owner of a request that was reaped may return. If it does later, that is a correction. */
const REAPED_FINAL_AFTER_MS = REPETITION_KEPT_MS
/** Requests of a month are charged before this long after its end, with few exceptions: then all later transfers are read, too. */
const CHARGED_WITHIN_MS = 7 * DAY_MS
/** A transfer with a lower id than others may be committed after them, but not by so much. */
const COMMITTED_WITHIN_MS = 60_000
/** How many of the latest transfers are searched for requests of the month that ended while it is sealed. */
const LATEST = 20_000
const REMOVED_AT_ONCE = 500
const TOKEN = 'month_sealing'

/** A request that keeps a month from being sealed. */
export type Blocking = { request: bigint; state: 'open' | 'reaped' }
/** `until`: the end of the last sealed month. `due`: that of the next one, if it is over long enough. */
export type MonthsState = {
  sealed: number
  until: number | undefined
  due: number | undefined
  blocking: Blocking | undefined
}

export function monthsOver(connection: Connection) {
  const { db, runner, clock } = connection
  const read = (query: RawBuilder<unknown>) => runner.readPage(rawStatement(db, query))

  /** The end of the month after the last seal; undefined: it is not over long enough, or there is nothing to seal. */
  async function dueMonth(last: Seal): Promise<number | undefined> {
    const endsAt = last === NONE ? await firstMonth() : monthEnd(last.endsAt)
    return endsAt === undefined || clock() < endsAt + SEALED_AFTER_MS ? undefined : endsAt
  }

  async function firstMonth(): Promise<number | undefined> {
    const [transfer] = await read(sql`SELECT at FROM transfer ORDER BY id LIMIT 1`)
    const [request] = await read(sql`SELECT id FROM request ORDER BY id LIMIT 1`)
    const times = [optional(transfer?.at, small), request && timeOfId(integer(request.id))].filter(
      (time) => time !== undefined,
    )
    return times.length === 0 ? undefined : monthEnd(Math.max(Math.min(...times), EPOCH_MS))
  }

  async function blockedBy(last: Seal, endsAt: number): Promise<Blocking | undefined> {
    const below = firstRequestAfter({ endsAt })
    // `+` makes SQLite use the index of open requests, not that of all ids.
    const [open] = await read(sql`SELECT id FROM request WHERE state = 0 AND +id < ${below} ORDER BY +id LIMIT 1`)
    if (open) return { request: integer(open.id), state: 'open' }
    if (clock() >= endsAt + REAPED_FINAL_AFTER_MS) return undefined
    const [reaped] = await read(sql`SELECT id FROM request WHERE ${REAPED_ONES} AND state = 3
      AND id >= ${firstRequestAfter(last)} AND id < ${below} ORDER BY id LIMIT 1`)
    return reaped && { request: integer(reaped.id), state: 'reaped' }
  }

  /** The highest id of a transfer before a time. Ids and times grow together, except for moments. */
  async function lastTransferBefore(time: number, from: bigint): Promise<bigint> {
    const [newest] = await read(sql`SELECT max(id) AS id FROM transfer`)
    let [low, high] = [from, optional(newest?.id, integer) ?? 0n]
    while (low < high) {
      const middle = (low + high + 1n) / 2n
      const [row] = await read(sql`SELECT id, at FROM transfer WHERE id >= ${middle} ORDER BY id LIMIT 1`)
      const id = row && integer(row.id)
      if (id !== undefined && id <= high && small(row?.at) < time) low = id
      else high = middle - 1n
    }
    return low
  }

  /** Requests of the month that the ledger may still correct, and those that it has charged since `lastSealed`. */
  async function notFinal(last: Seal, endsAt: number, lastSealed: bigint): Promise<bigint[]> {
    const [from, below] = [firstRequestAfter(last), firstRequestAfter({ endsAt })]
    const rows = await read(sql`
      SELECT id FROM request WHERE ${REAPED_ONES} AND id >= ${from} AND id < ${below} AND node_id <> -1
      UNION SELECT id FROM request WHERE shortfall <> 0 AND state = 1 AND cost = 0 AND +id >= ${from} AND +id < ${below}
      UNION SELECT request FROM (SELECT request FROM transfer WHERE id > ${lastSealed} ORDER BY id LIMIT ${sql.lit(LATEST)}) latest
        WHERE request >= ${from} AND request < ${below}`)
    return rows.map(({ id }) => integer(id))
  }

  type Added = { sums: MonthSums; lastSealed: bigint }

  /** Throws if the ledger is not consistent in the month. */
  async function* addUp(last: Seal, endsAt: number): AsyncGenerator<undefined, Added> {
    const known = await read(sql`SELECT DISTINCT request FROM month_seal_request WHERE ends_at <= ${last.endsAt}`)
    const settled = clock() - COMMITTED_WITHIN_MS
    let wrong = ''
    for (const time of new Set([Math.min(endsAt + CHARGED_WITHIN_MS, settled), settled])) {
      const lastSealed = await lastTransferBefore(time, last.lastSealed)
      const fresh = await notFinal(last, endsAt, lastSealed)
      const open = new Set([...known.map(({ request }) => integer(request)), ...fresh])
      const month = { previous: last, endsAt, lastSealed, open, fresh }
      const sums = yield* addUpMonth(connection, month, rowsOfTables(connection))
      if (sums.wrong.size === 0) return { sums, lastSealed }
      wrong = [...sums.wrong].slice(0, 5).join(', ')
    }
    throw new Error(
      `${monthName(endsAt)} is not sealed: what requests cost is not what accounts were charged (accounts ${wrong}); run the audit`,
    )
  }

  /** false: another process seals, too. */
  async function* writeSeal(
    last: Seal,
    endsAt: number,
    { sums, lastSealed }: Added,
  ): AsyncGenerator<undefined, boolean> {
    const token = crypto.randomUUID()
    await runner.write([putMeta(db, TOKEN, token)])
    // The other process may have sealed the month while this one added it up.
    const mine = required(
      db
        .updateTable('meta')
        .set({ value: token })
        .where('name', '=', TOKEN)
        .where('value', '=', token)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('month_seal').select('ends_at').where('ends_at', '>=', endsAt))),
        )
        .returning('name'),
    )
    const write = (...statements: Statement[]) => runner.write([mine, ...statements])

    for (const { table, id } of SEAL_TABLES)
      for (let isMore = true; isMore; yield) {
        const [rows, name] = [sql.table(table), sql.ref(id)]
        const written = await write(
          rawStatement(
            db,
            sql`DELETE FROM ${rows} WHERE ends_at = ${endsAt} AND ${name} IN
              (SELECT ${name} FROM ${rows} WHERE ends_at = ${endsAt} LIMIT ${sql.lit(REMOVED_AT_ONCE)}) RETURNING ${name}`,
          ),
        )
        if (!written) return false
        isMore = written[1]?.length === REMOVED_AT_ONCE
      }

    const hash = openHash()
    for await (const page of closingRows(connection, endsAt, sums)) {
      hash.add(page)
      const values = page.rows.map((row) => ({ ends_at: endsAt, ...row }))
      if (!(await write(statement(db.insertInto(page.table).values(values as never))))) return false
      yield
    }
    const { firstOpen } = sums
    const transfers = last.transfers + sums.transfers
    const seal = { endsAt, sealedAt: clock(), firstOpen, lastSealed, transfers, previous: last.hash }
    const row = {
      ends_at: endsAt,
      sealed_at: seal.sealedAt,
      first_open: firstOpen,
      last_sealed: lastSealed,
      transfers,
      previous: last.hash,
      hash: hash.end(seal),
    }
    return (await write(statement(db.insertInto('month_seal').values(row)))) !== undefined
  }

  return {
    /** Seals all months that can be sealed, and pauses after each small step. It may be left unfinished at any of them. */
    async *seal(): AsyncGenerator<undefined, void> {
      for (;;) {
        const last = (await seals(connection)).at(-1) ?? NONE
        const endsAt = await dueMonth(last)
        if (endsAt === undefined || (await blockedBy(last, endsAt))) return
        try {
          const added = yield* addUp(last, endsAt)
          if (!(yield* writeSeal(last, endsAt, added))) return
        } catch (error) {
          // The next run finds it open, or as one that may change.
          if (error instanceof NotFinal) return
          throw error
        }
        yield
      }
    },
    async state(): Promise<MonthsState> {
      const known = await seals(connection)
      const last = known.at(-1) ?? NONE
      const due = await dueMonth(last)
      const blocking = due === undefined ? undefined : await blockedBy(last, due)
      return { sealed: known.length, until: last === NONE ? undefined : last.endsAt, due, blocking }
    },
  }
}

/** In words that the index request_failed has, so that both engines use it. */
const REAPED_ONES = sql.raw(
  "outcome IN ('failed', 'cut', 'timeout', 'shutdown', 'expired', 'reaped') AND outcome = 'reaped'",
)
