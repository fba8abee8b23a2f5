// One act on many accounts: disable, enable, limit, credit, credit line.
import { fields, idOf, list, optional, text, word } from '../../request/schema/schema.ts'
import { shownAccount } from '../accounts/rows.ts'
import { ACCOUNT_FILTER, disableAccount, enableAccount, limitAccount, listAccounts } from '../accounts.ts'
import { creditAccount, setCreditLine } from '../credits.ts'
import { CAP, CREDIT_LINE, LIMITS, NONZERO_AMOUNT } from '../inputs/schemas.ts'
import { need, type Operation, operation, perform } from '../operation.ts'
import { checked } from '../rejections.ts'
import { BULK_RESULT } from '../resources/accounts.ts'
import { hasTerms, idsOf, MOST_AT_ONCE, runBulk } from './bulk.ts'

const ACTS = {
  disable: disableAccount,
  enable: enableAccount,
  limit: limitAccount,
  credit: creditAccount,
  credit_line: setCreditLine,
} as const

export const changeAccounts = operation({
  name: 'account bulk',
  permission: 'see',
  isDangerous: true,
  route: {
    at: 'POST accounts/bulk',
    summary: 'Changes up to 200 accounts in the same way; a dry run says how many would change',
    output: BULK_RESULT,
    reference: 'id',
    example: { body: { accounts: ['1', '2'], act: 'limit', terms: { limits: { rpm: 600 } } } },
  },
  input: fields({
    accounts: optional(list(idOf('an account'), MOST_AT_ONCE)),
    /** In place of ids: what the list of accounts takes. It must match no more than can be changed at once. */
    filter: optional(fields(ACCOUNT_FILTER)),
    act: word('disable', 'enable', 'limit', 'credit', 'credit_line'),
    /** What the act takes besides the account. */
    terms: optional(
      fields({
        ...CAP,
        limits: optional(LIMITS),
        amount_usd: optional(NONZERO_AMOUNT),
        credit_line_usd: optional(CREDIT_LINE),
      }),
    ),
    /** Repeated with the same id, each account gets its credit once. */
    id: optional(text({ max: 150 })),
  }),
  async run(context, { accounts, filter, act, terms = {}, id }) {
    const performed: Operation = ACTS[act]
    need(context.actor, act === 'credit' || act === 'credit_line' ? 'money' : 'accounts')
    if (act === 'limit' && (terms.cap_usd !== undefined || terms.cap_period !== undefined)) need(context.actor, 'money')
    // What is wrong with the terms is wrong for all of them.
    checked(performed.input, { account: '1', ...terms })
    const read =
      filter && ((after?: string) => perform(listAccounts, context, { ...filter, ...(after ? { after } : {}) }))
    const reason = act === 'credit' && context.reason ? { reason: context.reason } : {}
    return await runBulk(context, {
      action: 'account bulk',
      object: 'accounts',
      ids: await idsOf('accounts', accounts, read),
      operation: performed,
      terms: { act, ...terms },
      inputOf: (account) => ({
        account,
        ...terms,
        ...reason,
        ...(id !== undefined && act === 'credit' ? { id: `${id} ${account}` } : {}),
      }),
      async isAlready(account) {
        if (act === 'credit') return false
        const { deleted_at, ...row } = await shownAccount(context, account)
        // What is deleted is rejected by the operation, which says why.
        if (deleted_at !== null) return false
        return act === 'limit' || act === 'credit_line' ? hasTerms(row, terms) : row.disabled === (act === 'disable')
      },
    })
  },
})
