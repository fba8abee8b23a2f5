// The receipt as it is stored: everything that a charge can be recomputed from. show-receipt.ts reads it.

import { utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import { WARNINGS_CUT } from '@trivium/protocol/canonical/warning.ts'
import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import type { Offer } from '../../catalogue/catalogue.ts'
import { formatUsd } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { priceText } from '../../money/prices/receipt.ts'
import type { AttemptFacts } from '../../observe/upstream-attempt.ts'
import type { CallResult } from '../outcome.ts'
import type { PaidRequest } from '../paid-request.ts'

const STOPPED = 'output;stopped-by-balance'

/** All that is known of a task at its end. */
export type ReceiptedCall = Pick<PaidRequest, 'failedAttempts' | 'firstOutputAt' | 'startedAt' | 'budgetsText'> & {
  attempt: {
    offer: Pick<Offer, 'group' | 'priceVersion'> & {
      /** Absent: a task of a version that did not keep it. */
      configuration?: string | undefined
      model: { id: string }
      rate: Pick<AnyPrice, 'multiplierMillionths'>
    }
    candidate: { route: { model: string }; upstream: { id: string } }
    warnings: readonly string[]
  }
}

/** `requestId`: of the upstream's response. `message`: as the client got it. */
export type ReceiptError = AttemptFacts & {
  code: string
  requestId: string | undefined
  message?: string | undefined
}
const LONGEST_MESSAGE = 200

export const shortMessage = (message: string): string => message.slice(0, LONGEST_MESSAGE).toWellFormed()

/** As the caller and the vendor name the request: its record has them. */
export type OtherIds = { client: string | undefined; upstream: string | undefined }

export function receiptOf(
  call: ReceiptedCall,
  result: CallResult,
  totalMs: number,
  error?: ReceiptError,
  ids?: OtherIds,
): string {
  const { failedAttempts, firstOutputAt } = call
  const { offer, candidate, warnings: given } = call.attempt
  const { outcome, charges, upstreamCost } = result
  const said = outcome === 'stopped_by_balance' ? [...given, STOPPED] : given
  const warnings = said.length > 1 ? [...new Set(said)] : said
  // Concatenated by hand: every request has a receipt, and most have few of these members.
  let text = `{${ids ? idsText(ids) : ''}"group":${jsonText(offer.group)},"upstream_model":${jsonText(candidate.route.model)}`
  if (offer.configuration !== undefined) text += `,"configuration":${offer.configuration}`
  if (failedAttempts) {
    // The ledger's row names the upstream and the model that were tried first.
    text += `,"attempts":${JSON.stringify(failedAttempts)},"upstream":${jsonText(candidate.upstream.id)}`
    text += `,"model":${jsonText(offer.model.id)}`
  }
  if (charges.length > 0) text += `,"units":{${unitsText(charges)}}`
  if (result.details !== undefined) text += result.details
  if (call.budgetsText !== undefined) text += call.budgetsText
  if (error) {
    const { code, status, requestId: upstream_request_id, message, ...facts } = error
    const shown = message === undefined ? undefined : shortMessage(message)
    text += `,"error":${JSON.stringify({ code, status, upstream_request_id, message: shown, ...facts })}`
  }
  if (firstOutputAt !== undefined) text += `,"first_token_ms":${Math.round(firstOutputAt - call.startedAt)}`
  text += `,"total_ms":${Math.round(totalMs)}`
  if (warnings.length > 0) text += `,"warnings":${warningsText(warnings)}`
  if (upstreamCost !== undefined) text += `,"upstream_cost":"${formatUsd(upstreamCost)}"`
  if (charges.length > 0) text += `,"price":${priceText(offer.priceVersion, charges, offer.rate.multiplierMillionths)}`
  return `${text}}`
}

function unitsText(charges: CallResult['charges']): string {
  let text = ''
  for (const { units } of charges) text += `${text && ','}${units}`
  return text
}

/** Indexes find requests by them: they come first, in this order (migrations/version-3/request-ids-*.sql). */
function idsText({ client, upstream }: OtherIds): string {
  if (client === undefined) return upstream === undefined ? '' : `"ids":{"upstream":${jsonText(upstream)}},`
  const rest = upstream === undefined ? '' : `,"upstream":${jsonText(upstream)}`
  return `"ids":{"client":${jsonText(client)}${rest}},`
}

/** Everything else on a receipt is a handful of bounded names and numbers, so that all of it stays within 16 KiB. */
const MOST_WARNING_BYTES = 8 * 1024

function warningsText(warnings: readonly string[]): string {
  const text = JSON.stringify(warnings)
  if (text.length * 3 <= MOST_WARNING_BYTES) return text
  const kept: string[] = []
  let bytes = 0
  for (const warning of warnings) {
    // In JSON a control character takes six bytes.
    bytes += utf8Length(JSON.stringify(warning)) + 1
    if (bytes > MOST_WARNING_BYTES) return JSON.stringify([...kept, WARNINGS_CUT])
    kept.push(warning)
  }
  return text
}
