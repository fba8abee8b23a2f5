// How a request ends: its cost is charged, its hold released, and it counts in the sums of spending.
import type { Nanos } from './amount.ts'
import {
  type AccountRow,
  type Book,
  HELD,
  type KeyRow,
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
import { budgetsOf, chargeUnder, releaseUnder } from './budgets/counting.ts'
import { correctTokens, payable } from './grant.ts'
import { noteSpent, noteSpentThen } from './limits.ts'
import { done, type Owned, type Result, rejected, repeated, type Settle, taskLease, type Void } from './verbs.ts'

/** Settle and void: end a request once, or correct what the reaper decided in the owner's absence. */
export function finish(book: Book, verb: Settle | Void, state: RequestState, cost: Nanos): Result {
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
export const isTakenOver = ({ state, nodeId, outcome }: RequestRow): boolean =>
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

/** What an ended request contributes to the sums of spending, by its upstream and outcome. */
export function spendingOf(request: RequestRow, sign: 1 | -1): Spending {
  const { account, key, model, upstream, outcome, tokens, cost, upstreamCost, attribution } = request
  const signed = BigInt(sign)
  return {
    account,
    key,
    model,
    upstream,
    outcome,
    attribution,
    requests: sign,
    tokens: sign * tokens,
    cost: signed * cost,
    upstreamCost: signed * (upstreamCost ?? 0n),
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
export function charge(book: Book, request: RequestRow, cost: Nanos): Charged {
  const account = book.account(request.account)
  const key = book.key(request.key)
  if (!account || !key) throw new Error(`request ${request.id} has no account or key`)
  const isTask = request.nodeId === TASK_NODE
  const released = request.state === HELD ? request.held : 0n
  account.held -= released
  key.held -= released
  const budgets = budgetsOf(book, request.budgets)
  releaseUnder(budgets, released)
  if (request.state === HELD && !isTask) {
    account.meter.open -= 1
    key.meter.open -= 1
  }
  const due = cost - request.cost
  const paid = payable(book, isTask && due > released ? released : due, released, { account, key, budgets })
  account.balance -= paid
  account.spent += paid
  key.spent += paid
  if (paid !== 0n) {
    const [note, time] = isTask ? [noteSpentThen, request.heldAt] : [noteSpent, book.now]
    note(account.meter, paid, time)
    note(key.meter, paid, time)
  }
  chargeUnder(book, budgets, request, paid)
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
export function isOwner(book: Book, request: RequestRow, owner: Owned): boolean {
  if (request.nodeId !== owner.nodeId) return false
  if (request.nodeId === TASK_NODE) return book.lease(taskLease(request.id))?.epoch === owner.epoch
  return request.epoch === owner.epoch
}
