// Keys, and the groups that a key can have.
import type { Static } from 'typebox'
import { CHANGE_KEY, KEY_FILTER, NEW_KEY, ROTATE_KEY } from '../../administration/inputs/schemas.ts'
import { KEY, type LIMITS_SHOWN } from '../../administration/resources/keys.ts'
import { boolean, fields, ID, idOf, listOf, number, optional, pageOf, string } from '../../request/schema/schema.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

export type NewKey = Static<typeof NEW_KEY>
export type ChangeKey = Static<typeof CHANGE_KEY>
export type RotateKey = Static<typeof ROTATE_KEY>
/** `before`: the key that a page comes after. */
const KEY_QUERY = fields({ ...KEY_FILTER.properties, before: optional(idOf('a key')) })
export type KeyQuery = Static<typeof KEY_QUERY>

export type Limits = Static<typeof LIMITS_SHOWN>

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
    example: { name: 'laptop', cap_usd: '20', cap_period: 'month' },
    output: KEY_WITH_SECRET,
    status: 201,
  },
  'GET keys/{id}': { policy: 'member', summary: 'Shows a key', output: KEY },
  'POST keys/{id}': {
    policy: 'member',
    summary: 'Changes a key',
    body: CHANGE_KEY,
    example: { name: 'desktop' },
    output: KEY,
  },
  'POST keys/{id}/rotate': {
    policy: 'member',
    summary: 'Rotates a key: creates a new secret',
    body: ROTATE_KEY,
    example: { grace_seconds: 3600 },
    output: KEY_WITH_SECRET,
  },
  'DELETE keys/{id}': { policy: 'member', summary: 'Deletes a key', output: KEY },
  'GET groups': { policy: 'member', summary: 'Lists the groups that the account may choose', output: GROUPS },
} as const satisfies Record<RouteName, RouteDeclaration>
