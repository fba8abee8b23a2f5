// Items that a request only names, by their ids. A name is short and what it stands for may be long, so how much a request names is
// known before anything of it is put together.

import type { Client } from '@trivium/http/request.ts'
import { continuedItem } from '@trivium/protocol/dialects/responses/state/stored-response.ts'
import { visibleKey } from '../access/visible-key.ts'
import { codec } from '../bytes/codec.ts'
import { Failure } from '../request/failure.ts'
import { inTurn, MEASURED_BYTES, type Turns } from '../request/turns.ts'
import type { StoredRecord } from '../storage/responses.ts'
import type { Caller } from '../storage/storage.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { type ListedItem, outputItems, readItem } from './open-stored.ts'

export type NamedItems = {
  /** The bytes of all items, as often as each of them is named. */
  bytes: number
  /** The items as JSON, by their ids. */
  read(): Promise<ReadonlyMap<string, Uint8Array>>
}

/** How what is stored gets into memory. `weigh` is called with the bytes that are about to be read, and throws if there is no memory for them. */
export type Loading = { limit: number; weigh(bytes: number): void; slot: Turns; client: Client }

export const MOST_REFERENCES = 4_096
/** Records that are decrypted and parsed in one turn of the event loop. */
const TURN_BYTES = 1024 * 1024

const NOTHING: NamedItems = { bytes: 0, read: async () => new Map() }

/**
 * Finds items in responses of the same account, and for a restricted key in its own ones. `weigh` is called with the bytes that are about to be read, and throws if there is no memory for
 * them. Throws Failure.
 */
export async function findNamed(
  caller: Caller,
  references: readonly string[],
  { limit, weigh, slot, client }: Loading,
  deps: ConversationDependencies,
): Promise<NamedItems> {
  if (references.length === 0) return NOTHING
  if (references.length > MOST_REFERENCES) throw tooMany(references.length)
  const { responses } = deps.store
  const stored = await responses.bytesWithItems(caller.account, references, visibleKey(caller))
  if (stored > limit) throw tooLong(limit)
  // Encrypted, decrypted and parsed.
  weigh(3 * stored)
  if (stored > MEASURED_BYTES) await slot.turn(0, client)
  const occurrences = new Map<string, number>()
  for (const id of references) occurrences.set(id, (occurrences.get(id) ?? 0) + 1)
  const found = new Map<string, ListedItem>()
  let [bytes, opening] = [0, 0]
  for (const { record, ids } of await byRecord(caller, references, deps)) {
    const opened = inTurn(record.record.length, client, slot, () => outputItems(record, deps))
    for (const listed of await opened) {
      const id = String(listed.item.id)
      if (!ids.has(id) || found.has(id) || !continuedItem(listed.item)) continue
      found.set(id, listed)
      bytes += (occurrences.get(id) ?? 0) * lengthOf(listed)
      if (bytes > limit) throw tooLong(limit)
    }
    opening += record.record.length
    if (opening < TURN_BYTES) continue
    opening = 0
    await new Promise(setImmediate)
  }
  return {
    bytes,
    async read() {
      const items = new Map<string, Uint8Array>()
      for (const [id, listed] of found) {
        const item = await readItem(listed, deps)
        if (item) items.set(id, codec.encode(JSON.stringify(continuedItem(item))))
      }
      return items
    },
  }
}

/** Each record once, with the ids that it is read for. */
async function byRecord(
  caller: Caller,
  references: readonly string[],
  deps: ConversationDependencies,
): Promise<Iterable<{ record: StoredRecord; ids: Set<string> }>> {
  const records = new Map<string, { record: StoredRecord; ids: Set<string> }>()
  const { responses } = deps.store
  for (const [id, record] of await responses.withItems(caller.account, references, visibleKey(caller))) {
    const known = records.get(record.id)
    if (known) known.ids.add(id)
    else records.set(record.id, { record, ids: new Set([id]) })
  }
  return records.values()
}

/** With its image, which has not been read. */
function lengthOf({ item, images }: ListedItem): number {
  const image = images.find(({ id }) => id === item.result)
  return Buffer.byteLength(JSON.stringify(item)) + (image?.length ?? 0)
}

const tooMany = (count: number) =>
  new Failure(
    'bad_request',
    `The input refers to ${count} stored items; at most ${MOST_REFERENCES} are allowed. Continue with previous_response_id instead.`,
    { param: 'input' },
  )

const tooLong = (limit: number) =>
  new Failure('request_too_large', `The stored items that the input refers to have more than ${limit} bytes.`, {
    param: 'input',
  })
