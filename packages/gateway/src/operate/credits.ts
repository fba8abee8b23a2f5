// Credit that an operator adds to an account or takes back, and how far it may spend beyond its balance.

import { formatCredit, formatUsd, type Nanos, UNLIMITED_CREDIT } from '../money/amount.ts'
import { fields, optional, text } from '../request/schema/schema.ts'
import { availableIn } from '../storage/storage.ts'
import { creditEffects } from './accounts/effects.ts'
import { shownAccount } from './accounts/rows.ts'
import { readAmount } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { ACCOUNT, CREDIT_LINE, NONZERO_AMOUNT } from './inputs/schemas.ts'
import { audited, type OperationContext, operation } from './operation.ts'
import { rejected } from './rejections.ts'
import { ACCOUNT_SHOWN } from './resources/accounts.ts'

export const creditAccount = operation({
  name: 'account credit',
  permission: 'money',
  isDangerous: true,
  route: {
    at: 'POST accounts/{account}/credits',
    summary:
      'Adds credit to an account, or removes it; repeated with the same Idempotency-Key or id, it is booked once',
    output: ACCOUNT_SHOWN,
    reference: 'id',
    example: { body: { amount_usd: '10', reason: 'invoice 42' } },
  },
  input: fields({
    account: ACCOUNT,
    /** A negative amount is taken back, never below what is available. */
    amount_usd: NONZERO_AMOUNT,
    reason: optional(text({ min: 0, max: 1_000 })),
    /** The operator's own id of this credit: repeated with the same terms, it is the same credit. */
    id: optional(text({ max: 200 })),
  }),
  async run(context, { account: named, amount_usd, reason = '', id }) {
    const account = await findAccount(context, named)
    const amount = readAmount(amount_usd)
    if (context.dryRun && amount < 0n && availableIn(account) < -amount)
      throw rejected('insufficient_balance', { account: account.name, amount: formatUsd(-amount) })
    const entry = {
      object: `account/${account.id}`,
      before: { balance_usd: formatUsd(account.balance) },
      after: { amount_usd: formatUsd(amount), ...(id === undefined ? {} : { id }) },
      reason,
      effects: creditEffects(account, amount),
    }
    const { accounts } = audited(context, 'account credit', entry)
    const isDone = await accounts.credit(account.id, amount, reason, id)
    if (isDone || (id !== undefined && (await isRepeated(context, id, { account: account.id, amount, reason }))))
      return await shownAccount(context, named)
    if (amount > 0n) throw rejected('balance_too_large', { field: 'amount_usd' })
    throw rejected('insufficient_balance', { account: account.name, amount: formatUsd(-amount) })
  },
})

/** Throws for a credit with the same id and other terms. */
async function isRepeated(
  { storage }: OperationContext,
  id: string,
  { account, amount, reason }: { account: bigint; amount: Nanos; reason: string },
): Promise<boolean> {
  const known = await storage.accounts.findCredit(id)
  if (!known) return false
  if (known.account === account && known.amount === amount && known.reason === reason) return true
  const terms = { account: String(known.account), amount: formatUsd(known.amount) }
  throw rejected('credit_differs', { field: 'id', id, ...terms })
}

export const setCreditLine = operation({
  name: 'account credit-line',
  permission: 'money',
  isDangerous: true,
  input: fields({ account: ACCOUNT, credit_line_usd: CREDIT_LINE }),
  async run(context, { account: named, credit_line_usd }) {
    const { id, creditLine } = await findAccount(context, named)
    const line = credit_line_usd === 'unlimited' ? UNLIMITED_CREDIT : readAmount(credit_line_usd)
    const entry = {
      object: `account/${id}`,
      before: { credit_line_usd: formatCredit(creditLine) },
      after: { credit_line_usd: formatCredit(line) },
    }
    await audited(context, 'account credit-line', entry).accounts.setTerms(id, { creditLine: line })
    return await shownAccount(context, named)
  },
})
