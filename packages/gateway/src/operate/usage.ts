// The requests of an account, with their receipts as operators see them.

import { showReceipt, withinBytes } from '../paid-call/receipts/show-receipt.ts'
import { formatRequestId, parseRequestId } from '../request/ids.ts'
import { fields, optional, REQUEST_ID } from '../request/schema/schema.ts'
import { findAccount } from './inputs/find-account.ts'
import { ACCOUNT, LIMIT } from './inputs/schemas.ts'
import { operation } from './operation.ts'

/** The most bytes of receipts on one page. */
const MOST_BYTES = 4 * 1024 * 1024

export const listUsage = operation({
  name: 'usage',
  permission: 'see',
  input: fields({ account: ACCOUNT, after: optional(REQUEST_ID), limit: LIMIT }),
  /** Newest first. A page may be shorter than its limit although there are more: receipts can be long. */
  async run(context, { account, after: last, limit }) {
    const after = last === undefined ? undefined : parseRequestId(last)
    const { id } = await findAccount(context, account)
    const before = after === undefined ? {} : { before: after }
    const { rows, next } = await context.storage.spending.requests(id, before, limit)
    const page = withinBytes(rows, MOST_BYTES)
    const end = page.length < rows.length ? page.at(-1)?.request : next
    return {
      items: page.map((row) => showReceipt(row, 'operator')),
      next: end === undefined ? null : formatRequestId(end),
    }
  },
})
