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
import { TRANSFER_KINDS } from '../../storage/console/lists.ts'
import { TASK_STATES } from '../../storage/tasks.ts'
import { resource } from './resource.ts'

const TIMING = fields({ first_token_ms: nullable(number()), total_ms: nullable(number()) })
const UNITS = nullable(mapOf(number()))
const UPSTREAM_COST = optional(
  nullable(string('Decimal USD; null: not known. Absent without the permission see_costs.')),
)

export const LISTED_REQUEST = resource(
  'request',
  fields({
    id: ID,
    account_id: ID,
    at: TIME,
    key_id: ID,
    model: string(),
    upstream: string(),
    units: UNITS,
    cost_usd: USD,
    upstream_cost_usd: UPSTREAM_COST,
    timing: TIMING,
    outcome: string('`running` for one that has not ended.'),
    error_code: nullable(string()),
  }),
)

const ATTEMPT = fields({
  upstream: string(),
  model: string(),
  outcome: string(),
  upstream_model: optional(nullable(string())),
})

export const REQUEST_SHOWN = resource(
  'request',
  fields({
    ...LISTED_REQUEST.properties,
    account: nullable(string()),
    key: nullable(string()),
    group: nullable(string()),
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
    shortfall_usd: USD,
    held_usd: USD,
    warnings: listOf(string()),
  }),
)

export const TASK_SHOWN = resource(
  'task',
  fields({
    id: ID,
    request_id: string(),
    account_id: ID,
    key_id: ID,
    model: string(),
    service_tier: nullable(string()),
    state: word(...TASK_STATES),
    status: word('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'),
    upstream: string(),
    upstream_task: nullable(string()),
    created_at: TIME,
    updated_at: TIME,
    deadline: TIME,
  }),
)

/** Of the dimensions, those that were asked for. */
export const USAGE_SUMS = resource(
  'usage',
  fields({
    id: ID,
    account_id: optional(ID),
    account: optional(nullable(string())),
    key_id: optional(ID),
    key: optional(nullable(string())),
    model: optional(string()),
    upstream: optional(string()),
    outcome: optional(string()),
    day: optional(string('Such as 2027-01-31, in UTC.')),
    requests: number(),
    tokens: number(),
    charged_usd: USD,
    upstream_cost_usd: optional(string('Decimal USD: what is known of it. Absent without the permission see_costs.')),
    unknown_costs: optional(number('Of how many requests the cost is not known.')),
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
