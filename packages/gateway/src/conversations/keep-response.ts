// Stores a response with the items of its request, so that it can be continued.

import { withTimeout } from '@trivium/http/ticker.ts'
import type { Json } from '@trivium/protocol/canonical/reading.ts'
import { hideEncrypted } from '@trivium/protocol/dialects/responses/state/hide-encrypted.ts'
import {
  continuedItems,
  type EndedResponse,
  endedResponse,
  idsOf,
  notStored,
} from '@trivium/protocol/dialects/responses/state/stored-response.ts'
import { codec } from '../bytes/codec.ts'
import type { NewResponse } from '../storage/responses.ts'
import { ShareExceeded } from '../storage/shares.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { IMAGE_ITEM, storeImages } from './images.ts'
import { type Sealed, seal } from './sealed.ts'
import { cutOut, joined, packed, type StoredText } from './stored-text.ts'

/** The client waits for its last byte meanwhile. */
const KEEP_WITHIN_MS = 2_000

/** `input`: the items of the request, separated by commas. */
export type Turn = {
  account: bigint
  key: bigint
  parent: string | undefined
  input: Uint8Array
  keepMs: number
  /** Encrypted reasoning is not shown to the client. */
  hidesEncrypted: boolean
}

/**
 * `last`: a response, or the last events of its stream. Resolves with the same, once it is durable. Storing never costs the client
 * its response: what could not be stored says so itself.
 */
export async function keepResponse(turn: Turn, last: Uint8Array, deps: ConversationDependencies): Promise<Uint8Array> {
  const text = codec.decode(last, 0, last.length)
  const response = endedResponse(text)
  if (!response) return last
  try {
    const isKept = await withTimeout(deps.ticker, KEEP_WITHIN_MS, put(turn, response, deps))
    if (isKept) return turn.hidesEncrypted ? hidden(last, text) : last
    const reason = isKept === undefined ? 'the database is slow' : 'what it continues is deleted'
    deps.log.warn('response not stored', { response: response.id, reason })
  } catch (error) {
    if (error instanceof ShareExceeded)
      deps.log.warn('response not stored', { response: response.id, reason: error.message })
    else deps.outageLog.error('response not stored', { response: response.id, error: String(error) })
  }
  return codec.encode(notStored(text))
}

function hidden(last: Uint8Array, text: string): Uint8Array {
  const shown = hideEncrypted(text, codec)
  return shown === text ? last : codec.encode(shown)
}

async function put(turn: Turn, response: EndedResponse, deps: ConversationDependencies): Promise<boolean> {
  return deps.store.responses.put(await sealed(turn, response, deps))
}

async function sealed(turn: Turn, response: EndedResponse, deps: ConversationDependencies): Promise<NewResponse> {
  const { account, key, parent, keepMs } = turn
  const { id } = response
  const owner = { account, id }
  const [input, output] = await Promise.all([inputOf(turn, owner, deps), storeImages(response.output, owner, deps)])
  const continued = cutOut(continuedItems(output.items), output.images)
  const record = cutOut(JSON.stringify({ ...response, output: output.items }), output.images)
  return {
    id,
    account,
    key,
    parent,
    keepMs,
    items: idsOf(response.output),
    media: [...input.images, ...output.images].map((image) => image.id),
    turn: seal(owner, 'turn', packed(joined(input, continued), input.text.length), deps),
    record: seal(owner, 'record', packed(record), deps),
  }
}

const IMAGE = Buffer.from(`"${IMAGE_ITEM}"`)
const { indexOf } = Buffer.prototype

/** As the client sent it, unless it has images. */
async function inputOf({ input }: Turn, owner: Sealed, deps: ConversationDependencies): Promise<StoredText> {
  if (indexOf.call(input, IMAGE) < 0) return { text: input, images: [] }
  const given = JSON.parse(`[${codec.decode(input, 0, input.length)}]`) as Json[]
  const { items, images } = await storeImages(given, owner, deps)
  return images.length === 0
    ? { text: input, images: [] }
    : cutOut(items.map((item) => JSON.stringify(item)).join(','), images)
}
