// How fast and how much a key or an account may spend: windows of a minute, days, weeks and months, open requests.
// Pure, and on the store's clock, so that all nodes agree. PostgreSQL has the same rules as functions.
import type { Nanos } from './amount.ts'

/** undefined: no such limit. */
export type Limits = {
  requestsPerMinute: number | undefined
  tokensPerMinute: number | undefined
  concurrent: number | undefined
}

/** Far above any request or any minute, and sums of them are exact in a double. */
export const MAX_TOKENS = 1_000_000_000_000
/** Limits a reported count to what the ledger can hold; a higher one is wrong. */
export const bookableTokens = (tokens: number): number => Math.min(MAX_TOKENS, Math.max(0, Math.ceil(tokens)))

export const NO_LIMITS: Limits = { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrent: undefined }

/**
 * What was counted in the last minute: seconds since 1970 and the count of each, alternating, oldest first. Written only if a
 * limit needs it.
 */
export type Window = readonly number[]

/** What a key or an account has used, besides its total of money held and spent. */
export type Meter = Spent & {
  /** Running requests: open holds that belong to a node. */
  open: number
  requests: Window
  tokens: Window
}

export type Spent = {
  /** When something was last charged, by the store's clock. */
  spentAt: number
  /** On that day, less refunds; and in the week and month of that day (UTC) on the days before it. */
  spentDay: Nanos
  weekBefore: Nanos
  monthBefore: Nanos
}

export const newMeter = (): Meter => ({
  open: 0,
  spentAt: 0,
  spentDay: 0n,
  weekBefore: 0n,
  monthBefore: 0n,
  requests: [],
  tokens: [],
})

/** A window of whole seconds that never admits more than its limit in any 60 s: a second that is partly outside counts. */
const WINDOW_S = 60
const secondOf = (now: number): number => Math.floor(now / 1_000)
/** Counts far in the future came from a wrong clock; they must not reject a caller until that time. */
const counts = (second: number, present: number): boolean => Math.abs(present - second) <= WINDOW_S

export function usedIn(window: Window, now: number): number {
  const present = secondOf(now)
  let used = 0
  for (let at = 0; at < window.length; at += 2) if (counts(window[at] ?? 0, present)) used += window[at + 1] ?? 0
  return used
}

/** Milliseconds until `room` fits under `limit`; a whole window if it never does. */
export function waitFor(window: Window, now: number, limit: number, room: number): number {
  const present = secondOf(now)
  let used = usedIn(window, now)
  for (let at = 0; at < window.length; at += 2) {
    const second = window[at] ?? 0
    if (!counts(second, present)) continue
    used -= window[at + 1] ?? 0
    if (used + room <= limit) return (second + WINDOW_S + 1) * 1_000 - now
  }
  return WINDOW_S * 1_000
}

/** Adds `count` in the present second, and drops seconds that are outside the window. */
export function added(window: Window, now: number, count: number): Window {
  if (count === 0) return window
  const second = secondOf(now)
  const kept = recent(window, second)
  const last = kept.length - 2
  // Clocks may step back: what is newest stays newest.
  if (last >= 0 && (kept[last] ?? 0) >= second) kept[last + 1] = (kept[last + 1] ?? 0) + count
  else kept.push(second, count)
  return kept
}

/**
 * Removes `count`, oldest first: unused reservations are released, and actual usage counts a little longer than it should,
 * never shorter.
 */
export function removed(window: Window, now: number, count: number): Window {
  const kept = recent(window, secondOf(now))
  let left = count
  for (let at = 1; at < kept.length && left > 0; at += 2) {
    const taken = Math.min(left, kept[at] ?? 0)
    kept[at] = (kept[at] ?? 0) - taken
    left -= taken
  }
  return kept
}

function recent(window: Window, second: number): number[] {
  const kept: number[] = []
  for (let at = 0; at < window.length; at += 2) {
    const [when = 0, count = 0] = [window[at], window[at + 1]]
    if (count > 0 && counts(when, second)) kept.push(when, count)
  }
  return kept
}

/** Whether all that was reserved at `then` is still in the window. */
export const isRecent = (then: number, now: number): boolean => counts(secondOf(then), secondOf(now))

export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

const DAY_MS = 86_400_000
const dayOf = (time: number): number => Math.floor(time / DAY_MS)
/** Weeks begin on Monday; 1970 began on a Thursday. */
const weekOf = (time: number): number => Math.floor((dayOf(time) + 3) / 7)
const monthOf = (time: number): number => {
  const date = new Date(time)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/**
 * A clock that steps back over midnight does not renew a cap. After a clock that was wrong by more than a day, the present time
 * counts.
 */
export const notBefore = (spentAt: number, now: number): number =>
  now < spentAt && spentAt - now < DAY_MS ? spentAt : now

/** What was charged in the period that `time` lies in. */
export function spentIn(meter: Spent, period: Period, time: number): Nanos {
  const { spentAt } = meter
  const now = notBefore(spentAt, time)
  switch (period) {
    case 'day':
      return dayOf(spentAt) === dayOf(now) ? positive(meter.spentDay) : 0n
    case 'week':
      return weekOf(spentAt) === weekOf(now) ? positive(meter.weekBefore + meter.spentDay) : 0n
    case 'month':
      return monthOf(spentAt) === monthOf(now) ? positive(meter.monthBefore + meter.spentDay) : 0n
  }
}

/** The first moment of the period that `now` lies in. */
export function startOf(period: Period, now: number): number {
  const date = new Date(now)
  switch (period) {
    case 'day':
      return dayOf(now) * DAY_MS
    case 'week':
      return (weekOf(now) * 7 - 3) * DAY_MS
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  }
}

/** The first moment after the period that `now` lies in. */
export function endOf(period: Period, now: number): number {
  const date = new Date(now)
  switch (period) {
    case 'day':
      return (dayOf(now) + 1) * DAY_MS
    case 'week':
      return ((weekOf(now) + 1) * 7 - 3) * DAY_MS
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  }
}

/** Books `paid` (below zero: refunded) in the present day. */
export function noteSpent(meter: Spent, paid: Nanos, time: number): void {
  const { spentAt } = meter
  const now = notBefore(spentAt, time)
  meter.spentAt = now
  if (dayOf(spentAt) === dayOf(now)) {
    meter.spentDay += paid
    return
  }
  meter.weekBefore = weekOf(spentAt) === weekOf(now) ? meter.weekBefore + meter.spentDay : 0n
  meter.monthBefore = monthOf(spentAt) === monthOf(now) ? meter.monthBefore + meter.spentDay : 0n
  meter.spentDay = paid
}

/** Books `paid` in the day of `then`, which may be long ago: a task is charged in the period of its submit. */
export function noteSpentThen(meter: Spent, paid: Nanos, then: number): void {
  const { spentAt } = meter
  if (dayOf(then) >= dayOf(spentAt)) noteSpent(meter, paid, then)
  else {
    if (weekOf(then) === weekOf(spentAt)) meter.weekBefore += paid
    if (monthOf(then) === monthOf(spentAt)) meter.monthBefore += paid
  }
}

const positive = (amount: Nanos): Nanos => (amount > 0n ? amount : 0n)
