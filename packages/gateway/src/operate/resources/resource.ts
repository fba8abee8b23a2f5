// What operations return, as the admin API describes it. Each resource says what it is in `object`.
import type { TObject, TProperties } from 'typebox'
import { fields, word } from '../../request/schema/schema.ts'

/** The name is no field of the operation's result: the admin API adds it. */
export const resource = <Name extends string, P extends TProperties>(name: Name, schema: TObject<P>) =>
  fields({ object: word(name), ...schema.properties })

/** Fields that traffic changes. They do not count as changes of the resource: else no change of a busy one could be made by If-Match. */
export const TRAFFIC_FIELDS: ReadonlySet<string> = new Set([
  'balance_usd',
  'held_usd',
  'available_usd',
  'spent_usd',
  'spent_under_cap_usd',
  'spent_today_usd',
  'spent_this_month_usd',
  'spent_30_days_usd',
  'running_requests',
  'cap_left_usd',
  'left_usd',
  'used_percent',
  'reached',
  'begins_anew_at',
  'cap_resets_at',
  'last_used_at',
  'signed_in_at',
])
