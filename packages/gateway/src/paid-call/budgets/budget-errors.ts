// A request that a hard budget rejects, in words that its caller can act on.
import { contactText } from '../../access/contact.ts'
import type { FileConfig } from '../../config/types.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'
import { periodEnd } from '../../money/budgets/budget.ts'
import { budgetSubject, budgetWords } from '../../money/budgets/words.ts'
import { Failure } from '../../request/failure.ts'
import type { Budget } from '../../storage/storage.ts'
import type { BudgetLists } from './budget-lists.ts'

export type Reached = {
  /** undefined: it was deleted, or made a moment ago. */
  budget: Budget | undefined
  /** Money that is left under it. */
  available: Nanos
  /** The least that the request needs. */
  minimum: Nanos
  config: Pick<FileConfig, 'server' | 'console'>
}
type Parts = { budgets: Pick<BudgetLists, 'noteRejection'>; clock(): number }

/** Other keys of the account may have room under budgets of the others. */
const OF_KEY: readonly Budget['kind'][] = ['key', 'key_model', 'member']

/** There is no retry-after: a period ends after hours at the soonest. Of a budget across accounts a caller does not learn any amount. */
export function budgetFailure({ budget, available, minimum, config }: Reached, parts: Parts): Failure {
  parts.budgets.noteRejection(budget?.kind ?? 'account')
  const needed = `this request needs at least ${formatUsd(minimum)} USD.`
  if (!budget) {
    const amounts = `Available: ${formatUsd(available)} USD; ${needed}`
    const text = `This request would exceed a budget of the account. ${amounts}${contactText(config)}`
    return new Failure('account_quota_exceeded', text)
  }
  const isShared = budget.account === undefined
  const words = isShared ? `the budget of ${budgetSubject(budget)}` : budgetWords(budget, { isOwnKey: true })
  const amounts = isShared ? '' : ` Available: ${formatUsd(available)} USD; ${needed}`
  const end = periodEnd(budget, parts.clock())
  const anew = end === undefined ? '' : ` It begins anew at ${new Date(end).toISOString().replace('.000Z', 'Z')}.`
  // Who set it says whom to ask, or the operator is named; of a holder's own budget the operator knows nothing.
  const ask = budget.text !== '' ? ` ${budget.text}` : budget.setBy === 'operator' ? contactText(config) : ''
  const code = OF_KEY.includes(budget.kind) ? 'key_quota_exceeded' : 'account_quota_exceeded'
  return new Failure(code, `This request would exceed ${words}.${amounts}${anew}${ask}`)
}
