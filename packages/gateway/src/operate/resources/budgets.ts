// Budgets, as the console and the admin API show them.
import { BUDGET_PERIODS } from '../../money/budgets/budget.ts'
import { boolean, fields, ID, listOf, nullable, number, string, TIME, USD, word } from '../../request/schema/schema.ts'
import { BUDGET_KINDS, BUDGET_SETTERS } from '../../storage/console/budgets.ts'
import { resource } from './resource.ts'

/** As holders see them. */
export const BUDGET = fields({
  id: string('Of a cap: `cap:account:7`, `cap:member:7:3` (account and person) or `cap:key:12`.'),
  is_cap: boolean('It is the cap of an account, a member or a key.'),
  kind: word(...BUDGET_KINDS),
  key_id: nullable(ID),
  key: nullable(string('Its name.')),
  person_id: nullable(ID),
  email: nullable(string('Of this person.')),
  model: nullable(string()),
  value: nullable(string('The tag, the end user as it is kept, or the group.')),
  amount_usd: USD,
  period: nullable(word(...BUDGET_PERIODS)),
  every_hours: nullable(number()),
  starts_at: nullable(TIME),
  hard: boolean('Requests are rejected once it is reached; otherwise it only warns.'),
  alerts: listOf(number('Percent.')),
  text: string('Added to the message of rejected requests.'),
  set_by: word(...BUDGET_SETTERS),
  spent_usd: string('Decimal USD. In the present period.'),
  held_usd: USD,
  left_usd: USD,
  used_percent: number('What is spent, of the amount; rounded down.'),
  reached: boolean('Nothing is left.'),
  begins_anew_at: nullable(TIME),
  created_at: nullable(TIME),
  deleted_at: nullable(TIME),
})

export const OPERATORS_BUDGET = resource(
  'budget',
  fields({
    ...BUDGET.properties,
    account_id: nullable(string('Null: across accounts.')),
    account: nullable(string('Its name.')),
  }),
)
