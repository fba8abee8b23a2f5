// How much of a requested amount can be granted: by balance and credit line, by the caps and limits of key and account, and by budgets.
import type { Nanos } from './amount.ts'
import {
  type AccountRow,
  type Book,
  type Capped,
  type KeyRow,
  type MemberCap,
  REAPED,
  type RequestRow,
  TASK_NODE,
} from './book.ts'
import type { BudgetRow } from './budgets/budget.ts'
import { holdUnder, limitsBy } from './budgets/counting.ts'
import { added, isRecent, removed, spentIn, usedIn, type Window, waitFor } from './limits.ts'
import { type Extend, type Hold, type Result, rejected } from './verbs.ts'

type Whose = 'key' | 'account'
type Metered = Pick<AccountRow, 'limits' | 'meter'>

export function limitReached(whose: Whose, row: Metered, want: Hold, now: number): Result | undefined {
  const { requestsPerMinute } = row.limits
  const crowded = want.nodeId === TASK_NODE ? undefined : concurrencyReached(whose, row)
  if (crowded) return crowded
  const { requests } = row.meter
  if (requestsPerMinute !== undefined && usedIn(requests, now) >= requestsPerMinute)
    return rejected(`${whose}_requests`, BigInt(waitFor(requests, now, requestsPerMinute, 1)))
  return tokensReached(whose, row, want.minimumTokens, now)
}

export function concurrencyReached(whose: Whose, { limits, meter }: Metered): Result | undefined {
  const { concurrent } = limits
  return concurrent !== undefined && meter.open >= concurrent ? rejected(`${whose}_concurrent`) : undefined
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

/** Whose funds and limits a request takes. */
export type Payers = { account: AccountRow; key: KeyRow; budgets: readonly BudgetRow[] }

type Wanted = { amount: Nanos; minimum: Nanos; extensible: boolean }

/** What is granted of `amount`: all, a part down to `minimum`, or a rejection with the available amount. */
export function grant(book: Book, { account, key, budgets }: Payers, want: Wanted): Nanos | Result {
  const { now } = book
  const inWallet = availableIn(account)
  if (inWallet < want.minimum) return rejected('no_balance', inWallet)
  const underKeyCap = leftUnderCap(key, now) ?? inWallet
  if (underKeyCap < want.minimum) return rejected('key_cap_reached', underKeyCap)
  const underMemberCap = leftUnderMemberCap(book.memberCap(key), now) ?? inWallet
  if (underMemberCap < want.minimum) return rejected('member_cap_reached', underMemberCap)
  const underAccountCap = leftUnderCap(account, now) ?? inWallet
  if (underAccountCap < want.minimum) return rejected('account_cap_reached', underAccountCap)
  let available = least(least(inWallet, underKeyCap), least(underMemberCap, underAccountCap))
  for (const { budget, left } of limitsBy(budgets, now)) {
    if (left < want.minimum) return rejected('budget_reached', left, budget)
    available = least(available, left)
  }
  return least(want.amount, want.extensible ? most(available / SHARE, want.minimum) : available)
}

/** What new holds may take: 0 also where the credit line was lowered below what is held. */
const availableIn = ({ balance, creditLine, held }: AccountRow): Nanos => positive(balance + creditLine - held)

/** The part of a cap that is neither spent nor held; undefined: there is no cap. */
function leftUnderCap({ cap, capPeriod, spent, held, meter }: Capped, now: number): Nanos | undefined {
  if (cap === undefined) return undefined
  return positive(cap - (capPeriod === undefined ? spent : spentIn(meter, capPeriod, now)) - held)
}

/** The same of a cap that several keys share. Each key counts what it has spent, so that a cap that is new counts it too. */
function leftUnderMemberCap(shared: MemberCap | undefined, now: number): Nanos | undefined {
  if (shared === undefined) return undefined
  let left = shared.cap
  for (const { meter, held } of shared.keys) left -= spentIn(meter, shared.capPeriod, now) + held
  return positive(left)
}

/**
 * The part of `due` that can be charged to a request that has just released its hold. The hold stays chargeable if a cap
 * or the credit line was lowered since. Beyond it the charge is limited to what is available and the caps: other holds are never touched.
 */
export function payable(book: Book, due: Nanos, released: Nanos, { account, key, budgets }: Payers): Nanos {
  if (due <= released) return due
  const { now } = book
  const caps = [leftUnderCap(key, now), leftUnderMemberCap(book.memberCap(key), now), leftUnderCap(account, now)]
  for (const { left } of limitsBy(budgets, now)) caps.push(left)
  const available = caps.reduce((left: Nanos, cap) => least(left, cap ?? left), availableIn(account))
  return least(due, most(released, available))
}

export function reserve(book: Book, { account, key, budgets }: Payers, amount: Nanos, tokens: number): void {
  account.held += amount
  key.held += amount
  holdUnder(book, budgets, amount)
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
