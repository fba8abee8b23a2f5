// A key, as the console and the admin API show it.
import { fields, ID, listOf, nullable, number, string, TIME, USD, word } from '../../request/schema/schema.ts'
import { KEY_STATE, PERIOD } from '../inputs/schemas.ts'
import { resource } from './resource.ts'

export const LIMITS_SHOWN = fields({ rpm: nullable(number()), tpm: nullable(number()), concurrent: nullable(number()) })

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
  limits: LIMITS_SHOWN,
  /** What the operator set: it can be lowered, not raised. */
  ceiling: fields({
    cap_usd: nullable(USD),
    cap_period: nullable(PERIOD),
    expires_at: nullable(TIME),
    limits: LIMITS_SHOWN,
  }),
})

/** As operators see it. */
export const OPERATORS_KEY = resource(
  'key',
  fields({
    ...KEY.properties,
    account_id: ID,
    account: string(),
    cap_left_usd: nullable(USD),
    spent_today_usd: USD,
    spent_this_month_usd: USD,
  }),
)
/** The secret is shown once. */
export const NEW_OPERATORS_KEY = fields({ ...OPERATORS_KEY.properties, secret: string() })
