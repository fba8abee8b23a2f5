// Pages of requests and transfers over all accounts, on both engines.
import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import { sql } from 'kysely'
import { HELD, SHORTFALL, TESTS } from '../../../money/book.ts'
import { firstIdAt, timeOfId } from '../../../money/request-ids.ts'
import {
  type ListedRequest,
  type ListedRequestFilter,
  type TimeRange,
  type Transfer,
  type TransferFilter,
  type TransferKind,
  toTransfer,
} from '../../console/lists.ts'
import type { Page, Place } from '../../console/pages.ts'
import { ALL_ERRORS, DELIVERED_OUTCOMES, FAILED_OUTCOMES } from '../../console/reports.ts'
import { toUsageRow } from '../../ledger.ts'
import { hasTag, isOfSession } from '../budgets/conditions.ts'
import { checkText } from '../guard.ts'
import { receipt, USAGE } from '../reports.ts'
import { integer, optional, type Row, small } from '../rows.ts'
import { type Connection, HAS_IDS, rawStatement } from '../statements.ts'
import { type Condition, columnsOf, type IdRange, inRange, present, readIdPage } from './pages.ts'

/** Ids of transfers grow with time, but several nodes write them: times may be this far out of order. */
const DISORDER_MS = 3_600_000
/** Between the clocks of a node and the store. */
const SKEW_MS = 60_000
/** Requests that a page looks at to find those with a tag: each takes longer. */
const MOST_OF_TAG = 5_000
/** Transfers that are looked at to find those of a request. */
const MOST_OF_REQUEST = 100_000

export function requestListsOver(connection: Connection) {
  const { db, runner } = connection

  /** The first transfer of this time or later; the last one of all if there is none. By halves, since ids grow with time. */
  async function firstTransferAt(time: number): Promise<bigint> {
    const read = async (query: ReturnType<typeof sql>) => (await runner.read(rawStatement(db, query)))[0]
    // Apart: together SQLite would read the whole table.
    const ends = await read(sql`SELECT (SELECT min(id) FROM transfer) AS low, (SELECT max(id) FROM transfer) AS high`)
    let [low, high] = [integer(ends?.low ?? 0n), integer(ends?.high ?? 0n)]
    while (low < high) {
      const middle = (low + high) / 2n
      const row = await read(sql`SELECT id, at FROM transfer WHERE id <= ${middle} ORDER BY id DESC LIMIT 1`)
      if (row !== undefined && small(row.at) < time) low = middle + 1n
      else high = middle
    }
    return low
  }

  /** Ids narrow the range down; the times themselves are compared as well. */
  async function transferRange({ from, to }: TimeRange): Promise<Condition[]> {
    const [first, last] = await Promise.all([
      from === undefined ? undefined : firstTransferAt(from - DISORDER_MS),
      to === undefined ? undefined : firstTransferAt(to + DISORDER_MS),
    ])
    return present(
      first === undefined ? undefined : sql`id >= ${first}`,
      last === undefined ? undefined : sql`id <= ${last}`,
    )
  }

  /** A request is paid soon after its begin, so its transfers are looked for from there on. */
  async function requestRange(request: bigint | undefined): Promise<Condition[]> {
    if (request === undefined) return []
    return [sql`id >= ${await firstTransferAt(timeOfId(request) - SKEW_MS)}`]
  }

  return {
    /** Newest first. */
    async requests(
      filter: ListedRequestFilter,
      place: Place,
      limit: number,
      range: IdRange = {},
    ): Promise<Page<ListedRequest>> {
      const columns = [...columnsOf('request', ['account', 'upstream_cost', ...USAGE]), sql`${receipt} AS receipt`]
      const { where, filters } = requestConditions(filter, connection)
      const list = {
        table: 'request',
        order: 'newest',
        columns,
        where: [...where, ...inRange(range)],
        filters,
        ...(filter.tag === undefined ? {} : { mostRead: MOST_OF_TAG }),
      } as const
      const page = await readIdPage(connection, list, place, limit)
      return { rows: page.rows.map(toListedRequest), next: page.next }
    },
    /** Newest first, unless they are those of a request. */
    async transfers(filter: TransferFilter, place: Place, limit: number, range: IdRange = {}): Promise<Page<Transfer>> {
      const { request } = filter
      const where = [
        ...(await transferRange(filter)),
        ...kindConditions(filter),
        ...(await requestRange(request)),
        ...inRange(range),
      ]
      const columns = columnsOf('transfer', ['id', 'at', 'debit', 'credit', 'amount', 'reason', 'request', 'reference'])
      const filters = transferFilters(filter)
      const order = request === undefined ? 'newest' : 'oldest'
      const mostRead = request === undefined ? {} : { mostRead: MOST_OF_REQUEST }
      const list = { table: 'transfer', order, columns, where, filters, ...mostRead } as const
      const page = await readIdPage(connection, list, place, limit)
      return { rows: page.rows.map(toTransfer), next: page.next }
    },
  }
}

export const toListedRequest = (row: Row): ListedRequest => ({
  account: integer(row.account),
  row: toUsageRow(row),
  upstreamCost: optional(row.upstream_cost, integer),
})

/** Failed requests have an index of their own, which needs its condition as it is written there. */
const HAS_FAILED = sql`outcome IN (${sql.join(FAILED_OUTCOMES.map((outcome) => sql.lit(outcome)))})`

function requestConditions(
  filter: ListedRequestFilter,
  { receiptError, receiptIds }: Connection,
): { where: Condition[]; filters: Condition[] } {
  const { account, key, model, upstream, outcome, hasUnknownCost, code, status, request, from, to } = filter
  const { clientId, upstreamId, tag, endUser, session } = filter
  // As the indexes of ids are written.
  const hasId = (column: string, id: string) =>
    sql`${sql.raw(HAS_IDS)} AND ${sql.raw(column)} = ${checkText('id', receiptIds.written(id))}`
  const isFailure =
    FAILED_OUTCOMES.some((each) => each === outcome) || outcome === ALL_ERRORS || (status ?? 0) >= LOWEST_ERROR
  const where = present(
    account === undefined ? undefined : sql`account = ${account}`,
    request === undefined ? undefined : sql`id = ${request}`,
    clientId === undefined ? undefined : hasId(receiptIds.client, clientId),
    upstreamId === undefined ? undefined : hasId(receiptIds.upstream, upstreamId),
    from === undefined ? undefined : sql`id >= ${firstIdAt(from)}`,
    to === undefined ? undefined : sql`id < ${firstIdAt(to)}`,
    isFailure && account === undefined ? HAS_FAILED : undefined,
    outcome === 'running' ? sql`state = ${sql.lit(HELD)}` : undefined,
    session === undefined || account === undefined ? undefined : isOfSession(session),
  )
  const filters = present(
    key === undefined ? undefined : sql`key = ${key}`,
    model === undefined ? undefined : sql`model = ${checkText('model', model)}`,
    upstream === undefined ? undefined : sql`upstream = ${checkText('upstream', upstream)}`,
    isFailure && account !== undefined ? HAS_FAILED : undefined,
    outcome === undefined || outcome === 'running' || outcome === ALL_ERRORS
      ? undefined
      : sql`outcome = ${checkText('outcome', outcome)}`,
    hasUnknownCost ? sql`upstream_cost IS NULL AND state <> ${sql.lit(HELD)}` : undefined,
    tag === undefined ? undefined : hasTag(tag),
    endUser === undefined ? undefined : sql`end_user = ${checkText('endUser', endUser)}`,
    session === undefined || account !== undefined ? undefined : isOfSession(session),
    status === undefined ? undefined : hasStatus(status, receiptError),
    code === undefined ? undefined : hasError(checkText('code', code), receiptError),
  )
  return { where, filters }
}

/** Those of completed requests, which are most, have no error. */
const hasError = (code: string, receiptError: string): Condition =>
  sql`outcome <> 'completed' AND ${sql.raw(receiptError)} = ${code}`

const LOWEST_ERROR = 400

/** As `statusOf` of receipts has it. In JSON the name of a member cannot stand inside of a text: its quotes would be escaped. */
const HAS_BEGUN = sql`receipt LIKE '%"first_token_ms":%'`

function hasStatus(status: number, receiptError: string): Condition {
  const delivered = sql.join(DELIVERED_OUTCOMES.map((outcome) => sql.lit(outcome)))
  if (status === 200) return sql`state <> ${sql.lit(HELD)} AND (outcome IN (${delivered}) OR ${HAS_BEGUN})`
  const codes = Object.entries(ERRORS).flatMap(([code, each]) => (each.status === status ? [sql.lit(code)] : []))
  if (codes.length === 0) return sql`1 = 0`
  return sql`${sql.raw(receiptError)} IN (${sql.join(codes)}) AND NOT ${HAS_BEGUN}`
}

/** Those without a request have indexes of their own; those of requests are found by their time. */
function kindConditions({ account, kind, reference }: TransferFilter): Condition[] {
  if (reference !== undefined) return [sql`reference = ${checkText('reference', reference)}`]
  if (kind === 'test') return [sql`request IS NULL`]
  if (kind !== 'credit' && kind !== 'debit') return []
  return present(sql`request IS NULL`, account === undefined ? undefined : sql`${sql.ref(kind)} = ${account}`)
}

/** A row of the kind, given whether it has a request. */
const OF_KIND: Readonly<Record<TransferKind, Condition>> = {
  credit: sql`credit > 0`,
  debit: sql`debit > 0`,
  test: sql`debit = ${TESTS}`,
  charge: sql`request IS NOT NULL AND (debit > 0 OR credit > 0)`,
  shortfall: sql`request IS NOT NULL AND (debit = ${SHORTFALL} OR credit = ${SHORTFALL})`,
}

const transferFilters = ({ account, kind, reason, request, from, to }: TransferFilter): Condition[] =>
  present(
    kind && OF_KIND[kind],
    account === undefined || kind === 'credit' || kind === 'debit'
      ? undefined
      : sql`(debit = ${account} OR credit = ${account})`,
    request === undefined ? undefined : sql`request = ${request}`,
    reason === undefined ? undefined : sql`reason = ${checkText('reason', reason)}`,
    from === undefined ? undefined : sql`at >= ${from}`,
    to === undefined ? undefined : sql`at < ${to}`,
  )
