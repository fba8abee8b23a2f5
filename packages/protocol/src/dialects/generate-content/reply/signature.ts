// Signatures for clients of this dialect. The field holds bytes, so what the gateway sends must be valid base64: the
// Python SDK rejects a whole answer over one that is not, and gives it back in the URL-safe alphabet.

import { standardBase64 } from '../../../canonical/media.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]))

/** For text of ASCII characters alone, which sealed signatures are. */
export function encodeAscii(text: string): string {
  let encoded = ''
  for (let at = 0; at < text.length; at += 3) {
    const left = text.length - at
    const bits =
      (text.charCodeAt(at) << 16) |
      ((left > 1 ? text.charCodeAt(at + 1) : 0) << 8) |
      (left > 2 ? text.charCodeAt(at + 2) : 0)
    encoded += ALPHABET.charAt((bits >> 18) & 63) + ALPHABET.charAt((bits >> 12) & 63)
    encoded += left > 1 ? ALPHABET.charAt((bits >> 6) & 63) : '='
    encoded += left > 2 ? ALPHABET.charAt(bits & 63) : '='
  }
  return encoded
}

/** Undefined when it is not base64, or not of printable ASCII: then it is not one of ours. */
export function decodeAscii(base64: string): string | undefined {
  const standard = standardBase64(base64)
  if (standard === undefined) return undefined
  let text = ''
  let bits = 0
  let count = 0
  for (const character of standard) {
    const value = VALUES.get(character)
    if (value === undefined) break
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    const code = (bits >> count) & 0xff
    if (code < 0x20 || code > 0x7e) return undefined
    text += String.fromCharCode(code)
  }
  return text
}

/** Marks reasoning that only its vendor can read: this dialect has no part for it. */
const REDACTED = 'redacted:'

export const signatureField = (sealed: string): string => encodeAscii(sealed)
export const redactedField = (sealed: string): string => encodeAscii(REDACTED + sealed)

export type DecodedSignature = { redacted: boolean; value: string }

/** What a client sent back: ours unwrapped, any other as it is. */
export function decodeSignatureField(field: string): DecodedSignature {
  const ours = decodeAscii(field)
  if (ours === undefined) return { redacted: false, value: standardBase64(field) ?? field }
  const redacted = ours.startsWith(REDACTED)
  return { redacted, value: redacted ? ours.slice(REDACTED.length) : ours }
}
