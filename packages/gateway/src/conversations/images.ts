// Images of the image tool are stored by themselves: as media, encrypted for their account, as long as the response that they belong to.

import type { Json } from '@trivium/protocol/canonical/reading.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { open, type Sealed, seal } from './sealed.ts'
import { type CutImage, putBack, type StoredImage, type StoredText } from './stored-text.ts'

export const IMAGE_ITEM = 'image_generation_call'
/** Shorter ones stay where they are. */
const SHORTEST = 4_096
/** Until the response is stored, which then decides how long they are kept. If it never is, they expire. */
const UNTIL_STORED_MS = 3_600_000
/** Types of media that are not encrypted are shown by browsers; nothing ever signs a URL of these. */
const CONTENT_TYPE = 'application/octet-stream'

/** The items with the ids of stored images in place of the images. */
export async function storeImages(
  items: readonly Json[],
  owner: Sealed,
  deps: ConversationDependencies,
): Promise<{ items: Json[]; images: StoredImage[] }> {
  const stored = items.map((item) => storeImage(item, owner, deps))
  const images = (await Promise.all(stored)).map((image, index) => ({ image, item: items[index] ?? {} }))
  return {
    items: images.map(({ image, item }) => (image ? { ...item, result: image.id } : item)),
    images: images.flatMap(({ image }) => image ?? []),
  }
}

async function storeImage(
  { type, result }: Json,
  owner: Sealed,
  deps: ConversationDependencies,
): Promise<StoredImage | undefined> {
  if (type !== IMAGE_ITEM || typeof result !== 'string' || result.length < SHORTEST) return undefined
  const bytes = Buffer.from(result, 'base64')
  // It must come back exactly.
  if (bytes.toString('base64') !== result) return undefined
  const sealed = seal(owner, 'image', bytes, deps)
  const object = { owner: owner.account, contentType: CONTENT_TYPE, keepMs: UNTIL_STORED_MS }
  const { id, size } = await deps.mediaStore.put(sealed, object)
  return { id, size, length: result.length }
}

/** The text with its images. undefined: one of them cannot be read any more. Rejects if the media are not available. */
export async function withImages(
  stored: StoredText,
  owner: Sealed,
  deps: ConversationDependencies,
): Promise<Uint8Array | undefined> {
  if (stored.images.length === 0) return stored.text
  const read = await Promise.all(stored.images.map((image) => readImage(image, owner, deps)))
  const images = read.flatMap((image) => image ?? [])
  return images.length < read.length ? undefined : putBack(stored, images)
}

/** In base64. undefined: it cannot be read any more. Rejects if the media are not available. */
export async function readImage(
  image: CutImage,
  owner: Sealed,
  deps: ConversationDependencies,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  for await (const piece of deps.mediaStore.read(image)) pieces.push(piece)
  const bytes = open(owner, 'image', Buffer.concat(pieces), deps)
  return bytes && Buffer.from(Buffer.from(bytes).toString('base64'), 'latin1')
}
