// Requests of the account that were rejected before anything was held for them: they cost nothing, and have no receipt.
import { given, readPage, readTimes } from '../../administration/inputs/page.ts'
import { formatPlace, readPlace } from '../../administration/inputs/rejected-place.ts'
import { shownCount } from '../../administration/rejected-requests.ts'
import { formatUsd } from '../../money/amount.ts'
import { parseRequestId, timeOfId } from '../../request/ids.ts'
import type { RejectedCount, RejectedPlace, Storage } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { Receipt, RejectedPage, RejectedQuery, RejectedSummary } from '../routes/usage.ts'
import { keyNames } from './key-names.ts'
import { scopeOf, type Viewer } from './scope.ts'

const PAGE = 50

type Stores = Pick<Storage, 'rejectedRequests' | 'keys'>

/** Newest first. */
export async function listRejected(
  viewer: Viewer,
  { from, to, key, before }: RejectedQuery,
  { store }: Pick<ConsoleDependencies, 'store'>,
): Promise<RejectedPage> {
  const filter = {
    ...ofViewer(viewer),
    ...given({ key: key === undefined ? undefined : BigInt(key) }),
    ...readTimes(given({ from, to })),
  }
  const { items, next } = await readPage<RejectedCount, RejectedPlace>(
    { limit: PAGE, ...given({ after: before }) },
    (range, limit) => store.rejectedRequests.list({ ...filter, ...range }, limit),
    formatPlace,
    readPlace,
  )
  return { items: await shownRows(items, store), next }
}

/** In place of a receipt. Only the last request of a minute, a key and a code is known by its id. */
export async function findRejected(viewer: Viewer, id: string, store: Stores): Promise<Receipt | undefined> {
  const rows = await store.rejectedRequests.list({ ...ofViewer(viewer), lastRequest: id }, 1)
  const [row] = await shownRows(rows, store)
  if (!row) return undefined
  const { request_id, at, key_id, key_name, code, status, message } = row
  const nothing = formatUsd(0n)
  return {
    request_id,
    at,
    model: '',
    key_id: key_id ?? '',
    key_name: key_name ?? '',
    group: null,
    attempts: [],
    state: 'rejected',
    outcome: 'rejected',
    finish: null,
    error: { code, status, message },
    units: null,
    reasoning_tokens: null,
    tools: null,
    tier: null,
    counted: null,
    price: null,
    formula: null,
    lines: null,
    rounding_usd: null,
    cost_usd: nothing,
    shortfall_usd: nothing,
    held_usd: nothing,
    timing: { first_token_ms: null, total_ms: null },
    warnings: [],
  }
}

const ofViewer = (viewer: Viewer) => ({ account: viewer.account.id, ...scopeOf(viewer) })

async function shownRows(rows: readonly RejectedCount[], { keys }: Stores): Promise<RejectedSummary[]> {
  const names = await keyNames(
    keys,
    rows.map(({ key }) => key),
  )
  return rows.map((row) => {
    const { id, minute, key_id, code, status, count, last_request_id: request_id, reason } = shownCount(row)
    const last = parseRequestId(request_id)
    const at = last === undefined ? minute : new Date(timeOfId(last)).toISOString()
    return { id, request_id, at, key_id, key_name: names.get(row.key) ?? null, code, status, count, message: reason }
  })
}
