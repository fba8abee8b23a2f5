// What a client of this dialect keeps for us. A reasoning item is the only thing whose opaque text comes back, so it
// also carries what other dialects sign: a call, a text, reasoning that only their vendor can read. A word in front of
// the sealed value says which, since the item itself cannot.

const AFTER = 'after.'
const REDACTED = 'redacted.'

export type Carried =
  /** Of the reasoning in the same item. */
  | { of: 'reasoning'; value: string }
  /** Of the part that stands right before the item. */
  | { of: 'previous'; value: string }
  | { of: 'redacted'; value: string }

export function encodeCarried({ of, value }: Carried): string {
  if (of === 'reasoning') return value
  return of === 'previous' ? AFTER + value : REDACTED + value
}

export function decodeCarried(text: string): Carried {
  if (text.startsWith(AFTER)) return { of: 'previous', value: text.slice(AFTER.length) }
  if (text.startsWith(REDACTED)) return { of: 'redacted', value: text.slice(REDACTED.length) }
  return { of: 'reasoning', value: text }
}
