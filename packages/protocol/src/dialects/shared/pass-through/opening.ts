// What a conversation begins with. It stays the same however the conversation grows, so that all its requests can be
// brought to the same upstream: reasoning that a model gives out encrypted, or signed, are of use only where they were made.

import type { CanonicalRequest } from '../../../canonical/request.ts'

/** Characters. Conversations that begin alike for so long share a prompt cache, and may well share an upstream. */
export const OPENING = 1_024

/**
 * The first words of the first user, not the instructions before them: those are the same in many conversations.
 * Undefined where there are none, or the answers hold no such reasoning: no reasoning was requested, and no calls of tools
 * can carry any.
 */
export function openingOf(request: CanonicalRequest, asksForReasoning = false): string | undefined {
  const { reasoning, tools, hostedTools, turns } = request
  const mayThink = asksForReasoning || Object.keys(reasoning).length + tools.length + hostedTools.length > 0
  if (!mayThink) return undefined
  const first = turns.find(({ role }) => role === 'user')
  let words = ''
  for (const part of first?.parts ?? []) if (part.type === 'text') words += part.text
  return words === '' ? undefined : words.slice(0, OPENING)
}
