// Vectors of texts: the request and the reply, whatever dialect they are in.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { RequestError } from '../../../canonical/reading.ts'
import type { Pieces } from '../../../framing/splice.ts'
import type { ServiceFields } from '../pass-through/service-fields.ts'

/** A text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[]

/** Numbers in JSON, or base64 of 32-bit floats in little-endian order. */
export type VectorEncoding = 'float' | 'base64'

/** More than any model has. */
export const MOST_DIMENSIONS = 65_536

export type EmbeddingRequest = ServiceFields & {
  model: string
  inputs: readonly EmbeddingInput[]
  /** The input is not in a list, and neither is the vector of the reply. */
  isSingle: boolean
  encoding: VectorEncoding
  dimensions?: number
  /** The caller's end user. */
  user?: string
  /** Fields that only upstreams of the same dialect get. */
  untranslated: readonly string[]
  /** Why upstreams of other dialects cannot serve it; undefined: they can. */
  untranslatable: RequestError | undefined
  /** How many JSON values the body has. */
  values: number
  /** The body for an upstream of the same dialect. */
  passed(edits: EmbeddingEdits): Pieces
  /** Absent: the client speaks the dialect itself. */
  form?: EmbeddingForm
}

/** A client's form of requests and responses that is none of the dialects, and which some upstreams have, too. */
export type EmbeddingForm = {
  /** Fields that were given, and that only such an upstream knows. */
  own: readonly string[]
  /** The body for such an upstream. */
  body(model: string, remove: readonly string[]): Pieces
  decodeReply(
    bytes: Uint8Array,
  ): ({ ok: true; passed?: undefined } & Omit<EmbeddingReply, 'passed'>) | { ok: false; error: ErrorInfo }
  encodeReply(vectors: Vectors, reply: { id: string; tokens: number }): Pieces
}

export type EmbeddingEdits = UpstreamFields & {
  model: string
  /** Fields to leave out. */
  remove: readonly string[]
  /** What stands in for the end user. Absent: it stays. */
  user?: string | undefined
}

/** How the fields of an upstream differ from those of its dialect: which it lacks, and which have other names. */
export type UpstreamFields = { lacks: readonly string[]; names: Readonly<Record<string, string>> }

/** Each vector is JSON as the upstream sent it, in the order of the inputs: a list of numbers, or a string of base64. */
export type Vectors = readonly Uint8Array[]

export type EmbeddingReply = {
  vectors: Vectors
  /** As the upstream names the model that answered; undefined: it does not. */
  model: string | undefined
  /** Tokens of the input, if they were reported. */
  tokens: number | undefined
  /** The reply for a client of the same dialect. `counted`: the tokens to name if the upstream reports none. */
  passed(renameTo: string | undefined, counted?: number): Pieces
}

export type DecodedEmbeddings = ({ ok: true } & EmbeddingReply) | { ok: false; error: ErrorInfo }
