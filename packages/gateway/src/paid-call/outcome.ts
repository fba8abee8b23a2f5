// How a paid call can end. The words are on the receipt and in `trivium usage`.
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Nanos } from '../money/amount.ts'
import type { Charge } from '../money/prices/price.ts'
import { DELIVERED_OUTCOMES } from '../storage/storage.ts'
import type { UpstreamCall } from '../upstreams/upstream-call.ts'

export type Outcome =
  | 'completed'
  | 'incomplete'
  | 'content_filtered'
  | 'stopped_by_balance'
  | 'failed'
  | 'cut'
  | 'timeout'
  | 'client_disconnected'
  | 'shutdown'
  | TaskOutcome

/** Only of tasks. */
export type TaskOutcome = 'cancelled' | 'expired'

/** The client got a response of the model. */
export const DELIVERED: readonly Outcome[] = DELIVERED_OUTCOMES

/** The outcome of an upstream call that broke off: aborted by the gateway, or cut by the upstream. */
export const outcomeOfBreak = ({ reason }: Pick<UpstreamCall, 'reason'>): Outcome => reason ?? 'cut'

/** What a call came to, whatever kind of call it is. */
export type CallResult = {
  outcome: Outcome
  /** One for each price that applies. */
  charges: readonly Charge[]
  /** Then also a call that costs nothing is settled, not voided. */
  sawOutput: boolean
  /** What limits per minute count. */
  tokens?: number
  /** What the operator pays, where that is known. */
  upstreamCost?: Nanos | undefined
  /** Members of the receipt that only this kind of call has, in JSON, each after a comma. */
  details?: string
  /** A client that disconnected has not paid for all that was made for it: see free-aborts.ts. */
  isUnderpaid?: boolean
  /** What a repeated request is answered with; the headers are set. Pieces: of a response that may be large. */
  body?: Uint8Array | Pieces | undefined
  /** When a response that was not streamed was complete. */
  endedAt?: number | undefined
}
