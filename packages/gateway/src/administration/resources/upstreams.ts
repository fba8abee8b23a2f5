// The state of upstreams, what was tested and found there, and previews of models, as the admin API shows them.
import {
  boolean,
  fields,
  ID,
  listOf,
  mapOf,
  nullable,
  number,
  string,
  TIME,
  USD,
  unknown,
  word,
} from '../../request/schema/schema.ts'
import { SWITCH_STATES } from '../../storage/storage.ts'
import { resource } from './resource.ts'

export const UPSTREAM_STATE = resource(
  'upstream_state',
  fields({
    id: ID,
    node: nullable(string('The node whose state it is: each knows its own.')),
    switch: fields({
      state: word(...SWITCH_STATES),
      since: nullable(TIME),
      by: nullable(string()),
      reason: nullable(string()),
    }),
    running_requests: nullable(number()),
    http: nullable(string()),
    keys: nullable(
      listOf(
        fields({
          key: string('Its last four characters.'),
          state: word('ready', 'cooling', 'open', 'probing', 'rejected'),
          breaker: word('closed', 'open', 'half-open'),
          reason: nullable(string()),
          until: nullable(TIME),
          cooling: listOf(fields({ model: string(), until: TIME })),
          running_requests: number(),
          latency_ms: nullable(number()),
        }),
      ),
    ),
  }),
)

export const UPSTREAM_TEST = resource(
  'upstream_test',
  fields({
    ok: boolean(),
    upstream: ID,
    kind: string(),
    base_url: string(),
    model: nullable(string()),
    type: nullable(string()),
    calls: number('How many calls a test makes.'),
    price: nullable(word('cost', 'price')),
    cost_at_most_usd: nullable(USD),
    cost_usd: nullable(USD),
    unknown_costs: number('Calls whose cost is not known.'),
    not_tested: number('Calls that were planned and not made.'),
    booked: boolean('Whether the cost is in the ledger, in the account `tests`.'),
    checks: listOf(
      fields({
        key: nullable(number()),
        dialect: string(),
        mode: word('unstreamed', 'streamed', 'image', 'health'),
        ok: boolean(),
        status: nullable(number()),
        latency_ms: number(),
        answer: nullable(string()),
        problem: nullable(string()),
        cost_usd: nullable(USD),
      }),
    ),
  }),
)

const ROUTED = fields({ model: string(), ids: listOf(string('Its id in this gateway.')) })

export const UPSTREAM_MODELS = resource(
  'upstream_models',
  fields({
    upstream: ID,
    kind: string(),
    is_complete: boolean(),
    configured: listOf(ROUTED),
    unconfigured: listOf(
      fields({
        model: string(),
        type: nullable(string()),
        note: nullable(string()),
        price: nullable(mapOf(unknown())),
        limits: nullable(mapOf(unknown())),
      }),
    ),
    unlisted: listOf(ROUTED),
  }),
)

export const PRICE_PREVIEW = resource(
  'price_preview',
  fields({
    model: string(),
    type: string(),
    group: string(),
    price_version: string(),
    multiplier: string(),
    units: mapOf(number()),
    cost_usd: USD,
    formula: string(),
    lines: listOf(
      fields({
        name: string(),
        count: number(),
        price: string(),
        per: number(),
        factors: listOf(string()),
        cost: string(),
      }),
    ),
    rounding: string(),
  }),
)

export const ROUTE_PREVIEW = resource(
  'route_preview',
  fields({
    model: string(),
    group: string(),
    key: nullable(ID),
    node: nullable(string('The node whose state it is: each knows its own.')),
    rejection: nullable(fields({ code: string(), message: string() })),
    candidates: listOf(
      fields({
        model: string('A fallback has another id than the model.'),
        upstream: string(),
        upstream_model: string(),
        dialect: nullable(string()),
        translated: nullable(boolean('Whether requests in `protocol` are translated; null: not known without it.')),
        priority: number(),
        weight: number(),
        keys: number(),
        usable_keys: number(),
        share: number('Of requests that nothing binds to an upstream.'),
        reason: nullable(string()),
        key_states: listOf(
          fields({ key: string(), reason: nullable(string()), until: nullable(TIME), is_last_resort: boolean() }),
        ),
      }),
    ),
  }),
)
