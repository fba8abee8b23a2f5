// The state of upstreams, what was tested and found there, and previews of models, as the admin API shows them.

import { AUTH_TYPES } from '../../config/sections/upstreams/upstream-auth.ts'
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
import { LIMIT_KINDS, SWITCH_STATES } from '../../storage/storage.ts'
import { UPSTREAM_HEALTH } from '../../upstreams/health/upstream-health.ts'
import { resource } from './resource.ts'

const SWITCH = fields({
  state: word(...SWITCH_STATES),
  since: nullable(TIME),
  by: nullable(string()),
  reason: nullable(string()),
})
const KEY_STATES = nullable(
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
)
const NODE = nullable(string('The node whose state it is: each knows its own.'))

export const UPSTREAM_STATE = resource(
  'upstream_state',
  fields({
    id: ID,
    node: NODE,
    switch: SWITCH,
    running_requests: nullable(number()),
    http: nullable(string()),
    limits: listOf(
      fields({
        model: nullable(string('Of the route of this model; null: of the upstream.')),
        limit: word(...LIMIT_KINDS),
        most: string('USD where the limit is one of money.'),
        used: string('By all nodes, as far as this one knows.'),
        until: nullable(TIME),
      }),
    ),
    keys: KEY_STATES,
  }),
)

export const UPSTREAM_KIND = resource(
  'upstream_kind',
  fields({
    id: ID,
    name: string(),
    base_url: nullable(string()),
    base_url_example: nullable(string()),
    needs_base_url: boolean(),
    place_fields: listOf(string('A field of an upstream, which can stand in place of `base_url`.')),
    api_version: nullable(string('What it is called with unless one is given; null: it takes none.')),
    needs_key: boolean(),
    /** What can authorise the requests. */
    auth: listOf(
      fields({
        type: word('key', ...AUTH_TYPES),
        fields: listOf(fields({ name: string('Of `auth`, as stored upstreams may have it.'), is_secret: boolean() })),
      }),
    ),
    keys_url: nullable(string('Where the vendor hands out API keys.')),
    /** Accounts and keys are not those of the rest of the world. */
    mainland: nullable(fields({ base_url: string('In mainland China.'), keys_url: string() })),
    docs_url: string(),
    protocols: listOf(string()),
    priced_models: number('How many of its models the built-in price list has.'),
  }),
)

const CALLS = { requests: number('Calls of this upstream.'), failed: number() }
const PERCENTILES = nullable(fields({ p50: number(), p95: number() }))

export const UPSTREAM_FIGURES = resource(
  'upstream_figures',
  fields({
    id: ID,
    kind: string(),
    name: nullable(string('Of the vendor.')),
    base_url: nullable(string()),
    models: number('Models with a route to it.'),
    node: NODE,
    switch: SWITCH,
    health: word(...UPSTREAM_HEALTH, 'draining', 'disabled'),
    keys: KEY_STATES,
    running_requests: nullable(number()),
    ...CALLS,
    first_token_ms: PERCENTILES,
    total_ms: PERCENTILES,
    hours: listOf(fields({ hour: TIME, ...CALLS })),
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
    price: nullable(word('cost', 'price', 'list')),
    cost_at_most_usd: nullable(USD),
    cost_usd: nullable(USD),
    unknown_costs: number('Calls whose cost is not known.'),
    not_tested: number('Calls that were planned and not made.'),
    booked: boolean('Whether the cost is in the ledger, in the account `tests`.'),
    checks: listOf(
      fields({
        key: nullable(number()),
        dialect: string(),
        mode: word('unstreamed', 'streamed', 'image', 'service', 'health'),
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

const BASE_MODEL = nullable(string('The model behind an opaque name.'))
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
        base_model: BASE_MODEL,
        type: nullable(string()),
        note: nullable(string()),
        price: nullable(mapOf(unknown())),
        limits: nullable(mapOf(unknown())),
      }),
    ),
    unlisted: listOf(ROUTED),
  }),
)

export const UPSTREAM_DRAFT_MODELS = resource(
  'upstream_draft_models',
  fields({
    kind: string(),
    base_url: string('As written, or as it follows from the region or another place.'),
    is_complete: boolean(),
    models: listOf(string()),
    base_models: listOf(fields({ model: string(), base_model: string('The model behind an opaque name.') })),
  }),
)

export const PRICE_PROPOSALS = resource(
  'price_proposals',
  fields({
    date: string('Of the price list.'),
    models: listOf(
      fields({
        model: string(),
        base_model: BASE_MODEL,
        type: nullable(string()),
        note: nullable(string()),
        price: nullable(mapOf(unknown())),
        present: nullable(word('file', 'environment', 'stored', 'built-in')),
        proposed_price: nullable(mapOf(unknown())),
        limits: nullable(mapOf(unknown())),
      }),
    ),
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

const CHANGED = listOf(fields({ name: string(), value: string() }))
const ROUTE_CHANGES = fields({
  set: listOf(fields({ name: string(), value: string('JSON.') })),
  default: listOf(fields({ name: string(), value: string('JSON.') })),
  drop: listOf(string()),
  headers: fields({ set: CHANGED, default: CHANGED, drop: listOf(string()) }),
  system: fields({ before: nullable(string()), after: nullable(string()) }),
})

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
        changes: nullable(ROUTE_CHANGES),
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
