// The ledger as a pure state machine: verbs in, results out, all rows reached through a Book.
// SQLite's writer runs this code inside a transaction; PostgreSQL has the same rules as one function. The contract suite
// and the simulation compare both with it.
//
// A request row moves   held -> settled | voided | reaped   and   reaped -> settled | voided, once, by its owner only. A reaped request that a
// repetition voided in its owner's name, so that the caller pays once, is settled at the operator's expense if the owner returns.
// Each verb checks first and writes after: a rejected verb changes nothing, except that a rejected extension still records its
// progress. A verb on a request may be repeated: the second time it changes nothing and returns the first result, so a
// caller that lost the response can retry.
import type { Nanos } from './amount.ts'
import {
  type AccountRow,
  type Book,
  DEAD_AFTER_MS,
  HELD,
  type KeyRow,
  REAPED,
  REAPED_OUTCOME,
  REVENUE,
  type RequestRow,
  type RequestState,
  SETTLED,
  SHORTFALL,
  type Spending,
  TASK_NODE,
  VOIDED,
} from './book.ts'
import {
  begin as beginMeters,
  concurrencyReached,
  correctTokens,
  grant,
  limitReached,
  payable,
  reserve,
  tokensFor,
  tokensLeft,
  tokensReached,
} from './grant.ts'
import { acquireLease, releaseLease, renewLease } from './leases.ts'
import { noteSpent, noteSpentThen } from './limits.ts'
import { isAlive, join, leave, renew } from './nodes.ts'
import {
  type Begin,
  done,
  type Extend,
  type Hold,
  type Owned,
  type Reap,
  type Result,
  rejected,
  repeated,
  type Settle,
  taskLease,
  type Verb,
  type Void,
} from './verbs.ts'

export * from './book.ts'
export * from './verbs.ts'

export function apply(book: Book, verb: Verb): Result {
  switch (verb.verb) {
    case 'hold':
      return hold(book, verb)
    case 'extend':
      return extend(book, verb)
    case 'settle':
      return finish(book, verb, SETTLED, verb.cost)
    case 'void':
      return finish(book, verb, VOIDED, 0n)
    case 'begin':
      return begin(book, verb)
    case 'reap':
      return reap(book, verb)
    case 'join':
      return join(book, verb)
    case 'renew':
      return renew(book, verb)
    case 'leave':
      return leave(book, verb)
    case 'acquire_lease':
      return acquireLease(book, verb)
    case 'renew_lease':
      return renewLease(book, verb)
    case 'release_lease':
      return releaseLease(book, verb)
  }
}

function hold(book: Book, verb: Hold): Result {
  const existing = book.request(verb.id)
  if (existing)
    return isOwner(book, existing, verb) && existing.state === HELD
      ? repeated(existing.held, existing.tokens)
      : rejected('not_open')
  const isTask = verb.nodeId === TASK_NODE
  if (isTask && !hasLease(book, verb)) return rejected('lease_lost')
  if (!isTask && !isAlive(book, verb)) return rejected('node_lost')
  const account = book.account(verb.account)
  const key = book.key(verb.key)
  if (!account || !key || key.account !== account.id || key.deleted) return rejected('key_invalid')
  if (key.expiresAt !== undefined && key.expiresAt <= book.now) return rejected('key_expired')
  if (account.disabled) return rejected('account_disabled')
  if (key.revision !== verb.revision) return rejected('key_changed')
  const limited = limitReached('key', key, verb, book.now) ?? limitReached('account', account, verb, book.now)
  if (limited) return limited
  const granted = grant(book, account, key, verb)
  if (typeof granted !== 'bigint') return granted
  const tokens = Math.min(verb.tokens, tokensLeft(key, book.now), tokensLeft(account, book.now))
  beginMeters(key, isTask, book.now)
  beginMeters(account, isTask, book.now)
  reserve(book, account, key, granted, tokens)
  const { id, nodeId, epoch, deadline, model, upstream } = verb
  book.insertRequest({
    id,
    account: account.id,
    key: key.id,
    nodeId,
    epoch,
    deadline,
    state: HELD,
    held: granted,
    heldAt: book.now,
    tokens,
    progress: 0n,
    cost: 0n,
    shortfall: 0n,
    model,
    upstream,
    upstreamCost: 0n,
    outcome: '',
    receipt: '',
  })
  return done(granted, tokens)
}

function extend(book: Book, verb: Extend): Result {
  const request = book.request(verb.id)
  if (!request) return rejected('unknown_request')
  if (!isOwner(book, request, verb) || request.state !== HELD) return rejected('not_open')
  const account = book.account(request.account)
  const key = book.key(request.key)
  if (!account || !key) return rejected('key_invalid')
  if (verb.progress > request.progress) {
    request.progress = verb.progress
    book.saveRequest(request)
  }
  if (request.held > verb.known) return repeated(request.held - verb.known)
  const room = tokensFor(verb, verb.minimum)
  const limited = tokensReached('key', key, room, book.now) ?? tokensReached('account', account, room, book.now)
  if (limited) return limited
  const left = Math.min(tokensLeft(key, book.now), tokensLeft(account, book.now))
  // No more money than the remaining tokens need: a stream then uses its minute to the end, not to a whole step before it.
  const amount = left < verb.tokens ? (verb.amount * BigInt(left)) / BigInt(verb.tokens) : verb.amount
  const want = { amount, minimum: verb.minimum, extensible: verb.whole !== true }
  const granted = grant(book, account, key, want)
  if (typeof granted !== 'bigint') return granted
  const tokens = tokensFor(verb, granted)
  reserve(book, account, key, granted, tokens)
  request.held += granted
  request.tokens += tokens
  book.saveRequest(request)
  return done(granted, tokens)
}

/** Nothing was sent for the task yet, so whether its key may still be used is asked once more. */
function begin(book: Book, verb: Begin): Result {
  const request = book.request(verb.id)
  if (!request) return rejected('unknown_request')
  const { nodeId, epoch } = verb
  if (request.state === HELD && request.nodeId === nodeId && request.epoch === epoch)
    return repeated(request.held, request.tokens)
  const isOwn = request.nodeId === TASK_NODE && book.lease(taskLease(verb.id))?.epoch === verb.lease
  if (request.state !== HELD || !isOwn) return rejected('not_open')
  if (!isAlive(book, verb)) return rejected('node_lost')
  const account = book.account(request.account)
  const key = book.key(request.key)
  if (!account || !key || key.deleted) return rejected('key_invalid')
  if (key.expiresAt !== undefined && key.expiresAt <= book.now) return rejected('key_expired')
  if (account.disabled) return rejected('account_disabled')
  const limited = concurrencyReached('key', key) ?? concurrencyReached('account', account)
  if (limited) return limited
  key.meter.open += 1
  account.meter.open += 1
  book.saveKey(key)
  book.saveAccount(account)
  request.nodeId = nodeId
  request.epoch = epoch
  request.deadline = undefined
  book.saveOwner(request)
  return done(request.held, request.tokens)
}

/** Settle and void: end a request once, or correct what the reaper decided in the owner's absence. */
function finish(book: Book, verb: Settle | Void, state: RequestState, cost: Nanos): Result {
  const request = book.request(verb.id)
  if (!request) return rejected('unknown_request')
  if (!isOwner(book, request, verb)) return rejected('not_open')
  if (verb.verb === 'settle' && isTakenOver(request)) return bookLoss(book, request, verb)
  if (request.state === SETTLED || request.state === VOIDED) return repeated(request.cost)
  removeSpending(book, request)
  const { account, key, paid } = charge(book, request, cost)
  correctTokens(request, verb.verb === 'settle' ? verb.tokens : 0, account, key, book.now)
  request.state = state
  request.outcome = verb.outcome
  request.receipt = verb.receipt
  if (verb.verb === 'settle') request.upstream = verb.upstream ?? request.upstream
  request.upstreamCost = verb.verb === 'settle' ? verb.upstreamCost : 0n
  book.addSpending(spendingOf(request, 1))
  book.saveRequest(request)
  return done(request.cost, 0, paid)
}

/** Voided after it was reaped, by a repetition that ran instead: see paid-call/claim.ts. */
const isTakenOver = ({ state, nodeId, outcome }: RequestRow): boolean =>
  state === VOIDED && nodeId !== TASK_NODE && outcome === REAPED_OUTCOME

/** The response was delivered, but its caller pays for the repetition: the cost is the operator's shortfall. */
function bookLoss(book: Book, request: RequestRow, { cost, outcome, receipt }: Settle): Result {
  if (cost > 0n) book.transfer(request.id, SHORTFALL, REVENUE, cost)
  request.state = SETTLED
  request.shortfall = cost
  request.outcome = outcome
  request.receipt = receipt
  book.saveRequest(request)
  return done(request.cost)
}

function reap(book: Book, verb: Reap): Result {
  const orphans = book.orphans(book.now - DEAD_AFTER_MS, verb.limit)
  let change = 0n
  for (const request of orphans) {
    // A node may return and correct this. The deadline of a task is final.
    const isTask = request.nodeId === TASK_NODE
    const { account, key, paid } = charge(book, request, isTask ? 0n : request.progress)
    change += paid
    if (isTask) correctTokens(request, 0, account, key, book.now)
    request.state = isTask ? VOIDED : REAPED
    request.outcome = isTask ? 'expired' : REAPED_OUTCOME
    request.upstreamCost = undefined
    book.addSpending(spendingOf(request, 1))
    book.saveRequest(request)
  }
  return done(BigInt(orphans.length), 0, change)
}

/** What an ended request contributes to the sums of spending, by its upstream and outcome. */
function spendingOf(request: RequestRow, sign: 1 | -1): Spending {
  const { account, key, model, upstream, outcome, tokens, cost, upstreamCost } = request
  return {
    account,
    key,
    model,
    upstream,
    outcome,
    requests: sign,
    tokens: sign * tokens,
    cost: sign === 1 ? cost : -cost,
    upstreamCost: sign === 1 ? (upstreamCost ?? 0n) : -(upstreamCost ?? 0n),
    unknownCosts: upstreamCost === undefined ? sign : 0,
  }
}

/** What the reaper decided is corrected in the present hour: a sum may be negative there. */
function removeSpending(book: Book, request: RequestRow): void {
  if (request.state !== HELD) book.addSpending(spendingOf(request, -1))
}

type Charged = { account: AccountRow; key: KeyRow; paid: Nanos }

/**
 * Sets the total cost of the request to `cost`: releases its hold, or corrects what was charged when it was reaped. Beyond
 * the hold, the charge is limited to what is available and the caps; the rest is the operator's shortfall. A task is never
 * charged beyond its hold: it counts in the period of its submit, and what a period that is over has left is not known any more.
 */
function charge(book: Book, request: RequestRow, cost: Nanos): Charged {
  const account = book.account(request.account)
  const key = book.key(request.key)
  if (!account || !key) throw new Error(`request ${request.id} has no account or key`)
  const isTask = request.nodeId === TASK_NODE
  const released = request.state === HELD ? request.held : 0n
  account.held -= released
  key.held -= released
  if (request.state === HELD && !isTask) {
    account.meter.open -= 1
    key.meter.open -= 1
  }
  const due = cost - request.cost
  const paid = payable(book, isTask && due > released ? released : due, released, account, key)
  account.balance -= paid
  account.spent += paid
  key.spent += paid
  if (paid !== 0n) {
    const [note, time] = isTask ? [noteSpentThen, request.heldAt] : [noteSpent, book.now]
    note(account.meter, paid, time)
    note(key.meter, paid, time)
  }
  book.saveAccount(account)
  book.saveKey(key)
  if (paid > 0n) book.transfer(request.id, account.id, REVENUE, paid)
  if (paid < 0n) book.transfer(request.id, REVENUE, account.id, -paid)
  request.cost += paid
  const shortfall = cost - request.cost
  if (shortfall > request.shortfall) book.transfer(request.id, SHORTFALL, REVENUE, shortfall - request.shortfall)
  if (shortfall < request.shortfall) book.transfer(request.id, REVENUE, SHORTFALL, request.shortfall - shortfall)
  request.shortfall = shortfall
  return { account, key, paid }
}

/** The lease of a task may have expired, as long as no other process has acquired it since. */
function isOwner(book: Book, request: RequestRow, owner: Owned): boolean {
  if (request.nodeId !== owner.nodeId) return false
  if (request.nodeId === TASK_NODE) return book.lease(taskLease(request.id))?.epoch === owner.epoch
  return request.epoch === owner.epoch
}

function hasLease(book: Book, { id, epoch }: Owned): boolean {
  const lease = book.lease(taskLease(id))
  return lease?.epoch === epoch && lease.expiresAt > book.now
}
