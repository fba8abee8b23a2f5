// How the bytes of a request, a reply and a stream pass through when client and upstream speak the same text dialect: what is
// read of them, and what may be edited.

import type { CalledMessage } from '../canonical/call-reasoning.ts'
import type { ErrorInfo } from '../canonical/error.ts'
import type { Finish } from '../canonical/finish.ts'
import type { Json } from '../canonical/reading.ts'
import type { BodyAttribution, CanonicalRequest } from '../canonical/request.ts'
import type { Usage } from '../canonical/usage.ts'
import type { Codec } from '../framing/codec.ts'
import type { Pieces } from '../framing/splice.ts'
import type { ChatService } from './chat-service.ts'
import type { PathParameters } from './dialect.ts'
import type { ConversationState } from './responses/state/conversation-state.ts'
import type { NamedUrl } from './shared/pass-through/named-urls.ts'
import type { OutputBounds, OutputField } from './shared/pass-through/output-fields.ts'

/** What a request passing through is allowed to have changed. */
export type PassThroughEdits = {
  /** The model's name at the upstream. */
  model?: string
  /** The model behind an opaque name. */
  baseModel?: string
  /** A lower cap on output tokens. */
  maxOutput?: number
  /** Other fields that bound or multiply the output, and what they may ask for at most. `maxOutput` holds for them too. */
  outputFields?: { fields: readonly OutputField[]; bounds: OutputBounds }
  /** What is known of a chat service: the name of the cap where the caller gave none, and where the end user belongs. */
  service?: Partial<ChatService>
  /** Asks a chat upstream for the usage chunk. */
  includeUsage?: true
  /** What the vendor is to know as the cache key and as the end user, under the dialect's own names for them. */
  cacheKey?: string
  endUser?: string
  /** Tools that a vendor bills by themselves, to leave out: the words of `PricedField`. */
  withoutTools?: readonly string[]
  /** Reasoning to put into messages, by their positions. Only in the chat dialect. */
  reasoning?: ReadonlyMap<number, string>
  /** Leaves out references to reasoning, and the ids by which a vendor would know what they belong to. */
  withoutReasoningReferences?: true
  /** Leaves out reasoning that another upstream returned as text, and the ids as above. */
  withoutForeignReasoning?: true
  /** Top-level fields to set, as JSON text. */
  set?: Readonly<Record<string, string>>
  remove?: readonly string[]
}

export type EndUserField = { field: string; value: string }

/** What the journey has to know of a request, whatever becomes of it. */
export type PassThroughRequest = {
  model: string
  stream: boolean
  choices: number
  maxOutput: number | undefined
  /** What the caller calls its output cap, or what it is called when there is none. */
  capField: string
  /** Fields besides the dialect's own by which some services bound or multiply the output. */
  outputFields: readonly OutputField[]
  showUsage: boolean
  textBytes: number
  images: number
  documents: number
  audios: number
  tools: number
  /** JSON values in the body, at every depth: what it weighs in memory once it is parsed. */
  values: number
  /** Top-level fields of multi-tenant and price concern, as the caller sent them. */
  cacheKey: string | undefined
  endUser: string | undefined
  /** Every field in which the caller names an end user, with what it says: `user`, `metadata.user_id`. */
  endUserFields: readonly EndUserField[]
  /** What it is for. undefined: the body does not say. */
  attribution?: BodyAttribution | undefined
  /** What the conversation begins with, if its answers may contain reasoning that only its upstream can read. */
  opening(): string | undefined
  /** Fields that change the vendor's price, with what is to become of the request when there is no price for them. */
  priced: readonly PricedField[]
  /** Top-level fields that ask the vendor to keep the request, or that only serve this. Absent: there are none. */
  storing?: readonly string[]
  /** Where the request names objects that a vendor keeps for its customer: `messages[0].content[1].file.file_id`. */
  objects: readonly string[]
  /** URLs that the upstream is to fetch or to call. */
  urls: readonly NamedUrl[]
  /** It refers to reasoning of earlier responses, which may be dropped. Only in the responses dialect. */
  reasoningReferences?: boolean
  /** It contains reasoning that another upstream returned as text. Only in the responses dialect. */
  foreignReasoning?: boolean
  /** The same for an upstream that serves the caller's own path, which its dialect does not have. `needed`: a field for which it must. */
  native?: { request: PassThroughRequest; needed: string | undefined }
  /** Only in the responses dialect. */
  state?: ConversationState<PassThroughRequest>
  /** Only in the chat dialect. The body is parsed for it. */
  calledMessages?(): readonly CalledMessage[]
  /** The body with these edits, around what stays of its bytes; the same array alone when nothing changes. */
  edited(edits: PassThroughEdits): Pieces
  /** The request in canonical terms; parsed when asked for. Throws RequestError. */
  canonical(): CanonicalRequest
  /** The body where it has been parsed: of what is in no table only a translation asks. */
  body: Json | undefined
}

/** What a price is looked up under: a service tier, a hosted tool billed by the call, or nothing that a row can say. */
export type PriceKind = 'tier' | 'tool' | 'other'

/**
 * `word`: the price that it needs, such as `priority` or `web_search`, as an operator writes it under `tiers` or `tools`.
 * `most`: how many calls of the tool there can be at most, where the request says so.
 * `remove`: the edits that take it out, or undefined if the caller forces it, so that the request must be rejected.
 */
export type PricedField = {
  kind: PriceKind
  field: string
  word: string
  most?: number
  remove: PassThroughEdits | undefined
}

/**
 * A top-level field of a reply that repeats the request, with the JSON text that the client is to read there. `always`: also
 * where the upstream's value is no text, as null.
 */
export type EchoedField = { name: string; json: string; always?: true }

export type PassThroughReply =
  | { ok: true; usage: Usage | undefined; finish: Finish | undefined; outputBytes: number; body: Uint8Array }
  | { ok: false; error: ErrorInfo }

export type ChargedUnits = { input: number; cachedInput: number; cacheWrite: number; output: number }

export type Meter = {
  /** Takes bytes from the upstream and gives those to forward now: often the same array, sometimes none. */
  push(chunk: Uint8Array): Uint8Array
  /** What was held back until the settlement stands: the last frames. */
  end(): Uint8Array
  /** The frames that end the answer here, as if it had reached its output cap; `units` is what it is charged. */
  stop(units: ChargedUnits): Uint8Array
  /** The whole error ending, where what was begun must be closed first. Absent: `encodeStreamError` says everything. */
  abandon?(error: ErrorInfo, requestId: string): Uint8Array
  readonly state: {
    readonly outputBytes: number
    readonly sawOutput: boolean
    readonly finish: Finish | undefined
    readonly usage: Usage | undefined
    readonly done: boolean
    readonly error: ErrorInfo | undefined
  }
}

/** What is known to be wrong in the replies of a server. */
export type ReplyQuirks = {
  /** The output cap that was sent, where the server calls an answer completed that has reached it. */
  cap?: number
  /** The input that the beginning of a stream reports is a guess. */
  guessesInput?: true
}

export type MeterOptions = {
  showUsage: boolean
  choices: number
  /** The model's name that the client knows, where the upstream's differs. */
  renameTo: string | undefined
  /** What the client is to read where the upstream repeats a field that it got changed. Only in the responses dialect. */
  echo?: readonly EchoedField[]
  /** The client of a generate-content stream asked for one JSON array instead of events. */
  asArray?: boolean
  quirks?: ReplyQuirks | undefined
}

export type PassThrough = {
  /** A body with more than `maxValues` JSON values is rejected before it is parsed. Throws RequestError. */
  readRequest(
    bytes: Uint8Array,
    codec: Codec,
    addressed: PathParameters | undefined,
    maxValues?: number | undefined,
  ): PassThroughRequest
  readReply(
    bytes: Uint8Array,
    codec: Codec,
    renameTo: string | undefined,
    echo?: readonly EchoedField[],
    quirks?: ReplyQuirks,
  ): PassThroughReply
  openMeter(options: MeterOptions, codec: Codec): Meter
  /** Edits that a service of the dialect needs in every request. */
  serviceEdits?(service: Partial<ChatService> | undefined, stream: boolean): PassThroughEdits
}
