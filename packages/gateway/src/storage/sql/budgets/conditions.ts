// Which requests are for something, on both engines.
import { sql } from 'kysely'
import { FURTHER_VALUES } from '../../../money/budgets/attribution.ts'
import { checkText } from '../guard.ts'
import { beginsWith } from '../lists/pages.ts'

/** Exact in case, unlike LIKE on SQLite. */
export const hasTag = (tag: string) =>
  sql<boolean>`replace(',' || tags || ',', ${`,${checkText('tag', tag)},`}, '') <> ',' || tags || ','`

/** Whether the value of a sum is a tag of this name, or what is not told apart. */
export const hasTagName = (column: string, name: string) =>
  sql`(${sql.ref(column)} IN (${FURTHER_VALUES}, ${checkText('tagName', name)}) OR ${beginsWith(column, `${name}=`)})`

/** With the condition of the index of sessions, as it is written there. */
export const isOfSession = (session: string) =>
  sql<boolean>`session <> '' AND session = ${checkText('session', session)}`
