// Warnings of a call: what was dropped or changed, and which model answers. Shown in a header and on the receipt.

import type { ResponseHeaders } from '@trivium/http/response.ts'
import { warningHeader } from '@trivium/protocol/canonical/warning.ts'
import type { Offer } from '../catalogue/catalogue.ts'

const HEADER = 'x-trivium-warnings'

/** The first warnings of an attempt. `own`: those that hold whichever candidate answers. */
export function warningsFor({ model }: Offer, wanted: Offer, own: readonly string[]): string[] {
  return model === wanted.model ? [...own] : [...own, `model;answered-by-${model.id}`]
}

/** Those of the current attempt: what an earlier one had to drop may not have been dropped in the end. */
export function showWarnings(warnings: readonly string[], headers: ResponseHeaders): void {
  if (warnings.length === 0) headers.remove(HEADER)
  else headers.set(HEADER, warningHeader(warnings))
}
