// How much of a requested amount can be granted: by the balance, the key's cap, and the limits of account and key.
import type { Nanos } from './amount.ts'
import { type AccountRow, type Book, type KeyRow, REAPED, type RequestRow, TASK_NODE } from './book.ts'
import { added, isRecent, removed, spentIn, usedIn, type Window, waitFor } from './limits.ts'
import { type Extend, type Hold, type Result, rejected } from './verbs.ts'

type Whose = 'key' | 'account'
type Metered = Pick<AccountRow, 'limits' | 'meter'>

export function limitReached(whose: Whose, row: Metered, want: Hold, now: number): Result | undefined {
  const { concurrent, requestsPerMinute } = row.limits
  if (concurrent !== undefined && want.nodeId !== TASK_NODE && row.meter.open >= concurrent)
    return rejected(`${whose}_concurrent`)
  const { requests } = row.meter
  if (requestsPerMinute !== undefined && usedIn(requests, now) >= requestsPerMinute)
    return rejected(`${whose}_requests`, BigInt(waitFor(requests, now, requestsPerMinute, 1)))
  return tokensReached(whose, row, want.minimumTokens, now)
}

export function tokensReached(whose: Whose, row: Metered, room: number, now: number): Result | undefined {
  const limit = row.limits.tokensPerMinute
  if (limit === undefined || usedIn(row.meter.tokens, now) + room <= limit) return undefined
  return rejected(`${whose}_tokens`, BigInt(waitFor(row.meter.tokens, now, limit, room)))
}

export function tokensLeft({ limits, meter }: Metered, now: number): number {
  return limits.tokensPerMinute === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(0, limits.tokensPerMinute - usedIn(meter.tokens, now))
}

/** One more request begins. That of a task counts for limits per minute, but is not open. */
export function begin({ limits, meter }: Metered, isTask: boolean, now: number): void {
  if (!isTask) meter.open += 1
  if (limits.requestsPerMinute !== undefined) meter.requests = added(meter.requests, now, 1)
}

/** The part of an extension's tokens that goes with a part of its money. */
export function tokensFor({ amount, tokens }: Extend, part: Nanos): number {
  if (amount === 0n) return 0
  return part === amount ? tokens : Number((BigInt(tokens) * part + amount - 1n) / amount)
}

/** A hold that can be extended takes at most this part of the available amount, so that other requests can start. */
const SHARE = 16n

type Wanted = { amount: Nanos; minimum: Nanos; extensible: boolean }

/** What is granted of `amount`: all, a part down to `minimum`, or a rejection with the available amount. */
export function grant(account: AccountRow, key: KeyRow, want: Wanted, now: number): Nanos | Result {
  const inWallet = positive(account.balance - account.held)
  if (inWallet < want.minimum) return rejected('no_balance', inWallet)
  const underCap = leftUnderCap(key, now) ?? inWallet
  if (underCap < want.minimum) return rejected('cap_reached', underCap)
  const available = least(underCap, inWallet)
  return least(want.amount, want.extensible ? most(available / SHARE, want.minimum) : available)
}

/** The part of the key's cap that is neither spent nor held; undefined: it has no cap. */
function leftUnderCap({ cap, capPeriod, spent, held, meter }: KeyRow, now: number): Nanos | undefined {
  if (cap === undefined) return undefined
  return positive(cap - (capPeriod === undefined ? spent : spentIn(meter, capPeriod, now)) - held)
}

/**
 * The part of `due` that can be charged to a request that has just released its hold. The hold stays chargeable if the cap
 * was lowered since. Beyond it the charge is limited to the available balance and the cap: other holds are never touched.
 */
export function payable(due: Nanos, released: Nanos, account: AccountRow, key: KeyRow, now: number): Nanos {
  const inWallet = positive(account.balance - account.held)
  if (due <= released) return least(due, inWallet)
  const underCap = leftUnderCap(key, now) ?? inWallet
  return least(due, least(inWallet, most(released, underCap)))
}

export function reserve(book: Book, account: AccountRow, key: KeyRow, amount: Nanos, tokens: number): void {
  account.held += amount
  key.held += amount
  if (account.limits.tokensPerMinute !== undefined) account.meter.tokens = added(account.meter.tokens, book.now, tokens)
  if (key.limits.tokensPerMinute !== undefined) key.meter.tokens = added(key.meter.tokens, book.now, tokens)
  book.saveAccount(account)
  book.saveKey(key)
}

/**
 * Reserved tokens become used tokens. Reservations older than the window are not released, nor is that of a reaped request: a limit
 * that was set after the reaping has not counted it.
 */
export function correctTokens(request: RequestRow, used: number, account: Metered, key: Metered, now: number): void {
  const more = used - request.tokens
  request.tokens = used
  if (more < 0 && (request.state === REAPED || !isRecent(request.heldAt, now))) return
  if (account.limits.tokensPerMinute !== undefined) account.meter.tokens = changed(account.meter.tokens, now, more)
  if (key.limits.tokensPerMinute !== undefined) key.meter.tokens = changed(key.meter.tokens, now, more)
}

const changed = (window: Window, now: number, more: number): Window =>
  more < 0 ? removed(window, now, -more) : added(window, now, more)

const positive = (amount: Nanos): Nanos => (amount > 0n ? amount : 0n)
const least = (one: Nanos, other: Nanos): Nanos => (one < other ? one : other)
const most = (one: Nanos, other: Nanos): Nanos => (one > other ? one : other)
