// The beginnings of the periods (UTC) that sums are grouped by, on both engines.
import { type RawBuilder, sql } from 'kysely'
import type { Connection } from '../statements.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const PERIODS = ['day', 'week', 'month', 'hour'] as const
export type Period = (typeof PERIODS)[number]
export const isPeriod = (name: string): name is Period => PERIODS.some((each) => each === name)

/** The beginning of the period in which the time of the column lies. Weeks begin on Mondays; 1970 began on a Thursday. */
export function beginningOf(
  period: Period,
  column: string,
  { monthOf }: Pick<Connection, 'monthOf'>,
): RawBuilder<unknown> {
  const at = sql.ref(column)
  switch (period) {
    case 'hour':
      return sql`${at} - ${at} % ${sql.lit(HOUR_MS)}`
    case 'day':
      return sql`${at} - ${at} % ${sql.lit(DAY_MS)}`
    case 'week':
      return sql`${at} - (${at} + ${sql.lit(3 * DAY_MS)}) % ${sql.lit(7 * DAY_MS)}`
    case 'month':
      return sql.raw(monthOf(`"${column}"`))
  }
}
