// A key, as the console and the admin API show it.
import { boolean, fields, ID, listOf, nullable, number, string, TIME, USD, word } from '../../request/schema/schema.ts'
import { KEY_STATE, PERIOD } from '../inputs/schemas.ts'
import { resource } from './resource.ts'

export const LIMITS_SHOWN = fields({ rpm: nullable(number()), tpm: nullable(number()), concurrent: nullable(number()) })

export const KEY = fields({
  id: ID,
  name: string(),
  last_four: string(),
  group: string(),
  /**
   * `playground`: the built-in key of the playground; it can be limited, not rotated or deleted. `token`: company tokens of a person count
   * under it; it has no secret, and to delete it stops them.
   */
  purpose: word('client', 'playground', 'token'),
  state: KEY_STATE,
  created_at: TIME,
  made_by: nullable(ID),
  made_by_email: nullable(string()),
  made_by_operator: boolean('An operator of the gateway made it, and not one of the people of the account.'),
  own_since: nullable(string('Time. The key sees only what was made with it since then; null: no such bound.')),
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
  tags: listOf(string()),
  tags_locked: boolean('The operator has fixed the tags: neither the account holder nor a request changes them.'),
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
    made_by_key: nullable(ID),
    made_by_key_name: nullable(string()),
    cap_left_usd: nullable(USD),
    spent_today_usd: USD,
    spent_this_month_usd: USD,
  }),
)
/** The secret is shown once. */
export const NEW_OPERATORS_KEY = fields({ ...OPERATORS_KEY.properties, secret: string() })
