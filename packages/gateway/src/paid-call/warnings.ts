// Warnings of a call: what was dropped or changed, and which model answers. Shown in a header and on the receipt.

import type { ResponseHeaders } from '@trivium/http/response.ts'
import { warningHeader } from '@trivium/protocol/canonical/warning.ts'
import type { Offer } from '../catalogue/catalogue.ts'
import type { Model } from '../modalities/modality.ts'
import type { Kind, PaidRequest } from './paid-request.ts'

const HEADER = 'x-trivium-warnings'

/** The first warnings of an attempt. `own`: those that hold whichever candidate answers. */
export function warningsFor({ model }: Offer, wanted: Offer, own: readonly string[]): string[] {
  return model === wanted.model ? [...own] : [...own, `model;answered-by-${model.id}`]
}

/** Callers are told of the end of a model before it comes, and of what answers in its place from then on. */
export function warnOfRetirement({ offer, record, catalogue, ownWarnings }: PaidRequest<Kind>): void {
  const model = offer.model as Pick<Model, 'id' | 'retirement'>
  if (model.retirement) ownWarnings.push(`model;retires-${model.retirement.date}`)
  if (record.model === undefined || record.model === model.id) return
  if (catalogue.names.isRetired(record.model)) ownWarnings.push(`model;replaced-by-${model.id}`)
}

/** Those of the current attempt: what an earlier one had to drop may not have been dropped in the end. */
export function showWarnings(warnings: readonly string[], headers: ResponseHeaders): void {
  if (warnings.length === 0) headers.remove(HEADER)
  else headers.set(HEADER, warningHeader(warnings))
}
