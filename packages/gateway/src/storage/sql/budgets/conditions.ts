// Which requests are for something, on both engines.
import { sql } from 'kysely'
import { checkText } from '../guard.ts'

/** Exact in case, unlike LIKE on SQLite. */
export const hasTag = (tag: string) =>
  sql<boolean>`replace(',' || tags || ',', ${`,${checkText('tag', tag)},`}, '') <> ',' || tags || ','`

/** With the condition of the index of sessions, as it is written there. */
export const isOfSession = (session: string) =>
  sql<boolean>`session <> '' AND session = ${checkText('session', session)}`
