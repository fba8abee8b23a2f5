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

/** The most bytes of a name that a caller or an upstream chose, wherever the name is kept or repeated. */
const NAME_BYTES = 200
const CUT_MARK = '...'

/** The text as it is, or its first characters with a mark, in at most `most` bytes of UTF-8. */
export function shortText(text: string, most = NAME_BYTES): string {
  // No character of a string takes more than three bytes.
  if (text.length * 3 <= most || (text.length <= most && utf8Length(text) <= most)) return text
  // Built anew, character by character: a slice would keep the whole text in memory.
  let short = ''
  let bytes = CUT_MARK.length
  for (const character of text) {
    bytes += utf8Length(character)
    if (bytes > most) break
    short += String.fromCodePoint(character.codePointAt(0) ?? 0)
  }
  return short + CUT_MARK
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
