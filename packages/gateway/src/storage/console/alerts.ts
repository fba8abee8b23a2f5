// What alerts are made of: measurements of nodes, conditions with their state, and an outbox of what is to be sent.
import type { Nanos } from '../../money/amount.ts'
import { fieldsOf, flag, integer, maybe, small, text, word } from '../fields.ts'

export const toFact = fieldsOf({
  rule: text,
  object: text,
  /** What these two count depends on the rule. */
  amount: small,
  total: small,
})
export type AlertFact = ReturnType<typeof toFact>

/** Times are in milliseconds since 1970, by the clock of the caller. */
export const toAlert = fieldsOf({
  id: integer,
  rule: text,
  object: text,
  /** The last value, in words. */
  value: text,
  since: small,
  /** undefined: the condition has not lasted long enough. */
  firedAt: maybe(small),
  /** Since when the condition is no longer true. */
  clearSince: maybe(small),
  resolvedAt: maybe(small),
  /** It fired while it was muted, and nothing was sent of it. */
  isMuted: flag,
})
export type Alert = ReturnType<typeof toAlert>
export type AlertEvent = 'fired' | 'resolved'

/** `target` names where it goes, without a secret. */
export type NewDelivery = { target: string; body: string }
/** `endedAt`: when it was delivered, or, with an error, given up. */
export const toDeliveryState = fieldsOf({
  alert: integer,
  event: word<AlertEvent>(),
  target: text,
  tries: small,
  endedAt: maybe(small),
  error: maybe(text),
})
export type DeliveryState = ReturnType<typeof toDeliveryState>
export type AlertDelivery = NewDelivery & { id: bigint } & Pick<DeliveryState, 'alert' | 'event' | 'tries'>

/** The object of a mute of every alert of a rule. */
export const ANY_OBJECT = '*'
export const toMute = fieldsOf({ rule: text, object: text, until: small, actor: text })
export type AlertMute = ReturnType<typeof toMute>

export type OldHolds = { count: number; held: Nanos; oldestAt: number | undefined }
export type Loss = { model: string; charged: Nanos; upstreamCost: Nanos }
