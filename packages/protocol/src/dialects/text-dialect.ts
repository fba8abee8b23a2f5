// What a text dialect is: both directions of a request, a reply and a stream, through the canonical model; and the
// passage of bytes when both sides speak it.

import type { CalledTool, ReasoningForm } from '../canonical/call-reasoning.ts'
import type { SentTools } from '../canonical/encoding/restore-tools.ts'
import type { ErrorInfo } from '../canonical/error.ts'
import type { Emit, StreamEvent } from '../canonical/event.ts'
import type { Finish } from '../canonical/finish.ts'
import type { CanonicalReply } from '../canonical/reply.ts'
import type { CanonicalRequest, RequestOrigin, Source } from '../canonical/request.ts'
import type { Usage } from '../canonical/usage.ts'
import type { FieldNames, Warn } from '../canonical/warning.ts'
import type { Codec } from '../framing/codec.ts'
import type { Pieces } from '../framing/splice.ts'
import type { ChatService } from './chat-service.ts'
import type { DialectDescription } from './dialect.ts'
import type { NamedUrl } from './shared/pass-through/named-urls.ts'
import type { OutputBounds, OutputField } from './shared/pass-through/output-fields.ts'

/** What the address of a request says, where the dialect says it there and not in the body. */
export type PathParameters = { model: string; stream: boolean }

/** What writing a request for an upstream depends on, besides the request. */
export type Target = {
  /** The model's name at the upstream: some rules differ by model. */
  model: string
  /** The model's own output limit, for dialects that demand a cap. */
  maxOutput: number | undefined
  /** What is known of a chat service; the rest is guessed from the model's name. */
  service?: Partial<ChatService> | undefined
  warn: Warn
  /** Fields of the target's dialect that this model has rejected before, though the caller did not set them. */
  rejectedFields?: ReadonlySet<string>
  /** A signature as a client sent it -> the upstream's own, or undefined when it is another's. */
  unseal(signature: string): string | undefined
  /**
   * The content behind an address, for a dialect that takes none. During the check before the hold it is a stand-in,
   * and only afterwards the real thing.
   */
  fetched(url: string): Extract<Source, { kind: 'inline' }>
}

export type EncodedRequest = { body: Record<string, unknown>; tools: SentTools }

export type DecodedReply = { ok: true; reply: CanonicalReply } | { ok: false; error: ErrorInfo }

/** What writing an answer for a client depends on, besides the answer. Small: it lives as long as the stream. */
export type ReplyContext = {
  /** Letters and digits, unique to this request: ids are made of it. */
  id: string
  /** Seconds since 1970. */
  created: number
  /** The model's name as the client knows it. */
  model: string
  /** The client wants the usage chunk of a chat stream. */
  showUsage: boolean
  /** The client asked not to be shown reasoning. */
  hideReasoning: boolean
  /** The client asked for reasoning in a form that it only carries: text without a signature is sealed for it, too. */
  sealReasoning?: boolean
  /** Functions that the caller keeps in a namespace, by their full name. */
  namespaces: ReadonlyMap<string, { namespace: string; name: string }>
  echo: Readonly<Record<string, unknown>>
  /** An upstream's signature or encrypted thought, as it may leave the gateway. */
  seal(signature: string): string
  /** What the books will count when the upstream reports no usage: tokens for so many bytes of output. */
  estimate(outputBytes: number): { input: number; output: number }
}

export type StreamDecoder = {
  /** Bytes as they come, cut anywhere. After `end` or `error` has been emitted, more bytes are ignored. */
  push(bytes: Uint8Array): void
  /** The upstream's bytes have ended. Emits what is left, then `end`, or `error` if the answer was not complete. */
  end(): void
  /** The dialect's last event has come, and only the end of the connection is awaited. */
  isWhole?(): boolean
}

export type StreamEncoder = {
  /** The frames of one event as text; often none. `error` is not for this: see `encodeStreamError`. */
  write(event: StreamEvent): string
  /**
   * Ends a begun answer that failed. A result that is not empty IS the whole error ending, with what was begun closed
   * and events numbered on: nothing is written after it. Empty: `encodeStreamError` says everything.
   */
  abandon(error: ErrorInfo): string
}

/** What a request passing through is allowed to have changed. */
export type PassThroughEdits = {
  /** The model's name at the upstream. */
  model?: string
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

/** A top-level field of a reply that repeats the request, with the JSON text that the client is to read there. */
/** `always`: also where the upstream's value is no text, as null. */
export type EchoedField = { name: string; json: string; always?: true }

/**
 * How a request leans on earlier responses. Items are JSON, as bytes; `stored` are those that the request names by their ids.
 */
export type ConversationState = {
  previousResponse: string | undefined
  /** The response is to be stored. */
  store: boolean
  /** The ids of items that the request only names. */
  references: readonly string[]
  /** The field `include` that also asks for reasoning in the form in which it can be continued. undefined: it does so already. */
  include: string | undefined
  /** The request's own items, separated by commas. */
  items(stored: ReadonlyMap<string, Uint8Array>): Uint8Array
  /** The body with the items of earlier responses before its own, for an upstream that stores nothing. */
  expanded(history: readonly Uint8Array[], stored: ReadonlyMap<string, Uint8Array>): Uint8Array
  /** The same request without a history, for an upstream that stores nothing: its bytes need not be read again. */
  unstored(request: PassThroughRequest): PassThroughRequest
}

/** A message with tool calls. `isSigned`: a call has its signature. */
export type CalledMessage = { index: number; calls: readonly CalledTool[]; hasReasoning: boolean; isSigned: boolean }

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
  /** Only in the responses dialect. */
  state?: ConversationState
  /** Only in the chat dialect. The body is parsed for it. */
  calledMessages?(): readonly CalledMessage[]
  /** The body with these edits, around what stays of its bytes; the same array alone when nothing changes. */
  edited(edits: PassThroughEdits): Pieces
  /** The request in canonical terms; parsed when asked for. Throws RequestError. */
  canonical(): CanonicalRequest
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

/** A request for the number of input tokens, checked by the rules of its dialect. */
export type CountRequest = {
  model: string
  /** The size of the body without encoded media. */
  textBytes: number
  /** See `PassThroughRequest`. */
  values: number
  objects: readonly string[]
  urls: readonly NamedUrl[]
  canonical: CanonicalRequest
  /** As the client would send it to have it answered. */
  body: Readonly<Record<string, unknown>>
  /** See `PassThroughRequest`. */
  state?: Pick<ConversationState, 'previousResponse' | 'references' | 'expanded'>
}

/** How clients of the dialect have input tokens counted, and how its upstreams are asked to. */
export type TokenCounting = {
  /** A body with more than `maxValues` JSON values is rejected before it is parsed. Throws RequestError. */
  readRequest(
    bytes: Uint8Array,
    codec: Codec,
    addressed: PathParameters | undefined,
    maxValues?: number | undefined,
  ): CountRequest
  /** What is sent to an upstream to count this request: only fields that may decide the count. */
  countBody(request: Readonly<Record<string, unknown>>, model: string): Record<string, unknown>
  /** undefined: no count. */
  decodeCount(body: unknown): number | undefined
  encodeCount(tokens: number): Record<string, unknown>
}

/** What text dialects add to every dialect. */
export type TextDialectDescription = DialectDescription & {
  origin: RequestOrigin
  /** The field that names the end user at an upstream, and the longest name it takes; undefined: there is none. */
  endUserField(service: Partial<ChatService> | undefined): string | undefined
  longestEndUser?: number
  /** The field that holds the reasoning effort as a word; absent: there is none. */
  effortField?: string
  /** Every request needs an output cap, so the gateway adds one where the client sent none. */
  requiresOutputCap?: true
  /** Replies repeat fields of the request. */
  echoesRequest?: true
  /** The hosted tool by which upstreams make images. It is billed by the call. */
  imageTool?: string
  /** Query parameters that clients send and upstreams of the dialect take, such as `beta=true`. */
  carriedQuery?: readonly string[]
  /** The client header that lists beta features, some of which change the price. */
  betaHeader?: string
  sealed: SealedText
  /** Clients cannot send signatures and encrypted reasoning back. */
  losesReasoning?: true
  /** How an upstream's model wants the reasoning of tool calls back. Absent or undefined: not at all. */
  wantsReasoning?(model: string, service: Partial<ChatService> | undefined): WantedReasoning | undefined
  /** The dialect's names for what a target may not be able to express. */
  fieldNames: FieldNames
  /** What clients of this dialect cannot be told of this event, for the warning. Absent: they can be told everything. */
  droppedPart?(event: StreamEvent): string | undefined
  /** A sign of life that clients of this dialect understand and ignore. */
  heartbeat: string
  /** Throws RequestError. */
  decodeRequest(body: unknown, addressed: PathParameters | undefined): CanonicalRequest
  /** Throws RequestError for fields that this dialect cannot express and without which the answer would be wrong. */
  encodeRequest(request: CanonicalRequest, target: Target): EncodedRequest
  decodeReply(body: unknown): DecodedReply
  encodeReply(reply: CanonicalReply, answering: ReplyContext): Record<string, unknown>
  openStreamDecoder(emit: Emit, codec: Codec, quirks?: ReplyQuirks): StreamDecoder
  openStreamEncoder(answering: ReplyContext): StreamEncoder
  passThrough: PassThrough
  /** Absent: the dialect has no endpoint that counts tokens. */
  tokenCounting?: TokenCounting
  /** Throws RequestError if the request refers to objects that a vendor stores. Called before it is translated. */
  rejectStored?(body: unknown): void
  /** Only where streams may also be one JSON array. */
  arrayFraming?(): ArrayFraming
  encodeArrayStreamError?(error: ErrorInfo, elementsSent: boolean): string
}

/** `isDemanded`: calls without any are rejected, though not those with empty text. */
export type WantedReasoning = { form: ReasoningForm; isDemanded?: true }

/** How signatures that the gateway has sealed are found in a request body. */
export type SealedText = {
  /** How sealed text begins in the body. */
  marks: readonly string[]
  /** The text is in base64. */
  isBase64?: true
}

export type ArrayFraming = {
  /** Frames of the dialect's own encoder, as elements of the array. */
  write(frames: string): string
  end(): string
}
