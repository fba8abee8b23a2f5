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

export interface Alerts {
  /** Replaces what this source has measured before. */
  putFacts(source: string, facts: readonly AlertFact[], expiresAt: number): Promise<void>
  /** Those that have not expired. */
  facts(now: number): Promise<AlertFact[]>
  /** Open holds from before this time. */
  oldHolds(before: number): Promise<OldHolds>
  /** Models whose upstreams cost more than was charged since `from`, the largest loss first. */
  losses(from: number, least: Nanos, limit: number): Promise<Loss[]>
  /** All that are not resolved, also those that have not fired. */
  unresolved(): Promise<Alert[]>
  /** Those that have fired, newest first. `before`: only those with a lower id; `after`: with a higher one. */
  list(filter: { isOpen?: boolean; before?: bigint; after?: bigint }, limit: number): Promise<Alert[]>
  /** The deliveries of these alerts. */
  deliveries(alerts: readonly bigint[]): Promise<DeliveryState[]>
  /** undefined if the rule has an unresolved alert for the object. */
  begin(alert: Pick<Alert, 'rule' | 'object' | 'value' | 'since'>): Promise<Alert | undefined>
  /** The condition ended before the alert fired. */
  drop(id: bigint): Promise<void>
  update(id: bigint, change: Pick<Alert, 'value' | 'clearSince'>): Promise<void>
  /** Each with its deliveries in one transaction; false, and nothing is written, if that has happened before. */
  fire(id: bigint, at: number, deliveries: readonly NewDelivery[]): Promise<boolean>
  /** Fires without a delivery. */
  fireMuted(id: bigint, at: number): Promise<boolean>
  /** The mute of an alert that fired under it is over. */
  fireAfterMute(id: bigint, at: number, deliveries: readonly NewDelivery[]): Promise<boolean>
  resolve(id: bigint, at: number, deliveries: readonly NewDelivery[]): Promise<boolean>
  /**
   * Deliveries that are due. What is due later than `latest` was postponed before the clock was set back. What was resolved waits for
   * what fired to have reached the same target.
   */
  due(now: number, latest: number, limit: number): Promise<AlertDelivery[]>
  /** Counts a try and postpones the next one; false if another process has done so. */
  claim(delivery: Pick<AlertDelivery, 'id' | 'tries'>, nextAt: number): Promise<boolean>
  /** `endedAt` undefined: there will be another try. */
  record(id: bigint, outcome: { endedAt: number | undefined; error: string | undefined }): Promise<void>
  /** Those that are not over. */
  mutes(now: number): Promise<AlertMute[]>
  /** Replaces the mute of the same rule and object. */
  setMute(mute: AlertMute, now: number): Promise<void>
  removeMute(rule: string, object: string): Promise<void>
  /** Removes alerts that were resolved before this time, with their deliveries; resolves with their number. */
  sweep(resolvedBefore: number, limit: number): Promise<number>
}
