// Keys, and the groups that a key can have.
import type { Static } from 'typebox'
import { CHANGE_KEY, KEY_FILTER, KEY_STATE, NEW_KEY, PERIOD, ROTATE_KEY } from '../../administration/inputs/schemas.ts'
import {
  boolean,
  fields,
  ID,
  listOf,
  nullable,
  number,
  pageOf,
  string,
  TIME,
  USD,
  word,
} from '../../request/schema/schema.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

export type NewKey = Static<typeof NEW_KEY>
export type ChangeKey = Static<typeof CHANGE_KEY>
export type RotateKey = Static<typeof ROTATE_KEY>
export type KeyQuery = Static<typeof KEY_FILTER>

const LIMITS = fields({ rpm: nullable(number()), tpm: nullable(number()), concurrent: nullable(number()) })
export type Limits = Static<typeof LIMITS>

export const KEY = fields({
  id: ID,
  name: string(),
  last_four: string(),
  group: string(),
  /** `playground`: the built-in key of the playground; it can be limited, not rotated or deleted. */
  purpose: word('client', 'playground'),
  state: KEY_STATE,
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
  /** What the operator set: it can be lowered, not raised. */
  ceiling: fields({
    cap_usd: nullable(USD),
    cap_period: nullable(PERIOD),
    expires_at: nullable(TIME),
    limits: LIMITS,
  }),
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
  'GET keys': { policy: 'member', summary: 'Lists keys, 50 on a page', query: KEY_FILTER, output: KEYS },
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
