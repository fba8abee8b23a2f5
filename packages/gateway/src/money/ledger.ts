// The ledger as a pure state machine: verbs in, results out, all rows reached through a Book.
// SQLite's writer runs this very code inside a transaction; PostgreSQL has the same rules as one function; the
// contract suite and the simulation hold both to it.
//
// A request row moves   held -> settled | voided | reaped   and   reaped -> settled | voided, once, by its owner only.
// Each verb checks first and writes after: a refused verb has changed nothing (but a refused extension still records
// the progress it brought). A verb on a request may be repeated: the second time it changes nothing and gives the
// first answer, so a caller that lost the answer can ask again.
import type { Nanos } from './amount.ts'

/** Ledger accounts that are not wallets. Their balance is the sum of their transfers; no row is kept for them. */
export const REVENUE = -1n
export const TRIAL = -2n
export const CREDIT = -3n
export const SHORTFALL = -4n

/** A node that has not renewed for this long must not dispatch; after DEAD_AFTER its holds may be reaped. */
export const STALE_AFTER_MS = 5_000
export const DEAD_AFTER_MS = 10_000

export const HELD = 0
export const SETTLED = 1
export const VOIDED = 2
export const REAPED = 3
export type RequestState = typeof HELD | typeof SETTLED | typeof VOIDED | typeof REAPED

export type AccountRow = { id: bigint; balance: Nanos; held: Nanos; disabled: boolean }
export type KeyRow = {
  id: bigint
  account: bigint
  revoked: boolean
  /** Milliseconds since 1970, by the store's clock. */
  expiresAt: number | undefined
  cap: Nanos | undefined
  spent: Nanos
  held: Nanos
}
export type RequestRow = {
  id: bigint
  account: bigint
  key: bigint
  slot: number
  epoch: number
  state: RequestState
  held: Nanos
  /** What the output metered so far costs: what a reaper charges if the owner never comes back. */
  progress: Nanos
  cost: Nanos
  shortfall: Nanos
  model: string
  upstream: string
  ending: string
  /** JSON written by the owner at the end: units, price, timing, attempts, warnings. */
  receipt: string
}
/** `renewedAt` by the store's clock. */
export type NodeRow = { slot: number; epoch: number; renewedAt: number; config: string }

/** The rows of one transaction. Getters return live objects; `save*` marks them to be written at its end. */
export interface Book {
  readonly now: number
  account(id: bigint): AccountRow | undefined
  key(id: bigint): KeyRow | undefined
  request(id: bigint): RequestRow | undefined
  node(slot: number): NodeRow | undefined
  /** Open holds whose node is dead (`renewedAt` before `deadBefore`) or has been succeeded by a later epoch. */
  orphans(deadBefore: number, limit: number): RequestRow[]
  saveAccount(row: AccountRow): void
  saveKey(row: KeyRow): void
  insertRequest(row: RequestRow): void
  saveRequest(row: RequestRow): void
  saveNode(row: NodeRow): void
  transfer(request: bigint | undefined, debit: bigint, credit: bigint, amount: Nanos): void
}

/** A request is its owner's: the node in this slot at this epoch. */
export type Owned = { id: bigint; slot: number; epoch: number }

export type Hold = Owned & {
  verb: 'hold'
  account: bigint
  key: bigint
  /** Wanted, and the least that is worth having; what is available in between is granted. */
  amount: Nanos
  minimum: Nanos
  model: string
  upstream: string
}
/** `known`: what the owner knows to be held. More than that is held: this extension took effect and its answer was lost. */
export type Extend = Owned & { verb: 'extend'; known: Nanos; amount: Nanos; minimum: Nanos; progress: Nanos }
export type Settle = Owned & { verb: 'settle'; cost: Nanos; ending: string; receipt: string }
export type Void = Owned & { verb: 'void'; ending: string; receipt: string }
export type Reap = { verb: 'reap'; limit: number }
/**
 * `join` claims a slot for a new process: the epoch becomes one more than any before. `takeover`: the caller knows that
 * the slot's former process is dead (it owns the database file now), so it need not wait for the lease to run out.
 */
export type Join = { verb: 'join'; slot: number; config: string; takeover?: boolean }
export type Renew = { verb: 'renew'; slot: number; epoch: number; config: string }
export type Leave = { verb: 'leave'; slot: number; epoch: number }
export type Verb = Hold | Extend | Settle | Void | Reap | Join | Renew | Leave

export type Refusal =
  | 'no_balance'
  | 'cap_reached'
  | 'key_invalid'
  | 'key_expired'
  | 'account_disabled'
  | 'node_lost'
  | 'slot_taken'
  | 'unknown_request'
  | 'not_open'

export type Result = {
  outcome: 'done' | 'repeated' | Refusal
  /** hold, extend: granted. settle, void: charged. reap: how many. join: the epoch. Refused for money: what is available. */
  amount: bigint
}

const done = (amount: bigint): Result => ({ outcome: 'done', amount })
const repeated = (amount: bigint): Result => ({ outcome: 'repeated', amount })
const refused = (outcome: Refusal, amount: bigint = 0n): Result => ({ outcome, amount })

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
    case 'reap':
      return reap(book, verb)
    case 'join':
      return join(book, verb)
    case 'renew':
      return renew(book, verb)
    case 'leave':
      return leave(book, verb)
  }
}

function hold(book: Book, verb: Hold): Result {
  const existing = book.request(verb.id)
  if (existing)
    return isOwner(existing, verb) && existing.state === HELD ? repeated(existing.held) : refused('not_open')
  if (!isAlive(book, verb)) return refused('node_lost')
  const account = book.account(verb.account)
  const key = book.key(verb.key)
  if (!account || !key || key.account !== account.id || key.revoked) return refused('key_invalid')
  if (key.expiresAt !== undefined && key.expiresAt <= book.now) return refused('key_expired')
  if (account.disabled) return refused('account_disabled')
  const granted = grant(account, key, verb)
  if (typeof granted !== 'bigint') return granted
  reserve(book, account, key, granted)
  const { id, slot, epoch, model, upstream } = verb
  book.insertRequest({
    id,
    account: account.id,
    key: key.id,
    slot,
    epoch,
    state: HELD,
    held: granted,
    progress: 0n,
    cost: 0n,
    shortfall: 0n,
    model,
    upstream,
    ending: '',
    receipt: '',
  })
  return done(granted)
}

function extend(book: Book, verb: Extend): Result {
  const request = book.request(verb.id)
  if (!request) return refused('unknown_request')
  if (!isOwner(request, verb) || request.state !== HELD) return refused('not_open')
  const account = book.account(request.account)
  const key = book.key(request.key)
  if (!account || !key) return refused('key_invalid')
  if (verb.progress > request.progress) {
    request.progress = verb.progress
    book.saveRequest(request)
  }
  if (request.held > verb.known) return repeated(request.held - verb.known)
  const granted = grant(account, key, verb)
  if (typeof granted !== 'bigint') return granted
  reserve(book, account, key, granted)
  request.held += granted
  book.saveRequest(request)
  return done(granted)
}

/** Settle and void: the one end of a request, or the owner's correction of what a reaper decided in its absence. */
function finish(book: Book, verb: Settle | Void, state: RequestState, cost: Nanos): Result {
  const request = book.request(verb.id)
  if (!request) return refused('unknown_request')
  if (!isOwner(request, verb)) return refused('not_open')
  if (request.state === SETTLED || request.state === VOIDED) return repeated(request.cost)
  charge(book, request, cost)
  request.state = state
  request.ending = verb.ending
  request.receipt = verb.receipt
  book.saveRequest(request)
  return done(request.cost)
}

function reap(book: Book, verb: Reap): Result {
  const orphans = book.orphans(book.now - DEAD_AFTER_MS, verb.limit)
  for (const request of orphans) {
    charge(book, request, request.progress)
    request.state = REAPED
    request.ending = 'reaped'
    book.saveRequest(request)
  }
  return done(BigInt(orphans.length))
}

function join(book: Book, verb: Join): Result {
  const node = book.node(verb.slot)
  const alive = node !== undefined && node.renewedAt > book.now - DEAD_AFTER_MS
  if (alive && !verb.takeover) return refused('slot_taken')
  const epoch = (node?.epoch ?? 0) + 1
  book.saveNode({ slot: verb.slot, epoch, renewedAt: book.now, config: verb.config })
  return done(BigInt(epoch))
}

/** A node found dead, or succeeded, stays so: its holds may already be reaped, so it has to join anew. */
function renew(book: Book, verb: Renew): Result {
  const node = book.node(verb.slot)
  if (!node || !isAlive(book, verb)) return refused('node_lost')
  book.saveNode({ ...node, renewedAt: book.now, config: verb.config })
  return done(0n)
}

function leave(book: Book, verb: Leave): Result {
  const node = book.node(verb.slot)
  if (node?.epoch !== verb.epoch) return repeated(0n)
  book.saveNode({ ...node, renewedAt: 0 })
  return done(0n)
}

/** What of `amount` can be had: all, the part down to `minimum`, or a refusal that says what is available. */
function grant(account: AccountRow, key: KeyRow, want: { amount: Nanos; minimum: Nanos }): Nanos | Result {
  const inWallet = positive(account.balance - account.held)
  if (inWallet < want.minimum) return refused('no_balance', inWallet)
  const underCap = key.cap === undefined ? inWallet : positive(key.cap - key.spent - key.held)
  if (underCap < want.minimum) return refused('cap_reached', underCap)
  const available = underCap < inWallet ? underCap : inWallet
  return want.amount < available ? want.amount : available
}

function reserve(book: Book, account: AccountRow, key: KeyRow, amount: Nanos): void {
  account.held += amount
  key.held += amount
  book.saveAccount(account)
  book.saveKey(key)
}

/**
 * Makes `cost` what the request costs in all: releases its hold, or corrects what was charged when it was reaped.
 * Beyond the hold only what the wallet has free is taken, never more: the rest is the operator's shortfall.
 */
function charge(book: Book, request: RequestRow, cost: Nanos): void {
  const account = book.account(request.account)
  const key = book.key(request.key)
  if (!account || !key) throw new Error(`request ${request.id} has no account or key`)
  const released = request.state === HELD ? request.held : 0n
  account.held -= released
  key.held -= released
  const free = positive(account.balance - account.held)
  const due = cost - request.cost
  const paid = due > free ? free : due
  account.balance -= paid
  key.spent += paid
  book.saveAccount(account)
  book.saveKey(key)
  if (paid > 0n) book.transfer(request.id, account.id, REVENUE, paid)
  if (paid < 0n) book.transfer(request.id, REVENUE, account.id, -paid)
  request.cost += paid
  const shortfall = cost - request.cost
  if (shortfall > request.shortfall) book.transfer(request.id, SHORTFALL, REVENUE, shortfall - request.shortfall)
  if (shortfall < request.shortfall) book.transfer(request.id, REVENUE, SHORTFALL, request.shortfall - shortfall)
  request.shortfall = shortfall
}

function isOwner(request: RequestRow, owner: Owned): boolean {
  return request.slot === owner.slot && request.epoch === owner.epoch
}

function isAlive(book: Book, owner: { slot: number; epoch: number }): boolean {
  const node = book.node(owner.slot)
  return node?.epoch === owner.epoch && node.renewedAt > book.now - DEAD_AFTER_MS
}

const positive = (amount: Nanos): Nanos => (amount > 0n ? amount : 0n)
