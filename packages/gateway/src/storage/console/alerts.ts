// What alerts are made of: measurements of nodes, conditions with their state, and an outbox of what is to be sent.
import type { Nanos } from '../../money/amount.ts'

/** What `amount` and `total` count depends on the rule. */
export type AlertFact = { rule: string; object: string; amount: number; total: number }

/** Times are in milliseconds since 1970, by the clock of the caller. */
export type Alert = {
  id: bigint
  rule: string
  object: string
  /** The last value, in words. */
  value: string
  since: number
  /** undefined: the condition has not lasted long enough. */
  firedAt: number | undefined
  /** Since when the condition is no longer true. */
  clearSince: number | undefined
  resolvedAt: number | undefined
  /** It fired while it was muted, and nothing was sent of it. */
  isMuted: boolean
}
export type AlertEvent = 'fired' | 'resolved'

/** `target` names where it goes, without a secret. */
export type NewDelivery = { target: string; body: string }
export type AlertDelivery = NewDelivery & { id: bigint; alert: bigint; event: AlertEvent; tries: number }
/** `endedAt`: when it was delivered, or, with an error, given up. */
export type DeliveryState = Pick<AlertDelivery, 'alert' | 'event' | 'target' | 'tries'> & {
  endedAt: number | undefined
  error: string | undefined
}

/** The object of a mute of every alert of a rule. */
export const ANY_OBJECT = '*'
export type AlertMute = { rule: string; object: string; until: number; actor: string }

export type OldHolds = { count: number; held: Nanos; oldestAt: number | undefined }
export type Loss = { model: string; charged: Nanos; upstreamCost: Nanos }
