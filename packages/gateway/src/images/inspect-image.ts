// What an image is, by its content: uploads are trusted neither in their name nor in their content type. Only the beginning
// is read, and the decoder runs on a thread of its own, so that neither memory nor the event loop depends on the upload.

export type InspectedImage = { type: ImageType; width: number; height: number }
export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp'

/** A few hundred bytes of a file can decode to gigabytes of pixels. */
export const MOST_PIXELS = 64_000_000

/** Dimensions stand near the beginning; a JPEG may have color profiles and previews before them. */
const PREFIXES: readonly number[] = [64 * 1024, 512 * 1024, 2 * 1024 * 1024]

const FORMATS: Readonly<Record<string, ImageType>> = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' }

/**
 * undefined: not a PNG, JPEG or WebP image, or one without readable dimensions. `too_many_pixels`: an image of one of these
 * types with more than `mostPixels`. Never throws for what the content is.
 */
export async function inspectImage(
  image: Uint8Array | Blob,
  mostPixels: number = MOST_PIXELS,
): Promise<InspectedImage | 'too_many_pixels' | undefined> {
  const size = image instanceof Blob ? image.size : image.length
  for (const length of PREFIXES) {
    const prefix = await prefixOf(image, length)
    const format = formatOf(prefix)
    if (format === undefined) return undefined
    const found = await decodeHeader(prefix, format, mostPixels)
    if (found || length >= size) return found
  }
  return undefined
}

async function prefixOf(image: Uint8Array | Blob, length: number): Promise<Uint8Array> {
  return image instanceof Blob ? image.slice(0, length).bytes() : image.subarray(0, length)
}

/** By its first bytes alone, so that no other format reaches a decoder. */
function formatOf(prefix: Uint8Array): string | undefined {
  const startsWith = (at: number, bytes: readonly number[]) => bytes.every((byte, index) => prefix[at + index] === byte)
  if (startsWith(0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png'
  if (startsWith(0, [0xff, 0xd8, 0xff])) return 'jpeg'
  const isRiff = startsWith(0, [0x52, 0x49, 0x46, 0x46])
  return isRiff && startsWith(8, [0x57, 0x45, 0x42, 0x50]) ? 'webp' : undefined
}

async function decodeHeader(prefix: Uint8Array, format: string, maxPixels: number) {
  try {
    const found = await new Bun.Image(prefix, { maxPixels, autoOrient: false }).metadata()
    const type = found.format === format ? FORMATS[format] : undefined
    const { width, height } = found
    return type && width > 0 && height > 0 ? { type, width, height } : undefined
  } catch (error) {
    return codeOf(error) === 'ERR_IMAGE_TOO_MANY_PIXELS' ? ('too_many_pixels' as const) : undefined
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
