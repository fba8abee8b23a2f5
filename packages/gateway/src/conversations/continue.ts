// A request of the responses dialect as part of a conversation: its history is put before its own items, and its response is
// stored. What leaves for an upstream is complete in itself, so that any upstream can continue any conversation.

import { NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import { type Ticker, withTimeout } from '@trivium/http/ticker.ts'
import type { Json } from '@trivium/protocol/canonical/reading.ts'
import { continuedItem, notStored, partsOf } from '@trivium/protocol/dialects/responses/state/stored-response.ts'
import type { ConversationState, EchoedField } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Catalogue } from '../access/catalogue.ts'
import { bodyFailure, Failure } from '../access/failure.ts'
import { formatRequestId } from '../access/ids.ts'
import { codec } from '../bytes/codec.ts'
import type { Log } from '../observe/log.ts'
import type { Slot } from '../overload/admission.ts'
import type { Responses, StoredResponse } from '../storage/responses.ts'
import type { Caller } from '../storage/storage.ts'
import { open, type SealDependencies, seal } from './sealed.ts'

export type ConversationDependencies = SealDependencies & {
  store: { responses: Responses }
  ticker: Ticker
  log: Log
}

/** What the response repeats of the request, and how it is stored. */
export type Conversation = {
  /** The request for an upstream that stores nothing. */
  body: Uint8Array
  echo: readonly EchoedField[]
  /** The field `include` to send, so that the reasoning of a stored response can be continued. */
  include: string | undefined
  /** The last bytes of the response, once what can be continued is durable. Absent: nothing is stored. */
  keep?(last: Uint8Array): Promise<Uint8Array>
}

/** `bytes`: of the request's own body. undefined: it leans on nothing, and nothing of it is to be stored. Throws Failure. */
export async function continueConversation(
  id: bigint,
  state: ConversationState,
  { account }: Caller,
  { config }: Catalogue,
  { slot, bytes: own }: { slot: Pick<Slot, 'weigh'>; bytes: number },
  deps: ConversationDependencies,
): Promise<Conversation | undefined> {
  const { previousResponse, references } = state
  const keepMs = config.retention.responses
  const isStored = state.store && keepMs !== 'off'
  // A request that is not to be stored says so itself; where nothing is stored, upstreams and clients are told.
  if (previousResponse === undefined && references.length === 0 && !state.store) return undefined
  if (keepMs === 'off' && previousResponse !== undefined) throw notKept()
  const chain = previousResponse === undefined ? [] : await deps.store.responses.chain(account, previousResponse)
  // Not one of ours: an upstream whose stored objects callers share may know it. Else it is rejected before it is sent.
  if (previousResponse !== undefined && chain.length === 0) return undefined
  const history = chain.flatMap((stored) => [opened(stored, 'input', deps), opened(stored, 'output', deps)])
  const named = await namedItems(account, references, deps)
  const bytes = history.reduce((sum, { length }) => sum + length, 0)
  if (bytes > config.server.limits.bodyBytes) throw tooLong(config.server.limits.bodyBytes)
  if (!slot.weigh(own + 2 * bytes)) throw bodyFailure(NO_MEMORY)
  const echo = [
    // Of a name of our own, since vendors do not promise that theirs are unique.
    { name: 'id', json: JSON.stringify(responseId(id)), always: true },
    { name: 'previous_response_id', json: JSON.stringify(previousResponse ?? null), always: true },
    { name: 'store', json: String(isStored), always: true },
  ] as const
  const body = state.expanded(history, named)
  if (!isStored) return { body, echo, include: undefined }
  const input = state.items(named)
  const keep = (last: Uint8Array) => keepResponse({ account, parent: previousResponse, input, keepMs }, last, deps)
  return { body, echo, include: state.include, keep }
}

/** As a translated response is named, too. */
const responseId = (id: bigint): string => `resp_${formatRequestId(id).slice('req_'.length)}`

function opened(stored: StoredResponse, part: 'input' | 'output', deps: ConversationDependencies): Uint8Array {
  const plain = open(stored, part, deps)
  if (plain) return plain
  deps.log.error('stored response cannot be decrypted', { response: stored.id })
  throw notFound()
}

/** The items that are only named, of responses of the same account. */
async function namedItems(
  account: bigint,
  references: readonly string[],
  deps: ConversationDependencies,
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (references.length === 0) return new Map()
  const found = await deps.store.responses.withItems(account, references)
  const items = new Map<string, Uint8Array>()
  for (const [id, stored] of found) {
    const item = itemOf(stored, id, deps)
    if (item) items.set(id, codec.encode(JSON.stringify(item)))
  }
  return items
}

function itemOf(stored: StoredResponse, id: string, deps: ConversationDependencies): unknown {
  const parts = [open(stored, 'record', deps), open(stored, 'input', deps)]
  const [record, input] = parts.map((part) => (part ? codec.decode(part, 0, part.length) : ''))
  const { output = [] } = JSON.parse(record || '{}') as { output?: Json[] }
  const given = JSON.parse(`[${input}]`) as Json[]
  const found = [...output, ...given].find((item) => item.id === id)
  return found && continuedItem(found)
}

/** The client waits for its last byte meanwhile. */
const KEEP_WITHIN_MS = 2_000

type Turn = { account: bigint; parent: string | undefined; input: Uint8Array; keepMs: number }

/** Storing never costs the client its response: what could not be stored says so itself. */
async function keepResponse(turn: Turn, last: Uint8Array, deps: ConversationDependencies): Promise<Uint8Array> {
  const text = codec.decode(last, 0, last.length)
  const parts = partsOf(text)
  if (!parts) return last
  const { account, parent, input, keepMs } = turn
  const sealed = (part: 'input' | 'output' | 'record', plain: Uint8Array) => seal(account, parts.id, part, plain, deps)
  try {
    const putting = deps.store.responses.put({
      ...{ id: parts.id, account, parent, keepMs, items: parts.items },
      input: sealed('input', input),
      output: sealed('output', codec.encode(parts.continued)),
      record: sealed('record', codec.encode(parts.record)),
    })
    const isKept = await withTimeout(deps.ticker, KEEP_WITHIN_MS, putting)
    if (isKept) return last
    const reason = isKept === undefined ? 'the store is slow' : 'what it continues is deleted'
    deps.log.warn('response not stored', { response: parts.id, reason })
  } catch (error) {
    deps.log.error('response not stored', { response: parts.id, error: String(error) })
  }
  return codec.encode(notStored(text))
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
