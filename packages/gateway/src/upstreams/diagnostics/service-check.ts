// What a check of a service is, and what the checks of several endpoints share.
import { codec } from '../../bytes/codec.ts'
import type { ServiceEndpoint } from '../../config/types.ts'
import type { ServiceId } from '../../endpoints/index.ts'

/** What is wrong with a reply; `absent`: it lacks something that not every model has. undefined: nothing. */
export type Problem = string | { absent: string } | undefined

type Units = Readonly<Record<string, number>>

export type ServiceCheck = {
  row: string
  /** JSON, or the fields of a form. */
  body(model: string, endpoint: ServiceEndpoint): Uint8Array | FormData
  /** What is counted without a report, by the names of receipts. */
  counted?: Units
  /** The most that a report can say. If that is input alone, its tokens are read. */
  most: Units
  /** `reply`: as JSON where it is some, else as text. */
  judge(reply: unknown, text: string): Problem
  /** Not every server or model has it: a rejection is no failure. */
  isOptional?: true
}

/** `embed`: embeddings in Cohere's own form, at a path of their own. */
export type CheckedId = ServiceId | 'embed'
/** The checks of what an endpoint calls, by service. */
export type ServiceChecks = Readonly<Partial<Record<CheckedId, readonly ServiceCheck[]>>>

export const json = (body: object): Uint8Array => codec.encode(JSON.stringify(body))

export const TEXTS = ['A red ship on the sea.', 'How a circuit breaker works.']

export const listOf = (value: unknown, name: string): unknown[] => {
  const list: unknown = Object(value)[name]
  return Array.isArray(list) ? list : []
}

export const hasText = (reply: unknown): Problem =>
  typeof Object(reply).text === 'string' ? undefined : 'the response has no text'

/** A stream of events: pieces, and one that ends it. Servers that do not know the field answer in one piece. */
export const streams =
  (piece: string, end: string) =>
  (_: unknown, text: string): Problem => {
    if (!/^(?:event|data|:)/.test(text))
      return { absent: 'the response came in one piece, though a stream was asked for' }
    const lacking = [piece, end].find((type) => !text.includes(`"${type}"`))
    return lacking === undefined ? undefined : `the stream has no event ${lacking}`
  }

/** undefined: none are reported. */
export function tokensOf(reply: unknown): number | undefined {
  const { total_tokens, prompt_tokens } = Object(Object(reply).usage) as Record<string, unknown>
  const tokens = total_tokens ?? prompt_tokens
  return typeof tokens === 'number' && tokens > 0 ? tokens : undefined
}
