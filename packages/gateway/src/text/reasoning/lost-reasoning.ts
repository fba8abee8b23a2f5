import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'

/** The conversation has moved to an upstream that cannot use the reasoning of an earlier one. */
export function warnOfLostReasoning({ fieldNames }: TextDialect, warnings: string[]): void {
  addWarning(warnings, fieldNames.pastReasoning ?? 'reasoning', 'dropped')
}
