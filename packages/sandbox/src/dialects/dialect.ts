// A dialect of the sandbox: decodes requests, and encodes answers and errors, as a real service does.

import type { Plan } from '../model/plan.ts'
import type { SandboxErrorInfo } from '../request/errors.ts'
import type { SandboxRequest } from '../request/sandbox-request.ts'

export type IncomingRequest = { bytes: Uint8Array; url: URL; headers: Headers }

/** `id` is hexadecimal; each dialect adds its own prefix. `created` is in seconds. */
export type Head = { id: string; created: number; model: string }

/** Deviations from a correct answer, requested by a fault. */
export type Quirks = {
  usage: 'honest' | 'none' | 'zero' | 'negative' | 'huge' | 'string'
  usageEveryChunk: boolean
  noFinish: boolean
  finishEveryChunk: boolean
  duplicateStart: boolean
  interleave: boolean
}

export type StreamEvent = { event?: string; data: string }

/** A decoded request, and the encoders of its answer. */
export type DecodedRequest = {
  request: SandboxRequest
  model: string
  /** `array`: the events of the stream as the elements of one JSON array. */
  delivery: 'single' | 'sse' | 'array'
  /** Pieces of the one JSON body. */
  body(plan: Plan, head: Head, quirks: Quirks): Iterable<string>
  events(plan: Plan, head: Head, quirks: Quirks): Iterable<StreamEvent>
}

export type SandboxDialect = {
  decode(incoming: IncomingRequest): DecodedRequest
  /** Counts the tokens of a prompt without an answer. Absent: the services have no such endpoint. */
  count?: { decode(incoming: IncomingRequest): DecodedRequest; body(tokens: number): unknown }
  errorBody(info: SandboxErrorInfo): unknown
  /** An error after the answer has started; `sent` events preceded it. */
  errorEvent(info: SandboxErrorInfo, sent: number): StreamEvent
  /** An event with truncated JSON. */
  garbage: StreamEvent
  /** The text before and after the filler of an event that is valid except for its length. */
  huge: { event?: string; before: string; after: string }
  requestIdHeader: string
}
