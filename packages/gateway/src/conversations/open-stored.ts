// Reads what is stored of responses: decrypted, and with its images.

import type { Json } from '@trivium/protocol/canonical/reading.ts'
import { codec } from '../bytes/codec.ts'
import type { StoredRecord, StoredTurn } from '../storage/responses.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { readImage, withImages } from './images.ts'
import { open, type Sealed } from './sealed.ts'
import { type CutImage, inputOf, putBack, type StoredText, unpacked } from './stored-text.ts'

/** All items of the turn, still without their images. undefined: it cannot be read any more, which is logged. */
export function openTurn(
  account: bigint,
  { id, turn }: StoredTurn,
  deps: ConversationDependencies,
): ReturnType<typeof unpacked> | undefined {
  const plain = open({ account, id }, 'turn', turn, deps)
  return plain ? unpacked(plain) : unreadable(id, deps)
}

/** The text with its images. undefined as above. */
export async function complete(
  account: bigint,
  id: string,
  stored: StoredText,
  deps: ConversationDependencies,
): Promise<Uint8Array | undefined> {
  return (await withImages(stored, { account, id }, deps).catch(() => undefined)) ?? unreadable(id, deps)
}

/** The response in JSON. undefined as above. */
export async function openRecord(
  stored: StoredRecord,
  deps: ConversationDependencies,
): Promise<Uint8Array | undefined> {
  const { account, id, record } = stored
  const plain = open(stored, 'record', record, deps)
  return plain ? complete(account, id, unpacked(plain), deps) : unreadable(id, deps)
}

/** `item` has an id in place of its image, which `readItem` reads: a long conversation may have more images than memory. */
export type ListedItem = { item: Json; owner: Sealed; images: readonly CutImage[] }

/** The items of the request. Empty: it cannot be read any more, which is logged. */
export function inputItems(stored: StoredTurn & Sealed, deps: ConversationDependencies): ListedItem[] {
  const turn = openTurn(stored.account, stored, deps)
  return turn ? listed(inputOf(turn), stored, (text) => JSON.parse(`[${text}]`)) : []
}

/** The items of the response. Empty as above. */
export function outputItems(stored: StoredRecord, deps: ConversationDependencies): ListedItem[] {
  const plain = open(stored, 'record', stored.record, deps)
  return plain
    ? listed(unpacked(plain), stored, (text) => JSON.parse(text).output)
    : (unreadable(stored.id, deps) ?? [])
}

function listed(stored: StoredText, { account, id }: Sealed, itemsIn: (text: string) => Json[]): ListedItem[] {
  const named = stored.images.map((image) => codec.encode(image.id))
  const text = putBack(stored, named)
  return itemsIn(codec.decode(text, 0, text.length)).map((item) => ({
    item,
    owner: { account, id },
    images: stored.images,
  }))
}

/** The item with its image. undefined: it cannot be read any more, which is logged. */
export async function readItem(
  { item, owner, images }: ListedItem,
  deps: ConversationDependencies,
): Promise<Json | undefined> {
  const image = images.find(({ id }) => id === item.result)
  if (!image) return item
  const base64 = await readImage(image, owner, deps).catch(() => undefined)
  return base64 ? { ...item, result: codec.decode(base64, 0, base64.length) } : unreadable(owner.id, deps)
}

function unreadable(response: string, { log }: ConversationDependencies): undefined {
  log.error('stored response cannot be read', { response })
}
