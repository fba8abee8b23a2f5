// Credit that an operator adds to an account or takes back, and how far it may spend beyond its balance.

import { formatCredit, formatUsd, UNLIMITED_CREDIT } from '../money/amount.ts'
import { fields, optional, text } from '../request/schema/schema.ts'
import { shownAccount } from './accounts.ts'
import { readAmount } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { ACCOUNT, CREDIT_LINE, NONZERO_AMOUNT } from './inputs/schemas.ts'
import { audited, operation } from './operation.ts'
import { rejected } from './rejections.ts'

export const creditAccount = operation({
  name: 'account credit',
  permission: 'money',
  input: fields({
    account: ACCOUNT,
    /** A negative amount is taken back, never below what is available. */
    amount_usd: NONZERO_AMOUNT,
    reason: optional(text({ min: 0, max: 1_000 })),
  }),
  async run(context, { account: named, amount_usd, reason = '' }) {
    const account = await findAccount(context, named)
    const amount = readAmount(amount_usd)
    const entry = { object: `account/${account.id}`, after: { amount_usd: formatUsd(amount) }, reason }
    const { accounts } = audited(context, 'account credit', entry)
    if (await accounts.credit(account.id, amount, reason)) return await shownAccount(context, named)
    if (amount > 0n) throw rejected('balance_too_large', { field: 'amount_usd' })
    throw rejected('insufficient_balance', { account: account.name, amount: formatUsd(-amount) })
  },
})

export const setCreditLine = operation({
  name: 'account credit-line',
  permission: 'money',
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
