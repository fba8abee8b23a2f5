// A request on its way through the journey. Nothing of it is changed after it was read.

import type { RequestHeaders } from '@trivium/http/request.ts'
import type { Json } from '@trivium/protocol/canonical/reading.ts'
import type { PathParameters } from '@trivium/protocol/dialects/dialect.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { PassThroughRequest } from '@trivium/protocol/dialects/pass-through.ts'
import { codec } from '../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { Conversation } from '../conversations/continue.ts'
import type { Caller } from '../storage/storage.ts'
import type { RecalledReasoning } from './reasoning/recalled-reasoning.ts'

/** What the path says of a request: its dialect, and the parameters that are part of the path. */
export type TextEndpoint = { dialect: TextDialect; addressed?: PathParameters; asArray?: boolean }

/** A request as it was read. */
export type TextRequest = Readonly<{
  id: bigint
  headers: RequestHeaders
  /** The query of the URL, without its question mark. */
  query: string
  /** The caller's dialect. */
  dialect: TextDialect
  parsed: PassThroughRequest
  body: Uint8Array
  /** Set if the response is generated in the background. `body`: of the request that is run later, without its history. */
  background: { isStreamed: boolean; body: Uint8Array } | undefined
  /** The caller of a generate-content stream wants one JSON array. */
  asArray: boolean
  /** undefined: it refers to no stored response, and its own is not stored. */
  conversation: Pick<Conversation, 'echo' | 'include' | 'hidesEncrypted' | 'keep'> | undefined
  /** How long reasoning is kept that the client cannot send back; undefined: it is not. */
  keepReasoningMs: number | undefined
  /** undefined: none was looked for. */
  recalled: RecalledReasoning | undefined
  /** Also where the upstream has the caller's dialect. */
  isTranslated?: true
  /** The path of a service, in place of that of the dialect. */
  servicePath?: string
}>

/** The body, parsed. A long chat request is read without that, so it is parsed here. */
export const bodyOf = ({ parsed, body }: Pick<TextRequest, 'parsed' | 'body'>): Json =>
  parsed.body ?? (JSON.parse(codec.decode(body, 0, body.length)) as Json)

/** An attempt before it is made: the request, and the candidate that it is sent to. */
export type PlannedAttempt = Readonly<{
  request: TextRequest
  caller: Caller
  /** The offer of the model that is called. */
  offer: OfferOf<'text'>
  candidate: CandidateOf<'text'>
  /** Warnings whichever candidate answers. */
  ownWarnings: readonly string[]
  /** Those, and what was dropped or changed for this candidate, in the caller's field names. Grows until the response has ended. */
  warnings: string[]
}>
