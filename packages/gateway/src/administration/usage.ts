// The requests of an account, with their receipts as operators see them.

import { showReceipt, withinBytes } from '../paid-call/receipts/show-receipt.ts'
import { formatRequestId, parseRequestId } from '../request/ids.ts'
import { ACCOUNT, BEFORE, closed, LIMIT } from './inputs/fields.ts'
import { findAccount } from './inputs/find-account.ts'
import { operation } from './operation.ts'
import { rejected } from './rejections.ts'

/** Of the receipts on one page. */
const MOST_BYTES = 4 * 1024 * 1024

export const listUsage = operation({
  name: 'usage',
  permission: 'see',
  input: closed({
    account: ACCOUNT,
    before: BEFORE,
    limit: LIMIT,
  }),
  /** Newest first. A page may be shorter than its limit although there are more: receipts can be long. */
  async run(context, { account, before, limit }) {
    const after = before === undefined ? undefined : parseRequestId(before)
    if (before !== undefined && after === undefined)
      throw rejected('malformed', { field: 'before', wanted: 'the id of a request' })
    const { id } = await findAccount(context, account)
    const rows = await context.storage.ledger.usage(id, limit, after)
    const page = withinBytes(rows, MOST_BYTES)
    const last = page.at(-1)
    const isLast = last === undefined || (page.length === rows.length && rows.length < limit)
    return {
      items: page.map((row) => showReceipt(row, 'operator')),
      next: isLast ? null : formatRequestId(last.request),
    }
  },
})
