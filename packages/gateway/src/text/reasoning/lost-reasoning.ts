import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { RoutedRequest } from '../request.ts'

/** The conversation has moved to an upstream that cannot use the reasoning of an earlier one. */
export function warnOfLostReasoning({ dialect, warnings }: Pick<RoutedRequest, 'dialect' | 'warnings'>): void {
  addWarning(warnings, dialect.fieldNames.pastReasoning ?? 'reasoning', 'dropped')
}
