// How clients of a text dialect have input tokens counted, and how its upstreams are asked to.

import type { CanonicalRequest } from '../canonical/request.ts'
import type { Codec } from '../framing/codec.ts'
import type { PathParameters } from './dialect.ts'
import type { ConversationState } from './responses/state/conversation-state.ts'
import type { NamedUrl } from './shared/pass-through/named-urls.ts'

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
