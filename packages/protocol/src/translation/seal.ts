// Signatures of reasoning, as clients carry them when the host has no cipher: marked with the dialect that can use them, since an
// upstream of another one rejects them.

import { SEAL_PREFIX } from '../canonical/seal.ts'
import type { Warn } from '../canonical/warning.ts'
import type { TextDialectId } from '../dialects/index.ts'

const markOf = (dialect: TextDialectId): string => `${SEAL_PREFIX}${dialect}.`

export const ownSeal =
  (upstream: TextDialectId) =>
  (signature: string): string =>
    markOf(upstream) + signature

export function ownUnseal(signature: string, upstream: TextDialectId, warn: Warn): string | undefined {
  const mark = markOf(upstream)
  if (!signature.startsWith(mark)) {
    warn('pastReasoning', 'dropped')
    return undefined
  }
  // An empty value marks reasoning that had no signature: nothing is sent back for it.
  return signature.slice(mark.length) || undefined
}
