// The ledger as a pure state machine: verbs in, results out, all rows reached through a Book.
// SQLite's writer runs this code inside a transaction; PostgreSQL has the same rules as one function. The contract suite
// and the simulation compare both with it.
//
// A request row moves   held -> settled | voided | reaped   and   reaped -> settled | voided, once, by its owner only. A reaped request that a
// repetition voided in its owner's name is settled at the operator's expense if the owner returns, and charged as soon as it is certain
// that no repetition was (repetitions.ts): the caller pays once.
// Each verb checks first and writes after: a rejected verb changes nothing, except that a rejected extension still records its
// progress. A verb on a request may be repeated: the second time it changes nothing and returns the first result, so a
// caller that lost the response can retry.
import type { Nanos } from './amount.ts'
import { type Book, DEAD_AFTER_MS, HELD, REAPED, REAPED_OUTCOME, SETTLED, TASK_NODE, VOIDED } from './book.ts'
import { type BudgetRow, leftUnder } from './budgets/budget.ts'
import { applicable, budgetsOf, NO_BUDGETS } from './budgets/counting.ts'
import { charge, finish, isOwner, spendingOf } from './finish.ts'
import {
  begin as beginMeters,
  concurrencyReached,
  correctTokens,
  grant,
  limitReached,
  reserve,
  tokensFor,
  tokensLeft,
  tokensReached,
} from './grant.ts'
import { acquireLease, releaseLease, renewLease } from './leases.ts'
import { isAlive, join, leave, renew } from './nodes.ts'
import { collect, takeOver } from './repetitions.ts'
import {
  type Begin,
  done,
  type Extend,
  type Hold,
  type Owned,
  type Reap,
  type Restore,
  type Result,
  rejected,
  repeated,
  taskLease,
  type Verb,
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
    case 'restore':
      return restore(book, verb)
    case 'take_over':
      return takeOver(book, verb)
    case 'collect':
      return collect(book, verb)
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
  const payers = { account, key, budgets: applicable(book, verb.budgets, account.id) }
  const granted = grant(book, payers, verb)
  if (typeof granted !== 'bigint') return granted
  const left = verb.budgets && budgetsLeft(payers.budgets, verb.budgets, book.now)
  const tokens = Math.min(verb.tokens, tokensLeft(key, book.now), tokensLeft(account, book.now))
  beginMeters(key, isTask, book.now)
  beginMeters(account, isTask, book.now)
  reserve(book, payers, granted, tokens)
  insertHeld(book, verb, payers.budgets, granted, tokens)
  return left ? { ...done(granted, tokens), budgetsLeft: left } : done(granted, tokens)
}

const budgetsLeft = (budgets: readonly BudgetRow[], named: readonly bigint[], now: number): Result['budgetsLeft'] =>
  named.map((id) => {
    const row = budgets.find((each) => each.id === id)
    return row && row.account !== undefined ? leftUnder(row, now) : undefined
  })

function insertHeld(
  book: Book,
  verb: Hold | Restore,
  budgets: readonly BudgetRow[],
  held: Nanos,
  tokens: number,
): void {
  const { id, account, key, nodeId, epoch, model, upstream, attribution } = verb
  book.insertRequest({
    id,
    account,
    key,
    nodeId,
    epoch,
    deadline: verb.verb === 'hold' ? verb.deadline : undefined,
    state: HELD,
    held,
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
    budgets: budgets.length === 0 ? NO_BUDGETS : budgets.map((row) => row.id),
    attribution,
  })
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
  const payers = { account, key, budgets: budgetsOf(book, request.budgets) }
  const granted = grant(book, payers, want)
  if (typeof granted !== 'bigint') return granted
  const tokens = tokensFor(verb, granted)
  reserve(book, payers, granted, tokens)
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

/** What it costs is due, whatever has become of its key since. Its settlement finds nothing held, and takes what is available. */
function restore(book: Book, verb: Restore): Result {
  if (book.request(verb.id)) return repeated(0n)
  const account = book.account(verb.account)
  const key = book.key(verb.key)
  if (!account || !key || key.account !== account.id) return rejected('key_invalid')
  account.meter.open += 1
  key.meter.open += 1
  book.saveAccount(account)
  book.saveKey(key)
  insertHeld(book, verb, applicable(book, verb.budgets, account.id), 0n, 0)
  return done(0n)
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

function hasLease(book: Book, { id, epoch }: Owned): boolean {
  const lease = book.lease(taskLease(id))
  return lease?.epoch === epoch && lease.expiresAt > book.now
}
