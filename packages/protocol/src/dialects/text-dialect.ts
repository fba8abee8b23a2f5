// What a text dialect is: both directions of a request, a reply and a stream, through the canonical model; and the
// passage of bytes when both sides speak it.

import type { ReasoningForm } from '../canonical/call-reasoning.ts'
import type { SentTools } from '../canonical/encoding/restore-tools.ts'
import type { TranslatedFields } from '../canonical/encoding/untranslated-fields.ts'
import type { ErrorInfo } from '../canonical/error.ts'
import type { Emit, StreamEvent } from '../canonical/event.ts'
import type { CanonicalReply } from '../canonical/reply.ts'
import type { CanonicalRequest, RequestOrigin, Source } from '../canonical/request.ts'
import type { FieldNames, Warn } from '../canonical/warning.ts'
import type { Codec } from '../framing/codec.ts'
import type { ChatService } from './chat-service.ts'
import type { DialectDescription, PathParameters } from './dialect.ts'
import type { PassThrough, ReplyQuirks } from './pass-through.ts'
import type { EditableFields } from './shared/pass-through/operator-edits.ts'
import type { TokenCounting } from './token-counting.ts'

/** What writing a request for an upstream depends on, besides the request. */
export type Target = {
  /** The model's name at the upstream: some rules differ by model. */
  model: string
  /** The model behind an opaque name, whose rules these are. */
  baseModel?: string | undefined
  /** The model's own output limit, for dialects that demand a cap. */
  maxOutput: number | undefined
  /** What is known of a chat service; the rest is guessed from the model's name. */
  service?: Partial<ChatService> | undefined
  warn: Warn
  /** The upstream may be asked to search the web: there is a price for it, and the model has not rejected it before. */
  searches?: boolean
  /** Fields of the target's dialect that this model has rejected before, though the caller did not set them. */
  rejectedFields?: ReadonlySet<string>
  /** A signature as a client sent it -> the upstream's own, or undefined when it is another's. */
  unseal(signature: string): string | undefined
  /**
   * The content behind a URL, for a dialect that takes none. During the check before the hold it is a stand-in,
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
  /** An upstream's signature or encrypted reasoning, as it may leave the gateway. */
  seal(signature: string): string
  /** What the ledger will count when the upstream reports no usage: tokens for so many bytes of output. */
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

/** What text dialects add to every dialect. */
export type TextDialectDescription = DialectDescription & {
  /** The name of a client's form of requests and responses that differs from the dialect of upstreams. */
  form?: string
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
  translated: TranslatedFields
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
  /** What operators may change in requests of a route. Absent: nothing. */
  editable?: EditableFields
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
