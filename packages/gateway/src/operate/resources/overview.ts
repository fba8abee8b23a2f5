// The overview and what a search finds, as the admin API shows them.
import { fields, ID, listOf, nullable, number, optional, string, TIME, USD, word } from '../../request/schema/schema.ts'
import { SWITCH_STATES } from '../../storage/storage.ts'
import { UPSTREAM_HEALTH } from '../../upstreams/health/upstream-health.ts'
import { NEED_KINDS, NEED_PAGES } from '../overview/needs.ts'
import { RANGES } from '../overview/ranges.ts'
import { resource } from './resource.ts'

export const FOUND_KINDS = ['request', 'account', 'person', 'key', 'model', 'upstream', 'group', 'code'] as const

/** Absent for roles that do not see costs. */
const COSTS = {
  upstream_cost_usd: optional(USD),
  margin_usd: optional(string('Decimal USD. Where costs are unknown, at most this.')),
  unknown_costs: optional(number('Requests whose cost is not known.')),
}

const FIRST_TOKEN = nullable(fields({ p50: number(), p95: number() }))

const FIGURES = fields({
  requests: number(),
  failed: number(),
  error_share: nullable(number('From 0 to 1; null without requests.')),
  first_token_ms: FIRST_TOKEN,
  charged_usd: USD,
  ...COSTS,
})

export const FOUND = resource(
  'found',
  fields({
    kind: word(...FOUND_KINDS),
    id: string('Of its resource; of a code, the label of its batch.'),
    label: string(),
    detail: nullable(string()),
    account: nullable(string('The id of the account that it belongs to.')),
  }),
)

export const OVERVIEW = resource(
  'overview',
  fields({
    range: word(...RANGES),
    from: TIME,
    to: TIME,
    step_seconds: number(),
    needs_you: listOf(
      fields({
        kind: word(...NEED_KINDS),
        about: string('The id of what it is about; of an alert its rule.'),
        count: optional(number('Of an upstream whose last calls all failed: how many.')),
        detail: nullable(string()),
        since: nullable(TIME),
        page: word(...NEED_PAGES),
      }),
    ),
    needs_you_count: number('Of all; at most 50 are listed.'),
    figures: FIGURES,
    week_before: FIGURES,
    outcomes: listOf(
      fields({
        at: TIME,
        outcome: string('Of requests; `rejected`: before a hold; `running`: not ended.'),
        requests: number(),
      }),
    ),
    ticks: listOf(fields({ at: TIME, kind: word('revision', 'alert'), id: ID, text: string() })),
    upstreams: listOf(
      fields({
        id: ID,
        state: word(...UPSTREAM_HEALTH, ...SWITCH_STATES.filter((state) => state !== 'enabled')),
        requests: number(),
        failed: number(),
        share: nullable(number('Of all requests, from 0 to 1.')),
        /** Measured over the last 24 hours at most. */
        first_token_ms: FIRST_TOKEN,
        charged_usd: USD,
        ...COSTS,
      }),
    ),
    top: fields({
      accounts: listOf(fields({ id: ID, name: nullable(string()), requests: number(), charged_usd: USD })),
      models: listOf(fields({ id: ID, requests: number(), failed: number(), charged_usd: USD })),
      errors: listOf(
        fields({ code: string(), count: number(), rejected: number('Of these, rejected before a hold.') }),
      ),
    }),
  }),
)
