// Finds what a customer or a log names: a request by its id, a key by its secret or the end of it, of whichever account.

import { formatUsd } from '../../money/amount.ts'
import { showCharge, tokensIn } from '../../paid-call/receipts/show-charge.ts'
import { responseOf, showReceipt } from '../../paid-call/receipts/show-receipt.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { fields, optional, REQUEST_ID, textLike } from '../../request/schema/schema.ts'
import { keyRows } from '../key-rows.ts'
import { type OperationContext, operation, seesCosts } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { REQUEST_SHOWN } from '../resources/traffic.ts'

export const showRequest = operation({
  name: 'request show',
  permission: 'see',
  route: { at: 'GET requests/{request}', summary: 'Shows a request', output: REQUEST_SHOWN },
  input: fields({ request: REQUEST_ID }),
  async run({ storage, actor }, { request }) {
    const found = await storage.ledger.requestOfAny(parseRequestId(request) ?? 0n)
    if (!found) throw rejected('unknown_request', { request })
    const { account, row, upstreamCost } = found
    const withCosts = seesCosts(actor)
    const [owner, names, refunds] = await Promise.all([
      storage.accounts.find(account),
      storage.keys.names([row.key]),
      storage.refunds.of([row.request]),
    ])
    const shown = showReceipt(row, withCosts ? 'operator' : 'viewer')
    return {
      id: formatRequestId(row.request),
      account_id: String(account),
      account: owner?.name ?? null,
      key: names.get(row.key) ?? null,
      error_code: shown.error?.code ?? null,
      ...shown,
      // As the ledger has it: receipts lose their text after a while.
      ...(withCosts ? { upstream_cost_usd: upstreamCost === undefined ? null : formatUsd(upstreamCost) } : {}),
      ...tokensIn(shown.units),
      ...showCharge(row),
      response: responseOf(row),
      status: responseOf(row).status,
      refunded_usd: formatUsd(refunds.get(row.request) ?? 0n),
    }
  },
})

const MOST_KEYS = 100

export const findKeys = operation({
  name: 'key find',
  permission: 'see',
  input: fields({
    /** SHA-256 of the secret: who looks for a key does not have to send it. */
    hash: optional(textLike((value) => /^[0-9a-f]{64}$/.test(value), 'be the SHA-256 of a secret, in hexadecimal')),
    last_four: optional(textLike((value) => /^[\w-]{4}$/.test(value), 'be a whole secret or its last four characters')),
  }),
  /** Deleted and expired keys, too; by a former secret as long as it works. */
  async run(context, { hash, last_four }) {
    if ((hash === undefined) === (last_four === undefined))
      throw rejected('email_or_name', { field: 'hash', other: 'last_four' })
    const { keys } = context.storage
    const caller = hash === undefined ? undefined : await keys.findCaller(Buffer.from(hash, 'hex'))
    const ids = caller ? [caller.key] : []
    if (last_four !== undefined) ids.push(...(await keys.withLastFour(last_four, MOST_KEYS)).map(({ id }) => id))
    const rows = await Promise.all(ids.map((id) => foundKey(context, id)))
    return rows.flatMap((row) => row ?? [])
  },
})

async function foundKey({ storage }: OperationContext, id: bigint) {
  const found = await storage.keys.findWithAccount(id)
  if (!found) return []
  const { account, key } = found
  const rows = await keyRows(account.id, [key], storage)
  return rows.map((row) => ({ ...row, account: account.name }))
}
