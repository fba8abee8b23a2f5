// A request of the responses dialect as part of a conversation: its history is put before its own items, and its response is
// stored. What leaves for an upstream is complete in itself, so that any upstream can continue any conversation.

import type { Client } from '@trivium/http/request.ts'
import type { EchoedField } from '@trivium/protocol/dialects/pass-through.ts'
import type { ConversationState } from '@trivium/protocol/dialects/responses/state/conversation-state.ts'
import { visibleKey } from '../access/visible-key.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Slot } from '../overload/admission.ts'
import { Failure, memoryFailure } from '../request/failure.ts'
import { formatResponseId } from '../request/ids.ts'
import { inTurn, MEASURED_BYTES } from '../request/turns.ts'
import type { StoredTurn } from '../storage/responses.ts'
import type { Caller } from '../storage/storage.ts'
import type { ConversationDependencies } from './dependencies.ts'
import { keepResponse } from './keep-response.ts'
import { findNamed, type Loading } from './named-items.ts'
import { complete, openTurn } from './open-stored.ts'
import { isPieceId } from './pieces.ts'
import type { StoredText } from './stored-text.ts'

/** What the response repeats of the request, and how it is stored. */
export type Conversation = {
  /** The request with its history. undefined: it has none. */
  body: Uint8Array | undefined
  echo: readonly EchoedField[]
  /** The field `include` to send, so that the reasoning of a stored response can be continued. */
  include: string | undefined
  /** The client did not ask for encrypted reasoning, which is only stored. */
  hidesEncrypted: boolean
  /** The last bytes of the response, once what can be continued is durable. Absent: nothing is stored. */
  keep?(last: Uint8Array): Promise<Uint8Array>
}

/** `bytes`: of the request's own body. `client`: who waits for it. */
export type Weighing = { slot: Pick<Slot, 'weigh' | 'turn' | 'run'>; bytes: number; client: Client }

/** undefined: it continues nothing, and nothing of it is to be stored. Throws Failure. */
export async function continueConversation(
  id: bigint,
  state: ConversationState,
  caller: Caller,
  catalogue: Catalogue,
  weighing: Weighing,
  deps: ConversationDependencies,
): Promise<Conversation | undefined> {
  const { previousResponse, references } = state
  const { account, key } = caller
  const keepMs = catalogue.config.retention.responses
  const isStored = state.store && keepMs !== 'off'
  // A request that is not to be stored says so itself; where nothing is stored, upstreams and clients are told.
  if (previousResponse === undefined && references.length === 0 && !state.store) return undefined
  const found = await findHistory(state, caller, catalogue, weighing, deps)
  if (!found) return undefined
  const { history, named } = found
  const echo = [
    // The id is our own, since vendors do not promise that theirs are unique.
    { name: 'id', json: JSON.stringify(formatResponseId(id)), always: true },
    { name: 'previous_response_id', json: JSON.stringify(previousResponse ?? null), always: true },
    { name: 'store', json: String(isStored), always: true },
  ] as const
  const body = history.length + named.size === 0 ? undefined : weighing.slot.run(() => state.expanded(history, named))
  if (!isStored) return { body, echo, include: undefined, hidesEncrypted: false }
  const input = state.items(named)
  const hidesEncrypted = state.include !== undefined
  const turn = { account, key, parent: previousResponse, input, keepMs, hidesEncrypted }
  const keep = (last: Uint8Array) => keepResponse(turn, last, deps)
  return { body, echo, include: state.include, hidesEncrypted, keep }
}

/** The body with all that the request refers to. undefined: there is nothing, or it is not found. Throws Failure. */
export async function withHistory(
  state: Pick<ConversationState, 'previousResponse' | 'references' | 'expanded'>,
  caller: Caller,
  catalogue: Catalogue,
  weighing: Weighing,
  deps: ConversationDependencies,
): Promise<Uint8Array | undefined> {
  const found = await findHistory(state, caller, catalogue, weighing, deps)
  if (!found || found.history.length + found.named.size === 0) return undefined
  return weighing.slot.run(() => state.expanded(found.history, found.named))
}

type History = {
  /** The items of each earlier response, separated by commas. */
  history: readonly Uint8Array[]
  /** The items that the request only names. */
  named: ReadonlyMap<string, Uint8Array>
}

/**
 * What the request refers to. undefined: the previous response is not one of ours; an upstream whose stored objects callers share may
 * know it, else it is rejected before it is sent. Throws Failure.
 */
async function findHistory(
  { previousResponse, references }: Pick<ConversationState, 'previousResponse' | 'references'>,
  caller: Caller,
  { config }: Catalogue,
  { slot, bytes: own, client }: Weighing,
  deps: ConversationDependencies,
): Promise<History | undefined> {
  const { account } = caller
  if (config.retention.responses === 'off' && previousResponse !== undefined) throw notKept()
  if (previousResponse !== undefined && isPieceId(previousResponse)) throw notFound()
  const { bodyBytes, memoryBytes } = config.server.limits
  const weigh = (bytes: number) => {
    if (!slot.weigh(own + bytes)) throw memoryFailure(own + bytes, memoryBytes)
  }
  const loading: Loading = { limit: bodyBytes, weigh, slot, client }
  const [chain, named] = await Promise.all([
    previousResponse === undefined ? undefined : findChain(caller, previousResponse, loading, deps),
    findNamed(caller, references, loading, deps),
  ])
  if (chain?.length === 0) return undefined
  const turns: (StoredText & { id: string })[] = []
  for (const piece of piecesBy(chain ?? [], ({ turn }) => turn.length, PIECE_BYTES)) {
    const opened = inTurn(bytesOf(piece), client, slot, () => piece.map((stored) => openedTurn(account, stored, deps)))
    turns.push(...(await opened))
  }
  const ofImages = (images: readonly { length: number }[]) => images.reduce((sum, { length }) => sum + length, 0)
  const bytes = named.bytes + turns.reduce((sum, { text, images }) => sum + text.length + ofImages(images), 0)
  if (bytes > bodyBytes) throw tooLong(bodyBytes)
  // As they are stored, and in the body that is sent. Named items are also in what is stored of this request.
  weigh(2 * bytes + named.bytes)
  const items = await named.read()
  if (turns.every(({ images }) => images.length === 0)) return { history: turns.map(({ text }) => text), named: items }
  const history = await Promise.all(turns.map((turn) => complete(account, turn.id, turn, deps)))
  return { history: history.map((text) => text ?? raise(notFound())), named: items }
}

/** The turns of a conversation: how long they are is known, and weighed, before any of them is loaded. */
async function findChain(
  caller: Caller,
  last: string,
  { limit, weigh, slot, client }: Loading,
  { store: { responses } }: ConversationDependencies,
): Promise<StoredTurn[]> {
  const { account } = caller
  const lengths = await responses.chainLengths(account, last, visibleKey(caller))
  const bytes = lengths.reduce((sum, { turn }) => sum + turn, 0)
  // Encrypted, each turn is a little longer: what is just too long is found once it is decrypted.
  if (bytes > 2 * limit) throw tooLong(limit)
  weigh(2 * bytes)
  if (bytes > MEASURED_BYTES) await slot.turn(0, client)
  return bytes === 0 ? [] : responses.chain(account, last)
}

/** Turns that are decrypted in one iteration of the event loop. */
const PIECE_BYTES = 256 * 1024

const bytesOf = (turns: readonly StoredTurn[]): number => turns.reduce((sum, { turn }) => sum + turn.length, 0)

function openedTurn(account: bigint, stored: StoredTurn, deps: ConversationDependencies): StoredText & { id: string } {
  const turn = openTurn(account, stored, deps)
  if (!turn) throw notFound()
  return { ...turn, id: stored.id }
}

function raise(failure: Failure): never {
  throw failure
}

const notFound = () =>
  new Failure('previous_response_not_found', 'The previous response was not found.', { param: 'previous_response_id' })

const notKept = () =>
  new Failure(
    'previous_response_not_found',
    "This gateway stores no responses, so none can be continued. Send the conversation's items as input.",
    { param: 'previous_response_id' },
  )

const tooLong = (limit: number) =>
  new Failure('request_too_large', `The conversation has more than ${limit} bytes. Begin a new one.`, {
    param: 'previous_response_id',
  })

/** Neighbours together, as long as they have no more than `most` bytes; a larger one by itself. */
function piecesBy<T>(items: readonly T[], bytesOf: (item: T) => number, most: number): T[][] {
  const pieces: T[][] = []
  let bytes = 0
  for (const item of items) {
    const piece = pieces.at(-1)
    bytes += bytesOf(item)
    if (piece && bytes <= most) piece.push(item)
    else {
      pieces.push([item])
      bytes = bytesOf(item)
    }
  }
  return pieces
}
