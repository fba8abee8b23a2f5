// Credit that an operator adds to an account or takes back, and how far it may spend beyond its balance.

import Type from 'typebox'
import { formatCredit, formatUsd, type Nanos, parseUsd, UNLIMITED_CREDIT } from '../money/amount.ts'
import { shownAccount } from './accounts.ts'
import { ACCOUNT, AMOUNT, closed, readAmount } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { audited, operation } from './operation.ts'
import { rejected } from './rejections.ts'

export const creditAccount = operation({
  name: 'account credit',
  permission: 'money',
  input: closed({
    account: ACCOUNT,
    /** A negative amount is taken back, never below what is available. */
    amount_usd: AMOUNT,
    reason: Type.Optional(Type.String({ maxLength: 1_000 })),
  }),
  async run(context, { account: named, amount_usd, reason = '' }) {
    const account = await findAccount(context, named)
    const amount = readAmount('amount_usd', amount_usd)
    if (amount === 0n) throw rejected('zero', { field: 'amount_usd' })
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
  input: closed({
    account: ACCOUNT,
    /** An amount, or `unlimited`; 0: none. */
    credit_line_usd: AMOUNT,
  }),
  async run(context, { account: named, credit_line_usd }) {
    const { id, creditLine } = await findAccount(context, named)
    const line = readLine(credit_line_usd)
    const entry = {
      object: `account/${id}`,
      before: { credit_line_usd: formatCredit(creditLine) },
      after: { credit_line_usd: formatCredit(line) },
    }
    await audited(context, 'account credit-line', entry).accounts.setTerms(id, { creditLine: line })
    return await shownAccount(context, named)
  },
})

function readLine(written: string): Nanos {
  const line = written === 'unlimited' ? UNLIMITED_CREDIT : parseUsd(written)
  if (line !== undefined && line >= 0n) return line
  throw rejected('malformed', { field: 'credit_line_usd', wanted: "an amount in USD such as 500, or 'unlimited'" })
}
