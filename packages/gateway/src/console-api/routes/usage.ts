// Overview and usage: sums over time, requests and their receipts.
import type { Static } from 'typebox'
import { REJECTED_PLACE } from '../../administration/inputs/rejected-place.ts'
import {
  BALANCES,
  fields,
  ID,
  idOf,
  listOf,
  mapOf,
  nullable,
  number,
  optional,
  pageOf,
  REQUEST_ID,
  string,
  TIME,
  USD,
  unknown,
  WRITTEN_TIME,
  word,
} from '../../request/schema/schema.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

const PERIOD = {
  from: optional(WRITTEN_TIME),
  to: optional(WRITTEN_TIME),
  model: optional(string()),
  key: optional(idOf('a key')),
}
const STEP = word('hour', 'day', 'month')
const SERIES_QUERY = fields({ ...PERIOD, step: optional(STEP), by: optional(word('model', 'key', 'none')) })
export type SeriesQuery = Static<typeof SERIES_QUERY>
const BREAKDOWN_QUERY = fields({ ...PERIOD, step: optional(STEP), by: optional(word('model', 'key')) })
export type BreakdownQuery = Static<typeof BREAKDOWN_QUERY>
/** `outcome=running` for open ones, `outcome=errors` for all that failed. */
const REQUEST_QUERY = fields({ ...PERIOD, outcome: optional(string()), before: optional(REQUEST_ID) })
export type RequestQuery = Static<typeof REQUEST_QUERY>

const REJECTED_QUERY = fields({
  from: PERIOD.from,
  to: PERIOD.to,
  key: PERIOD.key,
  before: optional(REJECTED_PLACE),
})
export type RejectedQuery = Static<typeof REJECTED_QUERY>

const COUNTS = { requests: number(), tokens: number(), cost_usd: USD }
/** `name`: the model or the id of the key; empty for all but the largest ones. `label`: how it is shown. */
const NAMED = { name: string(), label: string(), ...COUNTS }
const POINT = fields({ at: TIME, ...NAMED })
export type SeriesPoint = Static<typeof POINT>
const SERIES = fields({ step: STEP, from: TIME, to: TIME, points: listOf(POINT), total: fields(COUNTS) })
export type UsageSeries = Static<typeof SERIES>
const BREAKDOWN = fields({
  items: listOf(fields(NAMED)),
  /** The sum of so many models or keys that are not listed. */
  others: nullable(fields({ names: number(), ...COUNTS })),
})
export type UsageBreakdown = Static<typeof BREAKDOWN>

const REQUEST = fields({
  request_id: ID,
  at: TIME,
  model: string(),
  key_id: ID,
  key_name: string(),
  input_tokens: nullable(number('Null while it runs, and where nothing was counted.')),
  output_tokens: nullable(number()),
  cost_usd: USD,
  first_token_ms: nullable(number()),
  total_ms: nullable(number()),
  outcome: string(),
})
/** A request as lists show it. */
export type RequestSummary = Static<typeof REQUEST>
const REQUESTS = pageOf(REQUEST)
export type RequestPage = Static<typeof REQUESTS>

const REJECTED = fields({
  id: ID,
  request_id: string('The last one of its minute with this key and this code.'),
  at: TIME,
  key_id: nullable(ID),
  key_name: nullable(string('Null for several keys.')),
  code: string(),
  status: nullable(number()),
  count: number('Requests of the minute with this key and this code.'),
  message: string(),
})
/** Requests that were rejected before anything was held for them. */
export type RejectedSummary = Static<typeof REJECTED>
const REJECTED_PAGE = pageOf(REJECTED)
export type RejectedPage = Static<typeof REJECTED_PAGE>

/** `count` x `price_usd` / `per` x `factors` = `cost_usd`, exact. */
const CHARGE_LINE = fields({
  name: string(),
  count: number(),
  price_usd: USD,
  per: number(),
  /** Multipliers of the service tier and of the group. */
  factors: listOf(string()),
  cost_usd: USD,
})
const RECEIPT = fields({
  request_id: ID,
  at: TIME,
  model: string(),
  key_id: ID,
  key_name: string(),
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
})
export type Receipt = Static<typeof RECEIPT>

const OVERVIEW = fields({
  ...BALANCES,
  spent_today_usd: USD,
  spent_this_month_usd: USD,
  /** The last 14 days (UTC), days without charges included. */
  days: listOf(fields({ at: TIME, cost_usd: USD, requests: number() })),
  requests: listOf(REQUEST),
  keys: number('Without the built-in key. 0: the first-run path is shown.'),
})
export type Overview = Static<typeof OVERVIEW>

export const USAGE_ROUTES = {
  'GET overview': { policy: 'member', summary: 'The first page after sign-in', output: OVERVIEW },
  'GET usage': { policy: 'member', summary: 'Sums over time', query: SERIES_QUERY, output: SERIES },
  'GET usage/breakdown': {
    policy: 'member',
    summary: 'Sums of each model or key; what cost most comes first',
    query: BREAKDOWN_QUERY,
    output: BREAKDOWN,
  },
  'GET requests': {
    policy: 'member',
    summary: 'Lists requests, the newest first, 50 on a page',
    query: REQUEST_QUERY,
    output: REQUESTS,
  },
  'GET requests.csv': {
    policy: 'member',
    summary: 'All requests that the filters admit, as a file',
    query: REQUEST_QUERY,
    output: 'csv',
  },
  'GET requests/{id}': {
    policy: 'member',
    summary: 'The receipt of a request, with its formula as lines; of a rejected one, why it was rejected',
    output: RECEIPT,
  },
  'GET rejected-requests': {
    policy: 'member',
    summary: 'Counts requests that were rejected and cost nothing, by minute, key and error code',
    query: REJECTED_QUERY,
    output: REJECTED_PAGE,
  },
} as const satisfies Record<RouteName, RouteDeclaration>
