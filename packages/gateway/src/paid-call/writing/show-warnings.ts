import type { ResponseHeaders } from '@trivium/http/response.ts'
import { warningHeader } from '@trivium/protocol/canonical/warning.ts'

const HEADER = 'x-trivium-warnings'

/** Those of the current attempt: what an earlier one had to drop may not have been dropped in the end. */
export function showWarnings(warnings: readonly string[], headers: ResponseHeaders): void {
  if (warnings.length === 0) headers.remove(HEADER)
  else headers.set(HEADER, warningHeader(warnings))
}
