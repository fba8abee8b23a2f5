// Text documents come as base64 from dialects that know only files. This package has no decoder of its host's.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter.charCodeAt(0), value]))

/** Standard base64 of UTF-8 as text; undefined when the bytes are no UTF-8. */
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
