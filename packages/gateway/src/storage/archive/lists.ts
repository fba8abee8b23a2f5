// The lists and look-ups of the ledger, over tables and archives.
import { timeOfId } from '../../money/request-ids.ts'
import type { ListedRequest, ListedRequestFilter, Transfer, TransferFilter } from '../console/lists.ts'
import type { Page, Place } from '../console/pages.ts'
import type { RequestFilter } from '../console/spending.ts'
import { integer } from '../fields.ts'
import { toUsageRow, type UsageRow } from '../ledger.ts'
import { keysOf, spendingOver } from '../sql/console/spending.ts'
import { listsOver } from '../sql/lists/lists.ts'
import { requestListsOver, toListedRequest } from '../sql/lists/request-lists.ts'
import { reportsOver } from '../sql/reports.ts'
import { type Connection, statement } from '../sql/statements.ts'
import type { Archive } from './archive.ts'
import { readArchivedPage } from './pages.ts'

/** Between the clock of the node that gave a request its id and the store's. */
const SKEW_MS = 60_000
const MOST_AT_ONCE = 1_000

export type ArchivedConnection = Connection & { archive: Archive }

export const archivedListsOver = (connection: ArchivedConnection) => ({
  ...listsOver(connection),
  /** Newest first. Ids of callers and vendors are those of receipts with text, which are never archived. */
  async requests(filter: ListedRequestFilter, place: Place, limit: number): Promise<Page<ListedRequest>> {
    const { account, clientId, upstreamId, outcome, request } = filter
    const isOfTables = clientId !== undefined || upstreamId !== undefined || outcome === 'running'
    if (isOfTables) return await requestListsOver(connection).requests(filter, place, limit)
    const begun = request === undefined ? undefined : timeOfId(request)
    return await readArchivedPage(connection, connection.archive, {
      kind: 'request',
      order: 'newest',
      place,
      limit,
      account,
      from: filter.from ?? begun,
      to: filter.to ?? (begun === undefined ? undefined : begun + 1),
      idOf: ({ row }) => row.request,
      read: (over, range, at, most) => requestListsOver(over).requests(filter, at, most, range),
    })
  },
  /** Newest first, unless they are those of a request. Of requests, only what they were charged is archived. */
  async transfers(filter: TransferFilter, place: Place, limit: number): Promise<Page<Transfer>> {
    const { account, kind, reason, reference, request } = filter
    const isOfTables = (kind !== undefined && kind !== 'charge') || Boolean(reason) || reference !== undefined
    if (isOfTables) return await requestListsOver(connection).transfers(filter, place, limit)
    return await readArchivedPage(connection, connection.archive, {
      kind: 'transfer',
      order: request === undefined ? 'newest' : 'oldest',
      place,
      limit,
      account,
      from: filter.from ?? (request === undefined ? undefined : timeOfId(request) - SKEW_MS),
      to: filter.to,
      idOf: ({ id }) => id,
      read: (over, range, at, most) => requestListsOver(over).transfers(filter, at, most, range),
    })
  },
})

export const archivedSpendingOver = (connection: ArchivedConnection) => ({
  ...spendingOver(connection),
  /** Newest first. Reads a bounded number of rows: `next` is where to continue, undefined if there are no more. */
  async requests(account: bigint, filter: RequestFilter, limit: number): Promise<Page<UsageRow>> {
    const { person, before, ...others } = filter
    const { db, runner, archive } = connection
    if (filter.outcome === 'running') return await spendingOver(connection).requests(account, filter, limit)
    const ofPerson = person === undefined ? [] : await runner.read(statement(keysOf(db, account, person)))
    if (person !== undefined && ofPerson.length === 0) return { rows: [], next: undefined }
    const keys = person === undefined ? {} : { keys: ofPerson.map(({ id }) => integer(id)) }
    return await readArchivedPage(connection, archive, {
      kind: 'request',
      order: 'newest',
      place: before === undefined ? {} : { after: before },
      limit,
      account,
      from: filter.from,
      to: filter.to,
      idOf: ({ request }) => request,
      read: (over, range, { after }, most) => {
        const sought = { ...others, ...keys, range, ...(after === undefined ? {} : { before: after }) }
        return spendingOver(over).requests(account, sought, most)
      },
    })
  },
})

/** Reports about the ledger, which find archived requests, too. */
export function ledgerReportsOver(connection: ArchivedConnection, tasks: Parameters<typeof reportsOver>[1]) {
  const { archive } = connection
  const reports = reportsOver(connection, tasks, archive)
  const { requests } = archivedSpendingOver(connection)
  return {
    ...reports,
    /** undefined also for a request of another account. */
    async findRequest(account: bigint, request: bigint): Promise<UsageRow | undefined> {
      const found = await reports.findRequest(account, request)
      if (found) return found
      const row = await archive.find('request', request, account)
      return row && integer(row.account) === account ? toUsageRow(row) : undefined
    },
    /** Whosever it is. */
    async requestOfAny(request: bigint): Promise<ListedRequest | undefined> {
      const found = await reports.requestOfAny(request)
      if (found) return found
      const row = await archive.find('request', request)
      return row && toListedRequest(row)
    },
    /** Newest first; limit 0 = all. `before`: only requests with a lower id. */
    async usage(account: bigint, limit: number, before?: bigint): Promise<UsageRow[]> {
      const rows = await reports.usage(account, limit, before)
      if ((await archive.until()) === 0) return rows
      const all: UsageRow[] = []
      for (let next = before; limit === 0 || all.length < limit; ) {
        const most = limit === 0 ? MOST_AT_ONCE : limit - all.length
        const page = await requests(account, next === undefined ? {} : { before: next }, most)
        all.push(...page.rows)
        if (page.next === undefined) break
        next = page.next
      }
      return all
    },
  }
}
