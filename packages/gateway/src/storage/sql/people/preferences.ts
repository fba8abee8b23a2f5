// What people have chosen in the console, on both engines.
import { MAX_AMOUNT } from '../../../money/amount.ts'
import type { People, Preferences } from '../../people/people.ts'
import { checkText } from '../guard.ts'
import { integer, optional, text } from '../rows.ts'
import { type Connection, statement } from '../statements.ts'

export const preferencesOver = ({ db, runner }: Connection): Pick<People, 'preferences' | 'setPreferences'> => ({
  async preferences(person) {
    const query = db.selectFrom('preference').select(['low_balance', 'language']).where('person', '=', person)
    const [row] = await runner.read(statement(query))
    return { lowBalance: optional(row?.low_balance, integer), language: optional(row?.language, text) }
  },
  async setPreferences(person, changes) {
    const columns = toColumns(changes)
    if (Object.keys(columns).length === 0) return
    const insert = db.insertInto('preference').values({ person, low_balance: null, language: null, ...columns })
    await runner.write([statement(insert.onConflict((conflict) => conflict.column('person').doUpdateSet(columns)))])
  },
})

function toColumns(changes: Partial<Preferences>) {
  const { lowBalance, language } = changes
  if (lowBalance !== undefined && (lowBalance < 0n || lowBalance > MAX_AMOUNT))
    throw new RangeError(`lowBalance: ${lowBalance} is outside 0..${MAX_AMOUNT}`)
  if (language !== undefined) checkText('language', language)
  return {
    ...('lowBalance' in changes ? { low_balance: lowBalance ?? null } : {}),
    ...('language' in changes ? { language: language ?? null } : {}),
  }
}
