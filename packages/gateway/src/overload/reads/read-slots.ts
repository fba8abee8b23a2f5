// Slots of reads: usage, receipts, lists, stored responses, the console's queries. They cost nothing, so nothing but this queue keeps
// one account's reads from taking the main thread from everybody else's requests.
//
// Few run at once, in all and per account; the others queue, and the account that has the fewest running is served next. Two reads
// never begin in the same iteration of the event loop. While other requests are in progress, reads take at most a quarter of the
// main thread: after each one the next waits for three times the CPU time that it took, and two of one account begin 10 ms apart.

import type { Client } from '@trivium/http/request.ts'
import { FairQueue, type Holder } from '../../sharing/fair-queue.ts'

export type ReadLimits = {
  atOnce: number
  atOncePerAccount: number
  queued: number
  queuedPerAccount: number
  queueMs: number
}

/** Two per account: a browser loads a page sooner, and two of the largest stored responses fit into memory. */
export const READ_LIMITS: ReadLimits = {
  atOnce: 8,
  atOncePerAccount: 2,
  queued: 1_024,
  queuedPerAccount: 128,
  queueMs: 5_000,
}

/** The pause after a read, as a multiple of its CPU time. */
const PAUSE_FACTOR = 3
/** CPU time of a read outside of its slot: its head is parsed before, and its response is sent after. */
const OVERHEAD_MS = 0.5
/** Reads continue, slowly, even if other requests keep the CPU busy all the time. */
const LONGEST_PAUSE_MS = 100

/** Between the beginnings of two reads of one account. Its connections cost CPU time, too, which is not measured. */
const APART_MS = 10

/** A running read. Its release has no effect if called again. */
export type ReadSlot = { release(): void }

export type ReadSlots = {
  /** undefined: the queue is full, the wait was too long, or the client disconnected. */
  enter(account: bigint, client: Client): Promise<ReadSlot | undefined>
  readonly running: number
  readonly queued: number
  /** Called a few times a second: expires queued reads. */
  tick(now: number): void
}

/** The slots of one account; kept while it has a running or queued read. */
type Share = Holder & { slots: number; queued: number; readyAt: number }

export function createReadSlots(
  deps: {
    /** Monotonic milliseconds. */
    clock(): number
    /** CPU time of the main thread so far, in milliseconds. */
    cpuMs(): number
    /** Whether requests other than these `running` reads are in progress. */
    isContended(running: number): boolean
    /** Runs `run` in a later iteration of the event loop, after so many milliseconds. */
    later(ms: number, run: () => void): void
  },
  limits: ReadLimits = READ_LIMITS,
): ReadSlots {
  const { clock, cpuMs, isContended, later } = deps
  const shares = new Map<bigint, Share>()
  const queue = new FairQueue<bigint>()
  let running = 0
  /** A read has begun in this iteration of the event loop, or the next one is scheduled. */
  let isPaused = false
  let [readyAt, countedCpuMs] = [clock(), cpuMs()]

  /** The CPU time since the last read began or ended, if one was running meanwhile, delays the next one. */
  function countCpu(moreMs: number): void {
    const now = cpuMs()
    const used = now - countedCpuMs + moreMs
    countedCpuMs = now
    if (running === 0 || !isContended(running)) return
    readyAt = Math.min(Math.max(readyAt, clock()) + PAUSE_FACTOR * used, clock() + LONGEST_PAUSE_MS)
  }

  function shareOf(account: bigint): Share {
    const known = shares.get(account) ?? { account, slots: 0, queued: 0, readyAt: clock() }
    shares.set(account, known)
    return known
  }

  function forgetIfIdle(share: Share): void {
    if (share.slots + share.queued === 0) shares.delete(share.account)
  }

  function hasSlot(account: bigint): boolean {
    const { slots = 0, readyAt = Number.NEGATIVE_INFINITY } = shares.get(account) ?? {}
    return running < limits.atOnce && slots < limits.atOncePerAccount && readyAt <= clock()
  }

  function begin(share: Share): ReadSlot {
    countCpu(0)
    running += 1
    share.slots += 1
    if (isContended(running)) share.readyAt = clock() + APART_MS
    pause()
    let isReleased = false
    return {
      release() {
        if (isReleased) return
        isReleased = true
        countCpu(OVERHEAD_MS)
        running -= 1
        share.slots -= 1
        forgetIfIdle(share)
        if (queue.length > 0) pause()
      },
    }
  }

  /** The next read begins in a later iteration of the event loop: until then, the events of other requests are handled. */
  function pause(leastMs = 0): void {
    if (isPaused) return
    isPaused = true
    later(Math.max(leastMs, readyAt - clock()), () => {
      isPaused = false
      serveNext()
    })
  }

  function serveNext(): void {
    if (queue.length === 0) return
    if (readyAt > clock()) {
      pause()
      return
    }
    const next = queue.next(hasSlot)
    if (next) queue.releaseFirst(next.holder.account)
    // Accounts that have a slot may only be waiting for their next turn.
    else if (running < limits.atOnce) pause(APART_MS)
  }

  return {
    enter(account, client) {
      if (client.isDisconnected) return Promise.resolve(undefined)
      const isFree = queue.length === 0 && !isPaused && readyAt <= clock()
      if (isFree && hasSlot(account)) return Promise.resolve(begin(shareOf(account)))
      if (queue.length >= limits.queued || queue.lengthOf(account) >= limits.queuedPerAccount)
        return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const share = shareOf(account)
        share.queued += 1
        queue.enqueue(share, account, clock(), client, (inTime) => {
          share.queued -= 1
          resolve(inTime ? begin(share) : undefined)
          forgetIfIdle(share)
        })
        pause()
      })
    },
    get running() {
      return running
    },
    get queued() {
      return queue.length
    },
    tick(now) {
      queue.expire(now - limits.queueMs)
    },
  }
}
