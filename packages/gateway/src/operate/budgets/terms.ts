// How much, how often and what happens then: the settings of a budget, as they are written and as the audit log has them.
import type { Static } from 'typebox'
import { formatUsd } from '../../money/amount.ts'
import { BUDGET_PERIODS } from '../../money/budgets/budget.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import {
  boolean,
  fields,
  integer,
  list,
  nullable,
  optional,
  rule,
  textLike,
  WRITTEN_TIME,
  word,
} from '../../request/schema/schema.ts'
import type { BudgetSettings } from '../../storage/storage.ts'
import { isoTime, readAmount } from '../inputs/fields.ts'
import { POSITIVE_AMOUNT } from '../inputs/schemas.ts'
import { rejected } from '../rejections.ts'

const MOST_HOURS = 8_784
const MOST_ALERTS = 10
const HIGHEST_ALERT = 100
const LONGEST_TEXT = 500
/** Other than line breaks it has no control characters: it stands in error messages. */
const TEXT = textLike(
  (value) => value.trim().length <= LONGEST_TEXT && !/[^\P{Cc}\n]/u.test(value),
  `have at most ${LONGEST_TEXT} characters, and no control characters`,
)
/** Years that a clock can be wrong by, or a person: not those that no date has. */
const START = rule(WRITTEN_TIME, (value) => (parseIsoTime(value) ?? -1) >= 0, 'be a time after 1970')

const TERMS = {
  /** Null: for all time. */
  period: optional(nullable(word(...BUDGET_PERIODS))),
  /** With the period `hours`: how many. */
  every_hours: optional(nullable(integer({ min: 1, max: MOST_HOURS }))),
  /** With the period `hours`: the beginning of one of them; null: of a day (UTC). */
  starts_at: optional(nullable(START)),
  /** False: it only warns. */
  hard: optional(boolean()),
  /** Percentages at which people are told. */
  alerts: optional(list(integer({ min: 1, max: HIGHEST_ALERT }), MOST_ALERTS)),
  /** Added to the message of rejected requests. */
  text: optional(TEXT),
}
export const NEW_TERMS = { amount_usd: POSITIVE_AMOUNT, ...TERMS }
export const TERM_CHANGES = { amount_usd: optional(POSITIVE_AMOUNT), ...TERMS }
const CHANGES = fields(TERM_CHANGES)
export type WrittenTerms = Static<typeof CHANGES>

const FIRST: Omit<BudgetSettings, 'amount'> = {
  period: undefined,
  everyHours: undefined,
  startsAt: undefined,
  hard: true,
  alerts: [],
  text: '',
}

/** All terms, with those that were not written as they are; `present` undefined: of a new budget. */
export function readSettings(written: WrittenTerms, present: BudgetSettings | undefined): BudgetSettings {
  const { amount_usd, hard, alerts, text } = written
  const before = present ?? { ...FIRST, amount: 0n }
  return {
    amount: amount_usd === undefined ? before.amount : readAmount(amount_usd),
    ...readPeriod(written, before),
    hard: hard ?? before.hard,
    alerts: alerts === undefined ? before.alerts : [...new Set(alerts)].sort((one, other) => one - other),
    text: text === undefined ? before.text : text.trim(),
  }
}

type Period = Pick<BudgetSettings, 'period' | 'everyHours' | 'startsAt'>

/** Another period than `hours` ends what only that has. */
function readPeriod({ period: written, every_hours, starts_at }: WrittenTerms, before: Period): Period {
  const period = written === undefined ? before.period : (written ?? undefined)
  if (period !== 'hours') {
    if (every_hours != null) throw rejected('hours_only', { field: 'every_hours' })
    if (starts_at != null) throw rejected('hours_only', { field: 'starts_at' })
    return { period, everyHours: undefined, startsAt: undefined }
  }
  const everyHours = every_hours === undefined ? before.everyHours : (every_hours ?? undefined)
  if (everyHours === undefined) throw rejected('hours_needed', { field: 'every_hours' })
  const startsAt = starts_at === undefined ? before.startsAt : starts_at === null ? undefined : parseIsoTime(starts_at)
  return { period, everyHours, startsAt }
}

export const settingsJson = ({ amount, period, everyHours, startsAt, hard, alerts, text }: BudgetSettings) => ({
  amount_usd: formatUsd(amount),
  period: period ?? null,
  every_hours: everyHours ?? null,
  starts_at: startsAt === undefined ? null : isoTime(startsAt),
  hard,
  alerts: [...alerts],
  text,
})
