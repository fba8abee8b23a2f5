// What a client of this dialect keeps for us. A reasoning item is the only thing whose opaque text comes back, so it
// also carries what other dialects sign: a call, a text, reasoning that only their vendor can read. A word in front of
// the sealed value says which, since the item itself cannot.

import type { ReplyContext } from '../../text-dialect.ts'

const AFTER = 'after.'
const REDACTED = 'redacted.'
const TEXT = 'text.'

export type Carried =
  /** Signs the reasoning in the same item. */
  | { of: 'reasoning'; value: string }
  /** Signs the part that stands right before the item. */
  | { of: 'previous'; value: string }
  | { of: 'redacted'; value: string }
  /** The text of the reasoning itself, of a service that signs none. */
  | { of: 'text'; value: string }

export function encodeCarried({ of, value }: Carried): string {
  if (of === 'reasoning') return value
  if (of === 'text') return TEXT + value
  return of === 'previous' ? AFTER + value : REDACTED + value
}

export function decodeCarried(text: string): Carried {
  if (text.startsWith(AFTER)) return { of: 'previous', value: text.slice(AFTER.length) }
  if (text.startsWith(REDACTED)) return { of: 'redacted', value: text.slice(REDACTED.length) }
  if (text.startsWith(TEXT)) return { of: 'text', value: text.slice(TEXT.length) }
  return { of: 'reasoning', value: text }
}

/** What the client carries of a reasoning item: its signature or, where the client asked for it, its text. */
export function encryptedReasoning(
  text: string,
  signature: string | undefined,
  { seal, sealReasoning }: Pick<ReplyContext, 'seal' | 'sealReasoning'>,
): string | undefined {
  if (signature !== undefined) return seal(signature)
  return sealReasoning && text !== '' ? encodeCarried({ of: 'text', value: seal(text) }) : undefined
}
