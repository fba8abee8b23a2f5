// The requests of all accounts, newest first.
import { formatUsd } from '../../money/amount.ts'
import { tokensIn } from '../../paid-call/receipts/show-charge.ts'
import { summarize } from '../../paid-call/receipts/show-receipt.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { boolean, fields, idOf, integer, optional, REQUEST_ID, text, textLike } from '../../request/schema/schema.ts'
import type { ListedRequest } from '../../storage/storage.ts'
import { findAccount } from '../inputs/find-account.ts'
import { findEndUser } from '../inputs/find-end-user.ts'
import { given, pageFieldsBy, readPlace, readTimes, TIMES } from '../inputs/page.ts'
import { ACCOUNT, ATTRIBUTED } from '../inputs/schemas.ts'
import { need, operation, seesCosts } from '../operation.ts'
import { LISTED_REQUEST } from '../resources/traffic.ts'

const NAME = text({ max: 300 })
const OTHER_ID = text({ max: 512 })

export const listRequests = operation({
  name: 'request list',
  permission: 'see',
  route: {
    at: 'GET requests',
    summary: 'Lists requests, newest first',
    output: LISTED_REQUEST,
    list: true,
    isShared: true,
    csv: true,
    example: { query: 'outcome=errors&model=sandbox-text' },
  },
  input: fields({
    account: optional(ACCOUNT),
    key: optional(idOf('a key')),
    model: optional(NAME),
    upstream: optional(NAME),
    /** `running`: those that have not ended; `errors`: all that failed. */
    outcome: optional(NAME),
    /** The status of the response that the client got. */
    status: optional(integer({ min: 100, max: 599 })),
    /** The code of the error on the receipt. */
    error_code: optional(textLike((value) => /^\w{1,100}$/.test(value), 'be an error code')),
    id: optional(REQUEST_ID),
    /** What the caller sent as `x-client-request-id`, or the trace id of its `traceparent`. */
    client_request_id: optional(OTHER_ID),
    /** What the vendor called the last attempt. */
    upstream_request_id: optional(OTHER_ID),
    ...ATTRIBUTED,
    /** Those whose upstream cost is not known, of those that have ended. */
    unknown_cost: optional(boolean()),
    ...TIMES,
    ...pageFieldsBy(REQUEST_ID),
  }),
  /** A page may be short although there are more: it looks at a bounded number of requests. */
  async run(context, { account: named, key, id, error_code, from, to, ...rest }) {
    const { storage, actor } = context
    const { model, upstream, outcome, status, unknown_cost, tag, end_user, session, ...others } = rest
    const { client_request_id: clientId, upstream_request_id: upstreamId, ...page } = others
    if (unknown_cost !== undefined) need(actor, 'see_costs')
    const { place, limit } = readPlace(page, (place) => parseRequestId(place) ?? 0n)
    // A key's account has an index, the key has none.
    const ofKey = key === undefined ? undefined : (await storage.keys.findWithAccount(BigInt(key)))?.account.id
    const account = named === undefined ? ofKey : (await findAccount(context, named)).id
    const sought = {
      account,
      key: key === undefined ? undefined : BigInt(key),
      model,
      upstream,
      outcome,
      status,
      hasUnknownCost: unknown_cost === true ? (true as const) : undefined,
      code: error_code,
      clientId,
      upstreamId,
      tag,
      endUser: await findEndUser(context, account, end_user),
      session,
      request: id === undefined ? undefined : (parseRequestId(id) ?? 0n),
    }
    const filter = { ...given(sought), ...readTimes(given({ from, to })) }
    const { rows, next } = await storage.lists.requests(filter, place, limit)
    const [accounts, keys] = await Promise.all([
      storage.accounts.names([...new Set(rows.map((row) => row.account))]),
      storage.keys.names([...new Set(rows.map(({ row }) => row.key))]),
    ])
    const items = rows.map((row) => ({
      ...requestRow(row, seesCosts(actor)),
      account: accounts.get(row.account) ?? null,
      key: keys.get(row.row.key) ?? null,
    }))
    return { items, next: next === undefined ? null : formatRequestId(next) }
  },
})

/** End users as they are kept. */
export const attributionOf = ({ tags, endUser, session }: ListedRequest['row']) => ({
  tags: [...tags],
  end_user: endUser || null,
  session: session || null,
})

const requestRow = ({ account, row, upstreamCost }: ListedRequest, withCosts: boolean) => {
  const { request_id, error_code, ...summary } = summarize(row)
  return {
    id: request_id,
    account_id: String(account),
    ...summary,
    ...tokensIn(summary.units),
    upstream: row.upstream,
    error_code,
    ...attributionOf(row),
    /** Null: not known. */
    ...(withCosts ? { upstream_cost_usd: upstreamCost === undefined ? null : formatUsd(upstreamCost) } : {}),
  }
}
