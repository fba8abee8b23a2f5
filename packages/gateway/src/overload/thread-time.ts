// The main thread's time, shared among accounts like slots. A request that is waiting for its upstream takes a slot and no time; one
// whose body is inflated, checked, parsed and encoded takes time from all others, whoever pays for it, and for a few kilobytes of
// compressed JSON that can be a fifth of a second.
//
// So the time that large requests take is added to a debt of their account. While other accounts are active, an account in debt waits
// before its next large body is read or parsed, or is rejected if that would take long. A debt is worked off at a quarter of the thread,
// or with all of the time that nobody needs. Large bodies also take turns: no two are parsed in one iteration of the event loop, so
// that the events of other requests are handled in between. Small requests do not come here.

import type { Client } from '@trivium/http/request.ts'
import { createPacedQueue } from '@trivium/http/server/paced-queue.ts'
import { Failure } from '../request/failure.ts'
import { FairQueue, type Holder } from '../sharing/fair-queue.ts'

/** Larger bodies take turns. */
const LARGE_BYTES = 64 * 1024

/** Debt without consequences: ordinary requests with long histories come in bursts. */
const BURST_MS = 250
/** The share of the thread at which one account works off its debt however busy the thread is, and all accounts together. */
const SHARE = { account: 1 / 4, all: 3 / 4 }
/** A longer wait is a rejection at once. */
const LONGEST_WAIT_MS = 5_000
/** Queued requests hold a slot, and may hold a body. */
const MOST_QUEUED = { account: 32, all: 512 }
/** An account is active this long after its last request. */
const ACTIVE_MS = 1_000
/** Debts are looked at again while requests wait for them. */
const RECHECK_MS = 20
/** A client that is rejected at once may retry at once. */
const REJECTIONS = { perSecond: 500, maxDelayMs: 1_000 }

/** `isPatient`: it waits for as long as it takes, such as a response that is generated in the background. */
export type Waiter = Client & { readonly isPatient?: boolean }

export type ThreadTime = {
  /** A request of the account has arrived. */
  seen(account: bigint): void
  /**
   * Called before a body that is not small is read, and before it is parsed. undefined: at once. Throws Failure where the wait would be
   * long. `bytes` says whether the work has to take turns; 0: nothing is done yet.
   */
  turn(account: bigint, bytes: number, client: Waiter): Promise<void> | undefined
  /** Runs what does not wait, and adds its time to the account's debt. */
  run<T>(account: bigint, work: () => T): T
  /** Adds time that was taken in many small pieces. */
  charge(account: bigint, ms: number): void
  /** Called a few times a second. `busy`: the share of a CPU that was in demand since the last call. */
  tick(now: number, busy: number): void
  /** Milliseconds that the account has to work off. */
  debtOf(account: bigint): number
  readonly queued: number
  /** Milliseconds charged, and requests that were delayed and rejected, since the start. */
  readonly totals: Readonly<Totals>
}

type Totals = { chargedMs: number; delayed: number; rejected: number }

export type ThreadTimeDependencies = {
  /** Monotonic milliseconds. */
  clock(): number
  /** Whether requests of other accounts are in progress. */
  hasOthers(account: bigint): boolean
  /** Runs `run` in a later iteration of the event loop, after so many milliseconds. */
  later(ms: number, run: () => void): void
}

/** An account in debt, or with queued requests. `slots`: its debt at the time `at`, by which the queue orders accounts. */
type Share = Holder & { slots: number; at: number }
type Waiting = { account: bigint; isLarge: boolean }

const afterwards = (ms: number, run: () => void): void => {
  if (ms > 0) setTimeout(run, ms)
  else setImmediate(run)
}

export const inProcess = (hasOthers: (account: bigint) => boolean, clock: () => number): ThreadTimeDependencies => ({
  clock,
  hasOthers,
  later: afterwards,
})

export function createThreadTime({ clock, hasOthers, later }: ThreadTimeDependencies): ThreadTime {
  const shares = new Map<bigint, Share>()
  const queue = new FairQueue<Waiting>()
  const paced = createPacedQueue({ ...REJECTIONS, clock, after: later })
  const totals: Totals = { chargedMs: 0, delayed: 0, rejected: 0 }
  const active = new RecentAccounts()
  /** The share of the thread at which each account works off its debt. */
  let rate = 1
  /** A large body was parsed in this iteration of the event loop. */
  let isTaken = false
  let isWatching = false

  const debtOf = (account: bigint): number => shares.get(account)?.slots ?? 0
  const isOver = (account: bigint): boolean =>
    debtOf(account) > BURST_MS && (hasOthers(account) || active.hasOther(account))

  function drain(now: number): void {
    for (const share of shares.values()) {
      share.slots = Math.max(0, share.slots - Math.max(0, now - share.at) * rate)
      share.at = now
      if (share.slots === 0 && queue.lengthOf(share.account) === 0) shares.delete(share.account)
    }
  }

  function shareOf(account: bigint): Share {
    const share = shares.get(account) ?? { account, slots: 0, at: clock() }
    shares.set(account, share)
    return share
  }

  function accountsOver(): number {
    let count = 0
    for (const { slots } of shares.values()) if (slots > BURST_MS) count++
    return count
  }

  function charge(account: bigint, ms: number): void {
    if (ms <= 0) return
    totals.chargedMs += ms
    shareOf(account).slots += ms
  }

  function take(isLarge: boolean): void {
    if (!isLarge || isTaken) return
    isTaken = true
    later(0, () => {
      isTaken = false
      serve()
    })
  }

  const mayBegin = ({ account, isLarge }: Waiting): boolean => !isOver(account) && !(isLarge && isTaken)

  function serve(): void {
    if (queue.length === 0) return
    for (let next = queue.next(mayBegin); next; next = queue.next(mayBegin)) {
      take(next.item.isLarge)
      queue.releaseFirst(next.item.account)
    }
    watch()
  }

  function watch(): void {
    if (isWatching || queue.length === 0) return
    isWatching = true
    later(RECHECK_MS, () => {
      isWatching = false
      const now = clock()
      drain(now)
      queue.expire(now - 2 * LONGEST_WAIT_MS)
      serve()
    })
  }

  function waitOf(account: bigint): number {
    return isOver(account) ? (debtOf(account) - BURST_MS) / rate : 0
  }

  function rejection(account: bigint): Failure {
    totals.rejected++
    const retryAfter = Math.max(1, Math.ceil(waitOf(account) / 1_000))
    const unit = retryAfter === 1 ? 'second' : 'seconds'
    return new Failure(
      'rate_limit_exceeded',
      `The large requests of this account have used its share of the gateway's processing time. Retry in ${retryAfter} ${unit}.`,
      { retryAfter },
    )
  }

  const reject = (account: bigint): Promise<never> =>
    new Promise((_, failed) => {
      const failure = rejection(account)
      paced({ proceed: () => failed(failure) })
    })

  return {
    totals,
    debtOf,
    charge,
    seen: (account) => active.note(account),
    turn(account, bytes, client) {
      const waiting = { account, isLarge: bytes > LARGE_BYTES }
      if (client.isDisconnected) return Promise.reject(disconnected())
      if (queue.lengthOf(account) === 0 && mayBegin(waiting)) {
        take(waiting.isLarge)
        return undefined
      }
      drain(clock())
      const { isPatient = false } = client
      const isFull = queue.length >= MOST_QUEUED.all || queue.lengthOf(account) >= MOST_QUEUED.account
      // Turns alone pass quickly, however many wait for theirs.
      if (!isPatient && isOver(account) && (isFull || waitOf(account) > LONGEST_WAIT_MS)) return reject(account)
      totals.delayed++
      const since = isPatient ? Number.POSITIVE_INFINITY : clock()
      return new Promise((resolve, failed) => {
        queue.enqueue(shareOf(account), waiting, since, client, (inTime) => {
          if (inTime) resolve()
          else failed(client.isDisconnected ? disconnected() : rejection(account))
        })
        serve()
        watch()
      })
    },
    run(account, work) {
      const since = clock()
      try {
        return work()
      } finally {
        charge(account, clock() - since)
      }
    },
    tick(now, busy) {
      drain(now)
      active.now = now
      const inDebt = Math.max(1, accountsOver())
      rate = Math.max((1 - busy) / inDebt, Math.min(SHARE.account, SHARE.all / inDebt))
    },
    get queued() {
      return queue.length
    },
  }
}

const disconnected = (): Failure =>
  new Failure('client_closed_request', 'The client disconnected before its request was read.')

/** The last account that was active, and the last other one: enough to know of any account whether there are others. */
class RecentAccounts {
  /** As of the last tick: reading a clock for every request would cost more than this is worth. */
  now = 0
  #last: bigint | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #otherAt = Number.NEGATIVE_INFINITY

  note(account: bigint): void {
    if (account !== this.#last) {
      this.#otherAt = this.#lastAt
      this.#last = account
    }
    this.#lastAt = this.now
  }

  hasOther(account: bigint): boolean {
    return this.now - (account === this.#last ? this.#otherAt : this.#lastAt) < ACTIVE_MS
  }
}
