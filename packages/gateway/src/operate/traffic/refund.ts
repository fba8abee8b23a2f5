// Refunds: an operator gives back what a request cost, or a part of it, as a credit that names the request.
import { formatUsd } from '../../money/amount.ts'
import { HELD, REAPED } from '../../money/book.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { fields, optional, REQUEST_ID, text } from '../../request/schema/schema.ts'
import { readAmount } from '../inputs/fields.ts'
import { POSITIVE_AMOUNT } from '../inputs/schemas.ts'
import { audited, type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { showRequest } from '../reports/find.ts'
import { REQUEST_SHOWN } from '../resources/traffic.ts'

export const refundRequest = operation({
  name: 'request refund',
  permission: 'money',
  isDangerous: true,
  route: {
    at: 'POST requests/{request}/refund',
    summary: 'Refunds the cost of a request, or a part of it',
    output: REQUEST_SHOWN,
    reference: 'id',
    example: { body: { reason: 'The response was cut off.' } },
  },
  input: fields({
    request: REQUEST_ID,
    /** Absent: all that is left of what was charged. */
    amount_usd: optional(POSITIVE_AMOUNT),
    /** Required; a dry run does not need it yet. */
    reason: optional(text({ max: 500 })),
    /** The operator's own id of this refund: repeated with the same terms, it is the same refund. */
    id: optional(text({ max: 200 })),
  }),
  async run(context, { request, amount_usd, reason: why = '', id: reference }) {
    if (!context.dryRun && why.trim() === '') throw rejected('malformed', { field: 'reason', must: 'say why' })
    const { account, left, charged, refunded, row } = await chargeOf(context, request)
    const reason = `refund of ${formatRequestId(row.request)}: ${why}`
    const wanted = amount_usd === undefined ? undefined : readAmount(amount_usd)
    const terms = { account: account.id, amount: wanted, reason }
    if (await isRepeated(context, reference, terms)) return await showRequest.run(context, { request })
    const amount = wanted ?? left
    if (left === 0n || amount > left) throw tooMuch(request, { charged, refunded })
    const entry = {
      object: `request/${request}`,
      before: { refunded_usd: formatUsd(refunded) },
      after: { refunded_usd: formatUsd(refunded + amount), amount_usd: formatUsd(amount), account: account.name },
      reason: why,
      effects: { refund_usd: formatUsd(amount), balance_after_usd: formatUsd(account.balance + amount) },
    }
    const { refunds } = audited(context, 'request refund', entry)
    const isBooked = await refunds.book({ request: row.request, account: account.id, amount, reason, reference })
    if (!isBooked && !(await isRepeated(context, reference, terms))) {
      const now = await chargeOf(context, request)
      throw amount > now.left ? tooMuch(request, now) : rejected('balance_too_large', { field: 'amount_usd' })
    }
    return await showRequest.run(context, { request })
  },
})

/** Only of a request that has ended for good. */
async function chargeOf({ storage }: OperationContext, request: string) {
  const found = await storage.ledger.requestOfAny(parseRequestId(request) ?? 0n)
  const account = found && (await storage.accounts.find(found.account))
  if (!found || !account) throw rejected('unknown_request', { request })
  const { row } = found
  if (row.state === HELD) throw rejected('request_running', { request })
  if (row.state === REAPED) throw rejected('cost_not_final', { request, account: account.name })
  const refunded = (await storage.refunds.of([row.request])).get(row.request) ?? 0n
  return { row, account, charged: row.cost, refunded, left: row.cost - refunded }
}

/** Throws for another credit with the same reference. */
async function isRepeated(
  { storage }: OperationContext,
  reference: string | undefined,
  { account, amount, reason }: { account: bigint; amount: bigint | undefined; reason: string },
): Promise<boolean> {
  const known = reference === undefined ? undefined : await storage.accounts.findCredit(reference)
  if (reference === undefined || !known) return false
  if (known.account === account && known.reason === reason && (amount ?? known.amount) === known.amount) return true
  const terms = { account: String(known.account), amount: formatUsd(known.amount) }
  throw rejected('credit_differs', { field: 'id', id: reference, ...terms })
}

const tooMuch = (request: string, { charged, refunded }: { charged: bigint; refunded: bigint }) =>
  rejected('refund_too_large', {
    field: 'amount_usd',
    request,
    charged: formatUsd(charged),
    refunded: formatUsd(refunded),
    left: formatUsd(charged - refunded),
  })
