// Reads what is stored of responses: decrypted, and with its images.

import { isObject, type Json } from '@trivium/protocol/canonical/reading.ts'
import { codec } from '../bytes/codec.ts'
import type { Log } from '../observe/log.ts'
import type { StoredResponse, StoredTurn } from '../storage/responses.ts'
import { type ImageDependencies, withImages } from './images.ts'
import { open } from './sealed.ts'
import { inputOf, type StoredText, unpacked } from './stored-text.ts'

export type OpenDependencies = ImageDependencies & { log: Log }

/** All items of the turn, still without their images. undefined: it cannot be read any more, which is logged. */
export function openTurn(
  account: bigint,
  { id, turn }: StoredTurn,
  deps: OpenDependencies,
): ReturnType<typeof unpacked> | undefined {
  const plain = open({ account, id }, 'turn', turn, deps)
  return plain ? unpacked(plain) : unreadable(id, deps)
}

/** The text with its images. undefined as above. */
export async function complete(
  account: bigint,
  id: string,
  stored: StoredText,
  deps: OpenDependencies,
): Promise<Uint8Array | undefined> {
  return (await withImages(stored, { account, id }, deps).catch(() => undefined)) ?? unreadable(id, deps)
}

/** The response in JSON. undefined as above. */
export async function openRecord(stored: StoredResponse, deps: OpenDependencies): Promise<Uint8Array | undefined> {
  const { account, id, record } = stored
  const plain = open(stored, 'record', record, deps)
  return plain ? complete(account, id, unpacked(plain), deps) : unreadable(id, deps)
}

/** The items of the request. undefined as above. */
export async function inputItems(stored: StoredResponse, deps: OpenDependencies): Promise<Json[] | undefined> {
  const turn = openTurn(stored.account, stored, deps)
  const input = turn && (await complete(stored.account, stored.id, inputOf(turn), deps))
  return input && (JSON.parse(`[${codec.decode(input, 0, input.length)}]`) as Json[])
}

/** The items of the response. undefined as above. */
export async function outputItems(stored: StoredResponse, deps: OpenDependencies): Promise<Json[] | undefined> {
  const record = await openRecord(stored, deps)
  const response: unknown = record && JSON.parse(codec.decode(record, 0, record.length))
  return isObject(response) && Array.isArray(response.output) ? response.output : undefined
}

function unreadable(response: string, { log }: OpenDependencies): undefined {
  log.error('stored response cannot be read', { response })
}
