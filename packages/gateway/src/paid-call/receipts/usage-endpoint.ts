// GET /v1/usage and /v1/usage/{request_id}: the balance, limits and spending of the caller's account. Free of charge, and reads
// only a few rows: sums are kept on the rows of key and account.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import { dialectOfPath } from '@trivium/protocol/dialect-of-path.ts'
import { authenticate, type Callers, invalidKey } from '../../access/authenticate.ts'
import { isOwn, visibleKey } from '../../access/visible-key.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { formatUsd } from '../../money/amount.ts'
import { balancesJson, capJson, limitsJson } from '../../money/json.ts'
import { mapInTurns } from '../../overload/reads/in-turns.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { Failure } from '../../request/failure.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import type { Account, Caller, Key, Storage, UsageRow } from '../../storage/storage.ts'
import { showReceipt, withinBytes } from './show-receipt.ts'

export type UsageDependencies = {
  callers: Callers
  catalogue(): Catalogue
  store: Pick<Storage, 'keys' | 'ledger'> & { spending: Pick<Storage['spending'], 'requests'> }
  clock(): number
}

const DEFAULT_LIMIT = 20
const LARGEST_LIMIT = 100
/** The stored receipts of a page: it ends early where they are longer. */
const PAGE_BYTES = 256 * 1024

/** The balance, what is left of the key's limits, and the newest receipts: of all keys of the account, or of a restricted key its own. */
export async function showUsage(incoming: ApiRequest, deps: UsageDependencies): Promise<HttpResponse> {
  const caller = await callerOf(incoming, deps)
  const { limit, before } = pageOf(incoming.query)
  const standing = await deps.store.keys.findWithAccount(caller.key)
  // The key was deleted since it was looked up.
  if (!standing) throw invalidKey()
  const { rows, next } = await receiptsOf(caller, limit, before, deps)
  const page = withinBytes(rows, PAGE_BYTES)
  return json(200, incoming.responseHeaders, {
    object: 'usage',
    ...accountJson(standing.account, deps.clock()),
    key: keyJson(standing.key, deps.clock()),
    requests: await mapInTurns(page, (row) => showReceipt(row, 'caller', showsUpstreams(deps))),
    has_more: next !== undefined || rows.length > page.length,
    // A restricted key may have none among many of the account, or the next are archived: where to look on.
    ...(page.length === 0 && next !== undefined ? { next_before: formatRequestId(next) } : {}),
  })
}

async function receiptsOf(
  caller: Caller,
  limit: number,
  before: bigint | undefined,
  { store }: UsageDependencies,
): Promise<{ rows: UsageRow[]; next: bigint | undefined }> {
  const visible = visibleKey(caller)
  const own = visible === undefined ? {} : { key: visible.key, from: visible.since }
  return store.spending.requests(caller.account, { ...own, ...(before === undefined ? {} : { before }) }, limit)
}

export async function showRequest(id: string, incoming: ApiRequest, deps: UsageDependencies): Promise<HttpResponse> {
  const caller = await callerOf(incoming, deps)
  const request = parseRequestId(id)
  if (request === undefined) throw malformed('request_id', 'A request id')
  const row = await deps.store.ledger.findRequest(caller.account, request)
  // A request that is not the caller's is reported as unknown.
  if (!row || !isOwn(visibleKey(caller), { key: row.key, id: request }))
    throw new Failure('not_found', `Your account has no request ${formatRequestId(request)}.`)
  return json(200, incoming.responseHeaders, showReceipt(row, 'caller', showsUpstreams(deps)))
}

const showsUpstreams = ({ catalogue }: UsageDependencies): boolean => catalogue().config.server.showUpstreams

async function callerOf(incoming: ApiRequest, deps: UsageDependencies): Promise<Caller> {
  return await authenticate(incoming, dialectOfPath('/v1/usage', incoming.http.headers), deps)
}

function pageOf(query: string): { limit: number; before: bigint | undefined } {
  const parameters = new URLSearchParams(query)
  const limit = parameters.get('limit') ?? String(DEFAULT_LIMIT)
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > LARGEST_LIMIT) {
    throw new Failure('bad_request', `limit must be a whole number from 1 to ${LARGEST_LIMIT}.`, { param: 'limit' })
  }
  const written = parameters.get('before')
  const before = written === null ? undefined : parseRequestId(written)
  if (written !== null && before === undefined) throw malformed('before', 'before')
  return { limit: Number(limit), before }
}

const malformed = (param: string, what: string) =>
  new Failure('bad_request', `${what} must be req_ and 16 hexadecimal digits, as x-request-id has it.`, { param })

function accountJson(account: Account, now: number) {
  return {
    ...balancesJson(account),
    account: {
      ...capJson(account, now),
      spent_today_usd: formatUsd(account.spentToday),
      spent_this_month_usd: formatUsd(account.spentThisMonth),
      limits: limitsJson(account.limits),
    },
  }
}

/** `spent_usd` is the total, of which only a part counts against a cap that renews. */
function keyJson(key: Key, now: number) {
  return {
    id: String(key.id),
    name: key.name,
    group: key.group,
    expires_at: key.expiresAt === undefined ? null : new Date(key.expiresAt).toISOString(),
    ...capJson(key, now),
    spent_usd: formatUsd(key.spent),
    held_usd: formatUsd(key.held),
    spent_today_usd: formatUsd(key.spentToday),
    spent_this_month_usd: formatUsd(key.spentThisMonth),
    models: key.restrictions.models ?? null,
    limits: limitsJson(key.limits),
  }
}
