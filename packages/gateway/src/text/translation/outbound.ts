// One request on its way to one upstream: what is sent there, and how its answer is read back. Either the bytes pass
// through (pass-through.ts), or everything goes through the canonical model (translate.ts).

import type { Cancel } from '@trivium/http/cancel.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { isTextDialect, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Meter, PassThroughReply } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { AccountSecrets } from '../../access/account-secrets.ts'
import type { TextCandidate } from '../../access/catalogue.ts'
import type { PricedOptions } from '../../money/prices/token-price.ts'
import type { fetchPublic } from '../../upstreams/fetch-public.ts'
import type { StatisticsByModel } from '../billing/model-statistics.ts'
import type { Seals } from './seals.ts'
import type { UnsupportedFields } from './unsupported-fields.ts'

export type TranslationDependencies = {
  seals: Seals
  unsupportedFields: UnsupportedFields
  statistics: StatisticsByModel
  accountKeys: AccountSecrets
  fetchPublic: typeof fetchPublic
}

export type Outbound = {
  /** The upstream's dialect. */
  dialect: TextDialectId
  path: string
  headers: Record<string, string>
  /** The output cap that the upstream is given, where it is another than the caller's. */
  maxOutput: number | undefined
  /** What the request asks for that has a price of its own. */
  options: PricedOptions
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

/** The caller's own, where the upstream endpoints it; the embedded model endpoints whatever it is spoken to in. */
export function dialectOf({ upstream: { dialect, endpoints } }: TextCandidate, caller: TextDialectId): TextDialectId {
  if (dialect === undefined) return caller
  if (!isTextDialect(dialect)) throw new Error(`no text at a ${dialect} upstream`)
  for (const each of endpoints) if (each.dialect === caller) return caller
  return dialect
}
