// Caps in the list of budgets: changing one is what the command of its account, member or key does.
import { limitAccount } from '../accounts.ts'
import { limitKey } from '../keys.ts'
import { type OperationContext, perform } from '../operation.ts'
import { setMember } from '../people/people.ts'
import { rejected } from '../rejections.ts'
import type { Entry } from './entries.ts'
import type { WrittenTerms } from './terms.ts'

const CAP_PERIODS = ['day', 'week', 'month']

export async function changeCap(context: OperationContext, cap: Entry, written: WrittenTerms): Promise<void> {
  const { amount_usd, period, ...others } = written
  const [field] = Object.keys(others)
  if (field !== undefined) throw rejected('cap_terms', { field })
  if (period != null && !CAP_PERIODS.includes(period)) throw rejected('cap_terms', { field: `period '${period}'` })
  await setCap(context, cap, {
    ...(amount_usd === undefined ? {} : { cap_usd: amount_usd }),
    ...(period === undefined ? {} : { cap_period: period }),
  })
}

export const removeCap = (context: OperationContext, cap: Entry): Promise<void> =>
  setCap(context, cap, { cap_usd: null })

async function setCap(context: OperationContext, { kind, account, key, person }: Entry, terms: object): Promise<void> {
  if (kind === 'key') {
    await perform(limitKey, context, { key: String(key), ...terms })
  } else if (kind === 'account') {
    await perform(limitAccount, context, { account: String(account), ...terms })
  } else {
    const email = (await context.storage.people.names([person ?? 0n])).get(person ?? 0n)
    await perform(setMember, context, { account: String(account), email, ...terms })
  }
}
