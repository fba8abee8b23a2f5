// What a dialect of the sandbox is: a reader of requests, and writers of answers and errors, as a service has them.

import type { Plan } from '../model/plan.ts'
import type { SandboxErrorInfo } from '../request/errors.ts'
import type { SandboxRequest } from '../request/sandbox-request.ts'

export type IncomingRequest = { bytes: Uint8Array; url: URL; headers: Headers }

/** `id` is hexadecimal; each dialect puts its own word before it. `created` is in seconds. */
export type Head = { id: string; created: number; model: string }

/** Departures from a correct answer that a fault asks for. */
export type Quirks = {
  usage: 'honest' | 'none' | 'zero' | 'negative' | 'huge' | 'string'
  usageEveryChunk: boolean
  noFinish: boolean
  finishEveryChunk: boolean
  duplicateStart: boolean
  interleave: boolean
}

export type StreamEvent = { event?: string; data: string }

/** A request that was read, and how its answer is written. */
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
  errorBody(info: SandboxErrorInfo): unknown
  /** An error after the answer has begun; `sent` events came before it. */
  errorEvent(info: SandboxErrorInfo, sent: number): StreamEvent
  /** An event whose JSON stops in the middle. */
  garbage: StreamEvent
  /** What stands before and after the filler of an event that is correct but for its length. */
  huge: { event?: string; before: string; after: string }
  requestIdHeader: string
}
