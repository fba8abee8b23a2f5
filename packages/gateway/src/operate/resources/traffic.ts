// Requests, tasks, usage, transfers, nodes and jobs, as the admin API shows them. Costs are absent for those who may not see them.
import {
  boolean,
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
  word,
} from '../../request/schema/schema.ts'
import { BUDGET_KINDS } from '../../storage/console/budgets.ts'
import { TRANSFER_KINDS } from '../../storage/console/lists.ts'
import { TASK_STATES } from '../../storage/tasks.ts'
import { resource } from './resource.ts'

const TIMING = fields({ first_token_ms: nullable(number()), total_ms: nullable(number()) })
const UNITS = nullable(mapOf(number()))
const UPSTREAM_COST = optional(
  nullable(string('Decimal USD; null: not known. Absent without the permission see_costs.')),
)

/** What a request was for. */
export const ATTRIBUTION = {
  tags: listOf(string()),
  end_user: nullable(string('As it is kept: as it was given, or its hash.')),
  session: nullable(string()),
}

export const LISTED_REQUEST = resource(
  'request',
  fields({
    id: ID,
    account_id: ID,
    account: nullable(string('Its name; null: it does not exist any more.')),
    at: TIME,
    key_id: ID,
    key: nullable(string('Its name.')),
    model: string(),
    upstream: string(),
    units: UNITS,
    input_tokens: nullable(number('Null while it runs, and where nothing was counted.')),
    output_tokens: nullable(number()),
    cost_usd: USD,
    upstream_cost_usd: UPSTREAM_COST,
    timing: TIMING,
    outcome: string('`running` for one that has not ended.'),
    error_code: nullable(string()),
    status: nullable(number('Of the response that the client got; null: not known.')),
    ...ATTRIBUTION,
  }),
)

/** `count` x `price_usd` / `per` x `factors` = `cost_usd`, exact. */
export const CHARGE_LINE = fields({
  name: string(),
  count: number(),
  price_usd: USD,
  per: number(),
  factors: listOf(string()),
  cost_usd: USD,
})

const ATTEMPT = fields({
  upstream: string(),
  model: string(),
  outcome: string(),
  upstream_model: optional(nullable(string())),
  error: optional(string('The code of the error that ended it; it and what follows are absent if it did not fail.')),
  status: optional(nullable(number('Of the response of the upstream; null: there was none.'))),
  vendor_code: optional(nullable(string('As the upstream named the error.'))),
  vendor_message: optional(nullable(string('What the upstream said of it, masked: the first 300 characters.'))),
  reason: optional(nullable(string('What happened; null: what the upstream said is all.'))),
  duration_ms: optional(nullable(number())),
})

/** A budget that a request counted against. */
export const COUNTED_BUDGET = fields({
  id: ID,
  kind: word(...BUDGET_KINDS),
  value: nullable(string('The tag, the end user as it is kept, the group or the model.')),
  hard: boolean(),
  left_usd: nullable(
    string('Decimal USD that were left before the request; null: not known, as of budgets across accounts.'),
  ),
})

export const REQUEST_SHOWN = resource(
  'request',
  fields({
    ...LISTED_REQUEST.properties,
    client_request_id: nullable(
      string('What the caller sent as x-client-request-id, or the trace id of its traceparent.'),
    ),
    upstream_request_id: nullable(string('What the vendor called the last attempt.')),
    budgets: listOf(COUNTED_BUDGET),
    group: nullable(string()),
    configuration: nullable(
      fields({ revision: number('Of the stored configuration.'), file: nullable(string('A hash of the file.')) }),
    ),
    answered_by: optional(string('Which model answered, if it was a fallback.')),
    attempts: listOf(ATTEMPT),
    state: word('open', 'settled', 'voided', 'reaped'),
    finish: nullable(string()),
    error: nullable(fields({ code: string(), status: nullable(number()), upstream_request_id: nullable(string()) })),
    reasoning_tokens: nullable(number()),
    tools: nullable(mapOf(number())),
    tier: nullable(string()),
    counted: nullable(string()),
    price: nullable(mapOf(unknown())),
    formula: nullable(string()),
    lines: nullable(listOf(CHARGE_LINE)),
    rounding_usd: nullable(USD),
    refunded_usd: USD,
    shortfall_usd: USD,
    held_usd: USD,
    warnings: listOf(string()),
    response: fields({
      status: nullable(number('Null: not known, or the client disconnected before.')),
      code: nullable(string()),
      message: nullable(string('The beginning of it.')),
    }),
  }),
)

/** Requests of one key, error code and minute that were rejected before a hold. */
export const REJECTED_REQUESTS = resource(
  'rejected_requests',
  fields({
    id: ID,
    minute: TIME,
    account_id: nullable(ID),
    account: nullable(string()),
    key_id: nullable(ID),
    key: nullable(string()),
    code: string('`other`: of several keys or accounts, which were too many to count apart.'),
    status: nullable(number()),
    count: number(),
    last_request_id: string(),
    reason: string('The message that the last of them got.'),
  }),
)

export const TASK_SHOWN = resource(
  'task',
  fields({
    id: ID,
    request_id: string(),
    account_id: ID,
    account: nullable(string()),
    key_id: ID,
    key: nullable(string()),
    model: string(),
    service_tier: nullable(string()),
    state: word(...TASK_STATES),
    status: word('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'),
    upstream: string(),
    upstream_task: nullable(string()),
    held_usd: USD,
    queries: number('How often its upstream was asked.'),
    next_query_at: nullable(TIME),
    typical_ms: nullable(number('The median duration of those of its model that succeeded; null: there is none.')),
    error: nullable(fields({ code: string(), message: string() })),
    created_at: TIME,
    updated_at: TIME,
    deadline: TIME,
  }),
)

/** Each row has those of the dimensions that were asked for. */
export const USAGE_SUMS = resource(
  'usage',
  fields({
    id: ID,
    account_id: optional(ID),
    account: optional(nullable(string())),
    key_id: optional(ID),
    key: optional(nullable(string())),
    person_id: optional(nullable(string('Who made the keys; null: an operator, or the command line.'))),
    person: optional(nullable(string('The email address.'))),
    model: optional(string()),
    upstream: optional(string()),
    outcome: optional(string()),
    tag: optional(nullable(string('Null: all tags after the 10,000 of an account and a day that are told apart.'))),
    end_user: optional(nullable(string('As it is kept. Null: all after the 10,000 of an account and a day.'))),
    day: optional(string('Such as 2027-01-31, in UTC.')),
    week: optional(string('Its Monday, such as 2027-01-25, in UTC.')),
    month: optional(string('Such as 2027-01, in UTC.')),
    hour: optional(string('Its beginning, in UTC.')),
    requests: number(),
    tokens: number(),
    charged_usd: USD,
    shortfall_usd: optional(
      string(
        'Decimal USD: what requests cost beyond their balance, and was not charged. Absent of sums by tag or end user.',
      ),
    ),
    upstream_cost_usd: optional(string('Decimal USD: what is known of it. Absent without the permission see_costs.')),
    margin_usd: optional(string('Decimal USD: what was charged less what is known of the upstream cost.')),
    unknown_costs: optional(number('Of how many requests the cost is not known.')),
  }),
)

/** The newest requests of a session, at most 10,000. */
export const SESSION_SUMS = resource(
  'session_usage',
  fields({
    account_id: ID,
    session: string(),
    requests: number(),
    running: number('Of these, which have not ended: they count no tokens and no charges yet.'),
    tokens: number(),
    charged_usd: USD,
    first_request_at: nullable(TIME),
    last_request_at: nullable(TIME),
    is_all: boolean('false: the session has more requests, which are not added up.'),
  }),
)

export const TRANSFER = resource(
  'transfer',
  fields({
    id: ID,
    at: TIME,
    kind: word(...TRANSFER_KINDS),
    from: string('Such as `account/7` or `credit`.'),
    to: string(),
    account: nullable(string('The name of the account on either side; null for transfers of the gateway itself.')),
    amount_usd: USD,
    reason: string(),
    request_id: nullable(ID),
    reference: nullable(string()),
  }),
)

export const NODE = resource(
  'node',
  fields({
    id: ID,
    version: nullable(string()),
    started_at: nullable(TIME),
    renewed_at: TIME,
    configuration: fields({ revision: nullable(number()), hash: string() }),
    drift: boolean('Its configuration is not that of all others.'),
    ready: nullable(boolean()),
    faults: listOf(string()),
  }),
)

export const JOB = resource(
  'job',
  fields({
    id: ID,
    scope: word('node', 'cluster'),
    interval_ms: nullable(number()),
    node_id: ID,
    last_run_at: TIME,
    duration_ms: number(),
    next_run_at: TIME,
    failing: boolean(),
    last_error: nullable(string()),
    last_error_at: nullable(TIME),
  }),
)
