// Keys, and the groups that a key can have.
import type { Static } from 'typebox'
import type { RouteDeclaration, RouteName } from './route.ts'
import {
  boolean,
  fields,
  ID,
  idOf,
  integer,
  list,
  listOf,
  nullable,
  number,
  optional,
  pageOf,
  string,
  TIME,
  text,
  textLike,
  USD,
  word,
} from './schema.ts'

const LIMIT = nullable(integer({ min: 1, max: 1_000_000_000 }))
const NAME = text({ max: 200 })
const PERIOD = word('day', 'week', 'month')
const TERMS = {
  group: optional(text({ max: 200 })),
  cap_usd: optional(nullable(text({ max: 30 }))),
  cap_period: optional(nullable(PERIOD)),
  expires_at: optional(nullable(text({ max: 40 }))),
  models: optional(nullable(list(text({ max: 300 }), 100))),
  networks: optional(nullable(list(text({ max: 100 }), 100))),
  limits: optional(fields({ rpm: optional(LIMIT), tpm: optional(LIMIT), concurrent: optional(LIMIT) })),
}
const NEW_KEY = fields({ name: NAME, ...TERMS })
export type NewKey = Static<typeof NEW_KEY>
/** Only the fields that are present change. */
const CHANGE_KEY = fields({ name: optional(NAME), ...TERMS })
export type ChangeKey = Static<typeof CHANGE_KEY>
/** How long the former secret works: at most a week. */
const ROTATE_KEY = fields({ grace_seconds: integer({ min: 0, max: 7 * 86_400 }) })
export type RotateKey = Static<typeof ROTATE_KEY>

const KEY_QUERY = fields({
  state: optional(word('active', 'expired', 'deleted')),
  name: optional(textLike(() => true, 'must be text.')),
  before: optional(idOf('a key')),
})
export type KeyQuery = Static<typeof KEY_QUERY>

const LIMITS = fields({ rpm: nullable(number()), tpm: nullable(number()), concurrent: nullable(number()) })
export type Limits = Static<typeof LIMITS>

export const KEY = fields({
  id: ID,
  name: string(),
  last_four: string(),
  group: string(),
  /** `playground`: the built-in key of the playground; it can be limited, not rotated or deleted. */
  purpose: word('client', 'playground'),
  state: word('active', 'expired', 'deleted'),
  created_at: TIME,
  expires_at: nullable(TIME),
  last_used_at: nullable(TIME),
  former_secret_until: nullable(TIME),
  cap_usd: nullable(USD),
  cap_period: nullable(PERIOD),
  cap_resets_at: nullable(TIME),
  spent_under_cap_usd: string('Decimal USD. What counts against the cap now.'),
  spent_usd: USD,
  held_usd: USD,
  models: nullable(listOf(string())),
  networks: nullable(listOf(string())),
  limits: LIMITS,
})
export type KeyRow = Static<typeof KEY>

const KEYS = fields({ ...pageOf(KEY).properties, total: number() })
export type KeyPage = Static<typeof KEYS>
/** The secret is shown once. */
const KEY_WITH_SECRET = fields({ key: KEY, secret: string() })
export type KeyWithSecret = Static<typeof KEY_WITH_SECRET>
const GROUPS = listOf(fields({ id: ID, multiplier: string(), models: number(), is_default: boolean() }))
export type GroupRow = Static<typeof GROUPS>[number]

export const KEY_ROUTES = {
  'GET keys': { policy: 'member', summary: 'Lists keys, 50 on a page', query: KEY_QUERY, output: KEYS },
  'POST keys': {
    policy: 'member',
    summary: 'Creates a key',
    body: NEW_KEY,
    output: KEY_WITH_SECRET,
    status: 201,
  },
  'GET keys/{id}': { policy: 'member', summary: 'Shows a key', output: KEY },
  'POST keys/{id}': { policy: 'member', summary: 'Changes a key', body: CHANGE_KEY, output: KEY },
  'POST keys/{id}/rotate': {
    policy: 'member',
    summary: 'Gives a key a new secret',
    body: ROTATE_KEY,
    output: KEY_WITH_SECRET,
  },
  'DELETE keys/{id}': { policy: 'member', summary: 'Deletes a key', output: KEY },
  'GET groups': { policy: 'member', summary: 'Lists the groups that the account may choose', output: GROUPS },
} as const satisfies Record<RouteName, RouteDeclaration>
