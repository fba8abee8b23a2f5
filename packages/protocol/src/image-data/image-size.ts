// The type and the dimensions of an image by its first bytes. Nothing is decoded: a file may be damaged further on.

export type ImageHead = { mediaType: 'image/png' | 'image/jpeg' | 'image/webp'; width: number; height: number }

/** So many bytes tell the dimensions of nearly every file; a JPEG may have metadata of any length before them. */
export const HEAD_BYTES = 64 * 1024

/** Undefined: none of these types, or the dimensions are not in these bytes. */
export function readImageHead(bytes: Uint8Array): ImageHead | undefined {
  const head = readPng(bytes) ?? readWebp(bytes) ?? readJpeg(bytes)
  return head !== undefined && head.width > 0 && head.height > 0 ? head : undefined
}

const hasText = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

const big16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
const big32 = (bytes: Uint8Array, at: number): number => big16(bytes, at) * 65_536 + big16(bytes, at + 2)
const little16 = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
const little24 = (bytes: Uint8Array, at: number): number => little16(bytes, at) | ((bytes[at + 2] ?? 0) << 16)

function readPng(bytes: Uint8Array): ImageHead | undefined {
  if (bytes.length < 24 || !hasText(bytes, 0, '\x89PNG\r\n\x1a\n') || !hasText(bytes, 12, 'IHDR')) return undefined
  return { mediaType: 'image/png', width: big32(bytes, 16), height: big32(bytes, 20) }
}

/** Three forms: lossy, lossless, and one with features such as transparency. */
function readWebp(bytes: Uint8Array): ImageHead | undefined {
  if (bytes.length < 30 || !hasText(bytes, 0, 'RIFF') || !hasText(bytes, 8, 'WEBP')) return undefined
  const mediaType = 'image/webp'
  if (hasText(bytes, 12, 'VP8X')) return { mediaType, width: little24(bytes, 24) + 1, height: little24(bytes, 27) + 1 }
  if (hasText(bytes, 12, 'VP8 '))
    return { mediaType, width: little16(bytes, 26) & 0x3fff, height: little16(bytes, 28) & 0x3fff }
  if (!hasText(bytes, 12, 'VP8L')) return undefined
  const [first, second] = [little16(bytes, 21), little24(bytes, 22) >> 6]
  return { mediaType, width: (first & 0x3fff) + 1, height: (second & 0x3fff) + 1 }
}

/** The dimensions stand in the frame header, behind segments of other kinds. */
function readJpeg(bytes: Uint8Array): ImageHead | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    // Bytes that fill, and markers without content.
    if (marker === 0xff) at++
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2
    else if (isFrame(marker))
      return { mediaType: 'image/jpeg', width: big16(bytes, at + 7), height: big16(bytes, at + 5) }
    else at += 2 + Math.max(2, big16(bytes, at + 2))
  }
  return undefined
}

/** Start of frame, of every kind; three markers between them mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
