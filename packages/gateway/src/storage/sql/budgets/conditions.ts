// Which requests are for something, on both engines.
import { type RawBuilder, sql } from 'kysely'
import { FURTHER_VALUES } from '../../../money/budgets/attribution.ts'
import type { ReportRange } from '../../console/reports.ts'
import { checkText } from '../guard.ts'
import { beginsWith } from '../lists/pages.ts'

/** Exact in case, unlike LIKE on SQLite. */
export const hasTag = (tag: string) =>
  sql<boolean>`replace(',' || tags || ',', ${`,${checkText('tag', tag)},`}, '') <> ',' || tags || ','`

/** Whether the value of a sum is a tag of this name, or what is not told apart. */
export const hasTagName = (column: string, name: string) =>
  sql`(${sql.ref(column)} IN (${FURTHER_VALUES}, ${checkText('tagName', name)}) OR ${beginsWith(column, `${name}=`)})`

const DAY_MS = 86_400_000
/** Longer lists of days would be longer to read than what they save. */
const MOST_DAYS = 1_100

/** Each day of the range by itself if one value of one account is sought: the rows of the others in between are then not read. */
export function onDays(column: string, { from, to }: ReportRange, isOfOne: boolean): RawBuilder<unknown> {
  const first = from - (from % DAY_MS)
  const count = Math.ceil((to - first) / DAY_MS)
  const day = sql.ref(column)
  if (!isOfOne || count < 1 || count > MOST_DAYS) return sql`${day} >= ${first} AND ${day} < ${to}`
  return sql`${day} IN (${sql.join(Array.from({ length: count }, (_, index) => sql.lit(first + index * DAY_MS)))})`
}

/** With the condition of the index of sessions, as it is written there. */
export const isOfSession = (session: string) =>
  sql<boolean>`session <> '' AND session = ${checkText('session', session)}`
