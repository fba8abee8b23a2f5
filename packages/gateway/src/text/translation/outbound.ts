// One request on its way to one upstream: what is sent there, and how its answer is read back. Either the bytes pass
// through (pass-through.ts), or everything goes through the canonical model (translate.ts).

import type { Cancel } from '@trivium/http/cancel.ts'
import type { RequestHeaders } from '@trivium/http/request.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import type {
  Meter,
  PassThroughReply,
  PassThroughRequest,
  TextDialect,
} from '@trivium/protocol/dialects/text-dialect.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Candidate, Offer } from '../../access/catalogue.ts'
import type { PricedOptions } from '../../money/prices/token-price.ts'
import type { Caller } from '../../storage/storage.ts'
import type { Dependencies } from '../dependencies.ts'

/** What a request brings along to whatever becomes of it. */
export type Asked = {
  parts: Dependencies
  id: bigint
  caller: Caller
  headers: RequestHeaders
  /** The caller's dialect. */
  dialect: TextDialect
  request: PassThroughRequest
  body: Uint8Array
  /** Of the model that the caller named. */
  wanted: Offer
  /** Of the one that is asked: the same, or a fallback. */
  offer: Offer
  candidate: Candidate
  /** Candidates that brought nothing. */
  tried: readonly Candidate[]
  /** The caller of a generate-content stream wants one JSON array. */
  asArray: boolean
  /** What a caller is told whoever answers. */
  said: readonly string[]
  /** All of that, and what had to be left out or changed, in the caller's words. Grows until the answer is over. */
  warnings: string[]
}

export type Outbound = {
  /** The upstream's dialect. */
  dialect: TextDialectId
  path: string
  headers: Record<string, string>
  /** The output cap that the upstream is given, where it is another than the caller's. */
  maxOutput: number | undefined
  /** What is asked of the upstream that has a price of its own. */
  wishes: PricedOptions
  /** The body; `loweredCap` is a cap that the balance allows. May have to fetch what the body needs. */
  body(loweredCap: number | undefined, cancel: Cancel): Pieces | Promise<Pieces>
  answerer: Answerer
  /** The upstream answers: what was kept for another try may go. */
  release?(): void
  /** The same without the field that the upstream has just refused, if it is one that can be left out. */
  without(refusal: ErrorInfo): Outbound | undefined
}

/** Lives as long as the answer: it must not hold on to the request. */
export type Answerer = {
  streamType: string
  heartbeat: Uint8Array
  readReply(bytes: Uint8Array): PassThroughReply
  openMeter(): StreamMeter
}

export type StreamMeter = Meter & {
  /** The dialect's error ending of a stream that has begun. */
  fail(error: ErrorInfo): Uint8Array
  /** Nothing is missing, though the upstream has not ended yet. */
  isWhole?(): boolean
}

/** The caller's own, where the upstream speaks it; the embedded model speaks whatever it is spoken to in. */
export function dialectOf({ upstream: { dialect, endpoints } }: Candidate, caller: TextDialectId): TextDialectId {
  if (dialect === undefined) return caller
  if (dialect === 'images' || dialect === 'video-tasks') throw new Error(`no text at a ${dialect} upstream`)
  for (const each of endpoints) if (each.dialect === caller) return caller
  return dialect
}
