// Text as bytes and back. This package has no encoder of its host's.

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // Each half of a surrogate pair counts two of the pair's four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}

/** For short texts. Half a surrogate pair, which has no bytes, is the sign for what cannot be read. */
export function utf8Bytes(text: string): number[] {
  const escaped = encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))
  const bytes: number[] = []
  for (let at = 0; at < escaped.length; at++) {
    const isEscape = escaped[at] === '%'
    bytes.push(isEscape ? Number.parseInt(escaped.slice(at + 1, at + 3), 16) : escaped.charCodeAt(at))
    if (isEscape) at += 2
  }
  return bytes
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter.charCodeAt(0), value]))

/** Standard base64 of UTF-8 as text, as text documents come from dialects that know only files; undefined when the bytes are no UTF-8. */
export function textOfBase64(base64: string): string | undefined {
  const pieces: string[] = []
  let escaped = ''
  let bits = 0
  let count = 0
  for (let at = 0; at < base64.length; at++) {
    const value = VALUES.get(base64.charCodeAt(at))
    if (value === undefined) break
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    const byte = (bits >> count) & 0xff
    escaped += `%${byte < 16 ? '0' : ''}${byte.toString(16)}`
    // In pieces that end between characters, or a long text would be held three times over.
    if (escaped.length < 30_000 || byte >= 0x80) continue
    const piece = decoded(escaped)
    if (piece === undefined) return undefined
    pieces.push(piece)
    escaped = ''
  }
  const last = decoded(escaped)
  return last === undefined ? undefined : pieces.join('') + last
}

function decoded(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return undefined
  }
}
