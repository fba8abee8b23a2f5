// What can be kept of a budget. Operations check first, and in words; this is the last line.
import type { BudgetKind, BudgetSettings, NewBudget } from '../../console/budgets.ts'
import { checkAmount, checkText } from '../guard.ts'

type Subject = 'account' | 'key' | 'person' | 'model' | 'value'

/** What each kind needs, and nothing else; a tag may also be across accounts. */
const NEEDS: Readonly<Record<BudgetKind, readonly Subject[]>> = {
  account: ['account'],
  member: ['account', 'person'],
  key: ['account', 'key'],
  key_model: ['account', 'key', 'model'],
  tag: ['account', 'value'],
  end_user: ['account', 'value'],
  group: ['value'],
  all: [],
}
const SUBJECTS = ['account', 'key', 'person', 'model', 'value'] as const
const LONGEST = { model: 256, value: 256, text: 500 } as const
/** A year. */
const MOST_HOURS = 8_784
const MOST_ALERTS = 10
const HIGHEST_ALERT = 1_000

export function checkBudget(budget: NewBudget): NewBudget {
  const { kind } = budget
  for (const name of SUBJECTS) {
    const isOptional = kind === 'tag' && name === 'account'
    if (!isOptional && NEEDS[kind].includes(name) !== (budget[name] !== undefined))
      throw new RangeError(`${name}: does not fit a budget of the kind ${kind}`)
  }
  checkLength('model', budget.model ?? '')
  checkLength('value', budget.value ?? '')
  checkSettings(budget)
  return budget
}

export function checkSettings({ amount, period, everyHours, startsAt, alerts, text }: BudgetSettings): void {
  checkAmount('amount', amount)
  const hasHours = period === 'hours'
  if (hasHours !== (everyHours !== undefined) || (!hasHours && startsAt !== undefined))
    throw new RangeError(`everyHours: does not fit the period ${period}`)
  if (everyHours !== undefined && !(Number.isInteger(everyHours) && everyHours >= 1 && everyHours <= MOST_HOURS))
    throw new RangeError(`everyHours: ${everyHours} is not a whole number in 1..${MOST_HOURS}`)
  if (startsAt !== undefined && !(Number.isSafeInteger(startsAt) && startsAt >= 0))
    throw new RangeError(`startsAt: ${startsAt}`)
  if (alerts.length > MOST_ALERTS) throw new RangeError(`alerts: more than ${MOST_ALERTS}`)
  for (const [index, percent] of alerts.entries())
    if (!Number.isInteger(percent) || percent <= (alerts[index - 1] ?? 0) || percent > HIGHEST_ALERT)
      throw new RangeError(`alerts: ${alerts} are not rising percentages up to ${HIGHEST_ALERT}`)
  checkLength('text', text)
}

function checkLength(field: keyof typeof LONGEST, value: string): void {
  checkText(field, value)
  if (value.length > LONGEST[field]) throw new RangeError(`${field}: longer than ${LONGEST[field]} characters`)
}
