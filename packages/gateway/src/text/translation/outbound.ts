// One request to one upstream: what is sent there, and how its response is read. Either the bytes pass through
// (pass-through.ts), or everything is translated by way of the canonical model (translate.ts).

import type { Cancel } from '@trivium/http/cancel.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { isTextDialect, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Meter, PassThroughReply } from '@trivium/protocol/dialects/pass-through.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { CandidateOf } from '../../catalogue/catalogue.ts'
import { baseModelOf } from '../../modalities/modality.ts'
import type { PricedOptions } from '../../money/prices/token-price.ts'
import type { Slot } from '../../overload/admission.ts'
import type { ReasoningCollector } from '../reasoning/collect-reasoning.ts'

export type Outbound = {
  /** The upstream's dialect. */
  dialect: TextDialectId
  path: string
  headers: Record<string, string>
  /** The output cap that is sent to the upstream, if it is not the caller's. */
  maxOutput: number | undefined
  /** Options of the request that have a price of their own. */
  options: PricedOptions
  /** The body; `loweredCap` is a cap that the balance allows. Fetches media that the body needs. */
  body(loweredCap: number | undefined, cancel: Cancel, slot: Pick<Slot, 'grow'>): Pieces | Promise<Pieces>
  answerer: Answerer
  /** The body of a translation. */
  encoded?: Readonly<Record<string, unknown>>
  /** There is output: memory that was kept for another attempt is freed. */
  release?(): void
  /** The same without the field that the upstream has just rejected, if it can be dropped. */
  without(rejection: ErrorInfo): Outbound | undefined
}

/** Lives as long as the response, so it must not reference the request. */
export type Answerer = {
  streamType: string
  heartbeat: Uint8Array
  readReply(bytes: Uint8Array): PassThroughReply
  openMeter(): StreamMeter
  /** Has the reasoning that the client cannot send back. Absent: there is none, or it is not kept. */
  collector?: ReasoningCollector | undefined
}

export type StreamMeter = Meter & {
  /** The dialect's error event for a stream that has begun. */
  fail(error: ErrorInfo): Uint8Array
  /** Nothing is missing, though the upstream has not ended yet. */
  isWhole?(): boolean
}

/** The caller's dialect if the upstream has an endpoint for it; the embedded upstream has one for each. */
export function dialectOf(
  { upstream: { dialect, endpoints }, route }: CandidateOf<'text'>,
  caller: TextDialectId,
): TextDialectId {
  if (dialect === undefined) return caller
  if (!isTextDialect(dialect)) throw new Error(`no text at a ${dialect} upstream`)
  for (const each of endpoints) if (each.models?.test(baseModelOf(route))) return each.dialect
  for (const each of endpoints) if (each.dialect === caller && !each.models) return caller
  return dialect
}
