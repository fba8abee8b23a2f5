// The receipt of a request, with its formula as lines; of a rejected one, why it was rejected.
import type { Static } from 'typebox'
import { ApiRejection } from '../../http-api/rejection.ts'
import { formatUsd } from '../../money/amount.ts'
import { ATTRIBUTION, CHARGE_LINE, COUNTED_BUDGET } from '../../operate/resources/traffic.ts'
import { showCharge } from '../../paid-call/receipts/show-charge.ts'
import { showReceipt } from '../../paid-call/receipts/show-receipt.ts'
import { parseRequestId } from '../../request/ids.ts'
import {
  fields,
  ID,
  listOf,
  mapOf,
  nullable,
  number,
  optional,
  string,
  TIME,
  USD,
  unknown,
} from '../../request/schema/schema.ts'
import type { Storage } from '../../storage/storage.ts'
import { route } from '../route.ts'
import { ofViewer, shownRows } from './rejected-requests.ts'
import { isInScope, keyNames, type Viewer } from './scope.ts'

const RECEIPT = fields({
  request_id: ID,
  at: TIME,
  model: string(),
  key_id: ID,
  key_name: string(),
  ...ATTRIBUTION,
  group: nullable(string()),
  upstream: optional(string('Only if the operator shows upstreams.')),
  answered_by: optional(string('The fallback model that answered.')),
  attempts: listOf(fields({ model: string(), outcome: string(), upstream: optional(string()) })),
  state: string(),
  outcome: string(),
  finish: nullable(string("The model's own reason for the outcome, as its upstream names it.")),
  error: nullable(
    fields({
      code: string(),
      status: nullable(number()),
      message: optional(string('Of a rejected request, which has no other lines.')),
      upstream_request_id: optional(nullable(string())),
    }),
  ),
  units: nullable(mapOf(number())),
  reasoning_tokens: nullable(number()),
  tools: nullable(mapOf(number())),
  tier: nullable(string()),
  counted: nullable(string('Why the units were counted by the gateway.')),
  price: nullable(mapOf(unknown())),
  formula: nullable(string()),
  /** The costs of the lines and the rounding add up to `cost_usd` and `shortfall_usd`. */
  lines: nullable(listOf(CHARGE_LINE)),
  rounding_usd: nullable(USD),
  cost_usd: USD,
  shortfall_usd: USD,
  held_usd: USD,
  timing: fields({ first_token_ms: nullable(number()), total_ms: nullable(number()) }),
  warnings: listOf(string()),
  /** Those of the account that the request counted against. */
  budgets: listOf(COUNTED_BUDGET),
})

export const showRequest = route(
  'GET requests/{id}',
  {
    policy: 'member',
    summary: 'The receipt of a request, with its formula as lines; of a rejected one, why it was rejected',
    output: RECEIPT,
  },
  async (viewer, { store, config }) => {
    const { id } = viewer.parameters
    const request = parseRequestId(id)
    const row = request === undefined ? undefined : await store.ledger.findRequest(viewer.account.id, request)
    if (!row) {
      const rejected = await findRejected(viewer, id, store)
      if (rejected) return rejected
    }
    if (!row || !(await isInScope(viewer, row.key, store.keys)))
      throw new ApiRejection({ code: 'not_found', message: `Your account has no request ${id}.` })
    const names = await keyNames(store.keys, [row])
    const receipt = showReceipt(row, 'caller', config().server.showUpstreams)
    return {
      ...receipt,
      warnings: [...receipt.warnings],
      key_name: names.get(row.key) ?? '',
      ...showCharge(row),
    }
  },
)

/** In place of a receipt. Only the last request of a minute, a key and a code is known by its id. */
async function findRejected(
  viewer: Viewer,
  id: string,
  store: Pick<Storage, 'rejectedRequests' | 'keys'>,
): Promise<Static<typeof RECEIPT> | undefined> {
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
    tags: [],
    end_user: null,
    session: null,
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
    budgets: [],
  }
}
