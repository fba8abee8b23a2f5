// What this process may use of one limit of an upstream or a route. The store divides the limit among processes: a share is what a
// process may use without asking again, and it asks for as much as it has used of late. Pure; clocks are passed in, in milliseconds.
//
// What is used counts in slots of time, so that in no minute more is used than the limit: a slot that is partly outside counts, too.
import { mayTake, mayUse } from '../../sharing/fair-share.ts'
import type { LimitAnswer, LimitKind, LimitQuestion } from '../../storage/storage.ts'

const MINUTE_SLOT_MS = 5_000
const DAY_MS = 24 * 3_600_000
/** A process that does not ask again has lost its share: others may have it. The process stops using it before. */
const HOLDS_FOR_MS = 10_000
const STOPS_AFTER_MS = 8_000
/** What a process that has ended may have used, and not told, counts for as long as it could count. */
const PERIODS = {
  rpm: { slotMs: MINUTE_SLOT_MS, slots: 13, holdsForMs: 65_000 },
  tpm: { slotMs: MINUTE_SLOT_MS, slots: 13, holdsForMs: 65_000 },
  usd_per_day: { slotMs: DAY_MS, slots: 1, holdsForMs: HOLDS_FOR_MS },
  concurrent: { slotMs: DAY_MS, slots: 1, holdsForMs: HOLDS_FOR_MS },
} as const satisfies Record<LimitKind, Pick<LimitQuestion, 'slotMs' | 'slots' | 'holdsForMs'>>

/** What others hold may be given back: it is asked for again this soon. */
const ASK_AGAIN_MS = 250
/** A share that nobody uses is kept by asking this often. */
const KEEP_EVERY_MS = 4_000
/** Accounts count as users of a limit for so long after their last request, and up to twice as long. */
const USERS_FOR_MS = 30_000
const MOST_USERS = 10_000

/** `open`: take it. `waiting`: there may be more, and the store is asked. `reached`: not before `until`. */
export type Room = 'open' | 'waiting' | 'reached'

/** `isOn`: the store is asked. Until then nothing is limited. `missing`: requests ask for more than this process has. */
export type KeeperState = { isOn: boolean; missing(): void }

type Asked = { want: number; missed: number; taken: number; running: number; at: number; uses: Map<number, number> }

export class LimitShare {
  readonly name: string
  readonly kind: LimitKind
  /** Changed by the configuration while calls run. */
  limit: number
  readonly #keeper: KeeperState
  /** What may be taken now. */
  #room = 0
  #validUntil = Number.NEGATIVE_INFINITY
  /** Calls that run; counted for `concurrent` alone. */
  #running = 0
  readonly #runningOf = new Map<bigint, number>()
  /** Used since the last question, by slot. */
  #uses = new Map<number, number>()
  #takenSince = 0
  /** The most that was asked for in vain since the last question. */
  #missed = 0
  #reachedUntil = Number.NEGATIVE_INFINITY
  /** The store is not asked before: it had nothing left a moment ago. */
  #quietUntil = Number.NEGATIVE_INFINITY
  #known: LimitAnswer | undefined
  #knownAt = Number.NEGATIVE_INFINITY
  /** The store's clock less the one that is passed in. */
  #ahead = 0
  /** The question that is under way: what it asks for, and what was taken since. */
  #asked: Asked | undefined
  /** What accounts have used in this period of users, and in the one before. */
  #users = new Map<bigint, number>()
  #usersBefore = new Map<bigint, number>()
  #usersIn = Number.NEGATIVE_INFINITY

  constructor(name: string, kind: LimitKind, limit: number, keeper: KeeperState) {
    this.#keeper = keeper
    this.name = name
    this.kind = kind
    this.limit = limit
  }

  /** Whether an account may take so much now. What is more than the whole limit is taken when nothing else is used. */
  roomFor(amount: number, account: bigint, now: number): Room {
    if (!this.#keeper.isOn) return 'open'
    const needed = Math.min(amount, this.limit)
    const isFair = this.#isFair(account, now)
    if (isFair && needed <= this.#roomAt(now)) return 'open'
    this.#note(account, 0, now)
    const isReached = !isFair || now < this.#reachedUntil
    if (isFair && now >= this.#quietUntil) this.#miss(needed)
    // A call that ends makes room at once: it is waited for, as at limits of one process.
    return isReached && this.kind !== 'concurrent' ? 'reached' : 'waiting'
  }

  /** Returns the slot that it counts in, for `correct`. */
  take(amount: number, account: bigint, now: number): number {
    this.#room -= amount
    this.#takenSince += amount
    if (this.#asked) this.#asked.taken += amount
    if (this.kind === 'concurrent') {
      this.#running++
      this.#runningOf.set(account, (this.#runningOf.get(account) ?? 0) + 1)
      return 0
    }
    this.#note(account, amount, now)
    const slot = this.#slotAt(now)
    this.#add(slot, amount)
    return slot
  }

  /** A call has ended. */
  release(account: bigint): void {
    this.#running--
    this.#room++
    if (this.#asked) this.#asked.taken--
    const left = (this.#runningOf.get(account) ?? 0) - 1
    if (left > 0) this.#runningOf.set(account, left)
    else this.#runningOf.delete(account)
  }

  /** What was taken was used in part, or more than it was. */
  correct(slot: number, by: number, account: bigint, now: number): void {
    if (by === 0) return
    this.#room -= by
    if (this.#asked) this.#asked.taken += by
    this.#note(account, by, now)
    // What turns out to be less counts less then; what turns out to be more counts from now on.
    this.#add(by < 0 ? slot : this.#slotAt(now), by)
  }

  /** When requests that found no room may try again. */
  until(now: number): number {
    return Math.max(this.#reachedUntil, now + ASK_AGAIN_MS)
  }

  /** `used`: by all processes, as far as this one knows; of `concurrent`, the calls here and what the others hold. */
  report(now: number) {
    const until = now < this.#reachedUntil ? this.#reachedUntil : undefined
    return { kind: this.kind, limit: this.limit, used: this.#used(now), until }
  }

  /** More was asked for than there was. */
  get isMissing(): boolean {
    return this.#missed > 0 && !this.#asked
  }

  /** There is something to tell the store, or a share to keep or to give back. */
  isDue(now: number): boolean {
    const isUsed = this.#uses.size > 0 || this.#takenSince > 0 || this.#missed > 0
    return !this.#asked && (isUsed || now - this.#knownAt >= KEEP_EVERY_MS)
  }

  question(now: number): LimitQuestion {
    const nodes = this.#known?.nodes ?? 1
    // Twice what was used lately. A part of what is left is always at hand, so that requests need not wait; all of it in the only process.
    const part = Math.ceil(this.#left(now) / (nodes === 1 ? 1 : 4 * nodes))
    const wanted = Math.max(this.#missed, 2 * this.#takenSince, part)
    const want = Math.min(this.limit, Math.max(0, wanted))
    const uses = this.#uses
    this.#asked = { want, missed: this.#missed, taken: 0, running: this.#running, at: now, uses }
    this.#uses = new Map()
    this.#takenSince = 0
    this.#missed = 0
    const { name, kind, limit } = this
    return { name, kind, limit, want: want + this.#running, uses: [...uses], ...PERIODS[kind] }
  }

  /** The store has answered the question. */
  answered(answer: LimitAnswer, now: number): void {
    const asked = this.#asked
    if (!asked) return
    this.#asked = undefined
    this.#known = answer
    this.#knownAt = now
    this.#ahead = answer.now - now
    this.#validUntil = asked.at + STOPS_AFTER_MS
    this.#room = answer.held - asked.running - asked.taken
    const missed = Math.max(asked.missed, this.#missed)
    const isMissing = missed > 0 && this.#room < missed
    // Where the store had less than was asked for, there is nothing left for now.
    const isReached = isMissing && answer.held - asked.running < asked.want
    this.#reachedUntil = isReached ? this.#freeAt(missed, now) : Number.NEGATIVE_INFINITY
    this.#quietUntil = isReached ? now + ASK_AGAIN_MS : Number.NEGATIVE_INFINITY
    this.#missed = isMissing && !isReached ? missed : 0
    if (this.#missed > 0) this.#keeper.missing()
  }

  /** The store did not answer: what was to be told is told with the next question. */
  unanswered(): void {
    const asked = this.#asked
    if (!asked) return
    this.#asked = undefined
    for (const [slot, used] of asked.uses) this.#add(slot, used)
  }

  #miss(needed: number): void {
    const isFirst = this.#missed === 0
    this.#missed = Math.max(this.#missed, needed)
    if (isFirst && !this.#asked) this.#keeper.missing()
  }

  #roomAt(now: number): number {
    if (now >= this.#validUntil) return 0
    // The share that is asked for may be smaller than the one that was.
    return this.#asked ? Math.min(this.#room, this.#asked.want - this.#asked.taken) : this.#room
  }

  #slotAt(now: number): number {
    return Math.floor((now + this.#ahead) / PERIODS[this.kind].slotMs)
  }

  #add(slot: number, amount: number): void {
    this.#uses.set(slot, (this.#uses.get(slot) ?? 0) + amount)
  }

  #used(now: number): number {
    if (this.kind === 'concurrent') return this.#running + (this.#known?.others ?? 0)
    const oldest = this.#slotAt(now) - PERIODS[this.kind].slots
    const sum = (uses: Iterable<readonly [number, number]> = []) => {
      let total = 0
      for (const [slot, used] of uses) if (slot > oldest) total += used
      return total
    }
    return sum(this.#known?.uses) + sum(this.#asked?.uses) + sum(this.#uses)
  }

  /** What nobody uses or holds. */
  #left(now: number): number {
    const others = this.kind === 'concurrent' ? 0 : (this.#known?.others ?? 0)
    return Math.max(0, this.limit - this.#used(now) - others)
  }

  /** When so much fits, if nothing else is used: once enough slots no longer count. */
  #freeAt(amount: number, now: number): number {
    const { slotMs, slots } = PERIODS[this.kind]
    const uses = this.#known?.uses ?? []
    let used = uses.reduce((sum, [, each]) => sum + each, 0)
    if (this.kind === 'concurrent' || used + amount <= this.limit) return now + ASK_AGAIN_MS
    for (const [slot, each] of uses) {
      used -= each
      if (used + amount <= this.limit) return (slot + slots) * slotMs - this.#ahead
    }
    return now + ASK_AGAIN_MS
  }

  /** While several accounts use it, none has more than half, and the last part is for those that have used little. */
  #isFair(account: bigint, now: number): boolean {
    const own = this.limit / (this.#known?.nodes ?? 1)
    if (this.kind === 'concurrent')
      return mayTake(this.#runningOf.get(account) ?? 0, this.#running, Math.max(1, Math.floor(own)))
    this.#changeUsers(now)
    const users = Math.max(othersThan(account, this.#users), othersThan(account, this.#usersBefore)) + 1
    if (users === 1) return true
    const used = (this.#users.get(account) ?? 0) + (this.#usersBefore.get(account) ?? 0)
    return mayUse({ used, part: own, users, left: this.#left(now), limit: this.limit })
  }

  #note(account: bigint, amount: number, now: number): void {
    if (this.kind === 'concurrent') return
    this.#changeUsers(now)
    if (this.#users.size >= MOST_USERS && !this.#users.has(account)) return
    const used = (this.#users.get(account) ?? 0) + amount
    // What was never sent makes nobody a user.
    if (used <= 0 && amount < 0) this.#users.delete(account)
    else this.#users.set(account, used)
  }

  #changeUsers(now: number): void {
    const isDaily = this.kind === 'usd_per_day'
    const present = isDaily ? this.#slotAt(now) : Math.floor(now / USERS_FOR_MS)
    if (present === this.#usersIn) return
    this.#usersBefore = !isDaily && present === this.#usersIn + 1 ? this.#users : new Map()
    this.#users = new Map()
    this.#usersIn = present
  }
}

const othersThan = (account: bigint, users: ReadonlyMap<bigint, number>): number =>
  users.size - (users.has(account) ? 1 : 0)
