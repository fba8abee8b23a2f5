// Admission control: how many requests the process works on at once. Running requests are never interrupted. A request that
// finds no free slot is queued for about half a second, in FIFO order; when the queue is so long that it would time out, too,
// it is rejected with 503.
//
// The queue is as long as can be served in that time at the recent rate, so queued requests rarely time out. A queue that
// never empties only adds latency: there is more work than capacity, and every request is served late. Then it is kept shorter.
// Requests that arrive when it is full are rejected before anything is done for them: see `isShedding`.
//
// A burst is another matter: a thousand streams that begin in one moment saturate the CPU for a second or two, and all of them
// can be served. They are queued unread for longer.
//
// Slots are many, because most running requests wait for their upstream. While the CPU is saturated (cpu-saturation.ts), only
// enough requests are admitted to keep it busy. The others are queued unread, at the admission gate of the HTTP server, where
// they need little memory; and longer, since every rejection takes CPU time from requests that are served.
//
// Slots are shared fairly among accounts (fair-share.ts, fair-queue.ts): the next free slot goes to the account that holds the
// fewest, and no account can take all of them. The accounts of unread requests are not known: they are admitted in FIFO
// order, and one whose account turns out to have used its share joins the fair queue instead.

import type { Client } from '@trivium/http/request.ts'
import { MAX_BUFFERED_BYTES } from '@trivium/http/server/incoming/incoming-body.ts'
import type { Limits, Tenant } from '../sharing/bounded-share.ts'
import { FairQueue, type QueueHead } from '../sharing/fair-queue.ts'
import { mostPerAccount } from '../sharing/fair-share.ts'
import { FifoQueue } from '../sharing/fifo-queue.ts'
import { CpuSaturation, ENOUGH_AT_WORK } from './cpu-saturation.ts'
import { type Load, Occupancy, type RunningSlot, type Slot } from './occupancy.ts'
import type { ThreadTime } from './thread-time.ts'

export type { Limits, Load, Slot, Tenant }

export type Admission = {
  /** Takes a slot. undefined: none is free, or the account has used its share. */
  enter(load: Load): Slot | undefined
  /**
   * Queues a request whose body has not been read. `done` gets its slot, or undefined: the queue is full, the wait timed out, or
   * the client disconnected. A request that was queued unread keeps its position by arrival.
   */
  enqueue(load: Load, client: Client & { queuedMs: number }, done: (slot: Slot | undefined) => void): void
  /**
   * Queues a request of which nothing has been parsed. `done` gets its time in the queue, and must call `enter` synchronously: a
   * slot is reserved for the duration of the call. undefined: the wait timed out, or the client disconnected. Returns false if
   * the queue is full.
   */
  enqueueUnread(bytes: number, client: Client, done: (queuedMs: number | undefined) => void): boolean
  /** Requests that arrive now cannot enter and should not be parsed: the gate queues or rejects them. */
  readonly isGateActive: boolean
  /** The queue is full, too: requests that arrive now are rejected before anything is done for them. */
  readonly isShedding: boolean
  /** Whether the CPU is saturated: see cpu-saturation.ts. */
  readonly isSaturated: boolean
  readonly inFlight: number
  /** Running requests that do not wait for an upstream. */
  readonly atWork: number
  readonly bytes: number
  readonly queued: number
  /** The shares of the main thread. */
  readonly threadTime: ThreadTime
  /** Requests rejected since the counter was last reset. */
  rejected: number
  setLimits(limits: Limits): void
  /** Called a few times a second: expires queued requests. `busy`: the share of a CPU in use, see cpu-saturation.ts. */
  tick(now: number, busy: number): void
  /** Rejects all queued requests, and queues none from now on. */
  close(): void
}

/** A rejected SDK retries after half a second or more, and sends its body again: queueing for that long is cheaper. */
export const QUEUE_TIMEOUT_MS = 500
/** A queue that has not been empty for this long is shortened to what keeps all slots busy. */
const STANDING_MS = 1_000
const STANDING_QUEUE_MS = 100
/** Length of the queue of unread requests, in time. Shorter than the timeout: rates change. */
const UNREAD_QUEUE_MS = 400
/**
 * What arrives before the CPU is saturated, or in this time after, is a burst rather than a load: it can be served late, but it
 * can be served. All of it is queued, for so long; what arrives later is not, while the burst is served.
 */
const BURST_MS = 1_000
const BURST_TIMEOUT_MS = 10_000
const MIN_QUEUED = 64
const MAX_QUEUED = 1_024
/** An unread request needs only a few hundred bytes. */
const MAX_QUEUED_UNREAD = 8_192
/** Admitted unread requests that fail at once, per iteration of the event loop: a few milliseconds of work. */
const MAX_FAILED_ADMISSIONS = 128
/** Weight of the last tick in the average rate, which covers about one second. */
const RECENT = 0.3

/** Memory of a body that has not been read: what the connection buffers. Of a body of unknown length that is the maximum. */
const bufferedBytes = (bytes: number): number => Math.min(bytes, MAX_BUFFERED_BYTES)

export function createAdmission(limits: Limits, clock: () => number = () => performance.now()): Admission {
  const running = new Occupancy(limits, clock, () => {
    if (queued() > 0) admitNext()
  })
  const queue = new FairQueue<Load>(({ bytes }) => bufferedBytes(bytes))
  let unreadBytes = 0
  const unread = new FifoQueue<{ bytes: number }>(({ bytes }) => {
    unreadBytes -= bufferedBytes(bytes)
  })
  let [entered, perSecond, tickedAt, emptyAt] = [0, 0, clock(), clock()]
  let maxQueued = MIN_QUEUED
  const saturation = new CpuSaturation(clock())
  let closed = false
  /** When the CPU was last found saturated. */
  let saturatedAt = Number.NEGATIVE_INFINITY
  /** The slot of the unread request that is being admitted. */
  let reserved: RunningSlot | undefined
  /** Unread requests admitted in this iteration of the event loop that ended at once. */
  let failedAdmissions = 0

  const queued = (): number => queue.length + unread.length
  const atWork = (): number => running.inFlight - running.away
  /** More running requests would not be served sooner. */
  const isBusyEnough = (): boolean => saturation.isSaturated && atWork() >= ENOUGH_AT_WORK
  const fits = (bytes: number): boolean => running.hasRoom(bytes) && !isBusyEnough()
  // If a slot is free, queued requests are not entitled to it, but a request that arrives now may be.
  const isShedding = (): boolean => queued() >= maxQueued && (closed || (!fits(0) && queued() >= mostQueued()))
  /** The limit of the queue now. */
  const mostQueued = (): number =>
    saturation.isSaturated && !closed && clock() - saturatedAt < BURST_MS ? MAX_QUEUED_UNREAD : maxQueued
  const slotsOf = (account: bigint): number => running.slotsOf(account)
  // The reserved slot counts as free.
  const isEntitled = (load: Load): boolean => running.isEntitled(load, running.inFlight - (reserved ? 1 : 0))
  const nextInQueue = (): QueueHead<Load> | undefined => queue.next(isEntitled)

  function expire(since: number): void {
    unread.expire(since)
    queue.expire(since)
  }

  function take(bytes: number, load?: Load): RunningSlot {
    entered++
    return running.take(bytes, load)
  }

  /** Whether a queued request comes first: one of the same account, or of an account that holds at most `most` slots. */
  function isBehindOthers({ tenant }: Load, most: number): boolean {
    if (queue.length === 0) return false
    if (queue.lengthOf(tenant.account) > 0) return true
    const next = nextInQueue()
    return next !== undefined && next.holder.slots <= most
  }

  /** Slots are taken here, not by the requests that are released: no other request can take them in between. */
  function admitNext(): void {
    while (queued() > 0 && fits(0)) {
      const next = queue.length > 0 ? nextInQueue() : undefined
      const firstUnread = unread.first
      const isUnreadFirst = firstUnread !== undefined && (!next || (unread.firstSince ?? 0) <= next.since)
      if (isUnreadFirst && fits(firstUnread.bytes)) unread.releaseFirst()
      else if (!isUnreadFirst && next && fits(next.item.bytes)) queue.releaseFirst(next.holder.account)
      else return
    }
  }

  /** `most`: the limit of queued requests. */
  function mayJoin(bytes: number, most: number, client: Client): boolean {
    const queuedBytes = queue.weight + unreadBytes + bufferedBytes(bytes)
    const isTooHeavy = queued() > 0 && queuedBytes > running.limits.memoryBytes
    return !client.isDisconnected && !closed && queued() < most && !isTooHeavy
  }

  /** The queue is shared fairly among accounts, too. */
  function mayQueue({ tenant: { account }, bytes }: Load, most: number): boolean {
    const own = queue.lengthOf(account)
    const isTooHeavy = queue.weightOf(account) + bufferedBytes(bytes) > mostPerAccount(running.limits.memoryBytes)
    return own < mostPerAccount(most) && (own === 0 || !isTooHeavy)
  }

  /** The weight and the account are known once the request is parsed. If its key turns out invalid, it takes no slot. */
  function admitWith(slot: RunningSlot, admit: () => void): void {
    reserved = slot
    try {
      admit()
    } finally {
      reserved?.release()
      reserved = undefined
      if (slot.isReleased && ++failedAdmissions === 1) setImmediate(() => (failedAdmissions = 0))
    }
  }

  /**
   * Never runs synchronously: the end of a request admits the next one, and a thousand could nest. Requests that are rejected at
   * once, for example for an invalid key, admit the next at once: thousands of them would block the event loop for half a
   * second.
   */
  function soon(run: () => void): void {
    if (failedAdmissions < MAX_FAILED_ADMISSIONS) queueMicrotask(run)
    else setImmediate(run)
  }

  function claimReserved(load: Load): Slot | undefined {
    if (!reserved || load.bytes > reserved.weight || !isEntitled(load)) return undefined
    if (isBehindOthers(load, slotsOf(load.tenant.account) - 1)) return undefined
    const slot = reserved
    reserved = undefined
    slot.assign(load)
    return slot
  }

  return {
    rejected: 0,
    threadTime: running.threadTime,
    enter(load) {
      const slot = claimReserved(load)
      if (slot) return slot
      if (!fits(load.bytes) || !isEntitled(load)) return undefined
      if (unread.length > 0 || isBehindOthers(load, slotsOf(load.tenant.account))) return undefined
      return take(load.bytes, load)
    },
    enqueue(load, client, done) {
      const { bytes, tenant } = load
      const since = clock() - client.queuedMs
      // A request that was queued unread already had a position in the queue: those that have filled it since then arrived
      // later.
      const most = client.queuedMs > 0 ? MAX_QUEUED_UNREAD : mostQueued()
      if (!mayJoin(bytes, most, client) || !mayQueue(load, most)) return done(undefined)
      if (queued() === 0) emptyAt = since
      const share = running.acquire(tenant.account)
      queue.enqueue(share, load, since, client, (inTime) => {
        const slot = inTime ? take(bytes, load) : undefined
        running.release(share)
        done(slot)
      })
    },
    enqueueUnread(bytes, client, done) {
      const since = clock()
      if (!mayJoin(bytes, mostQueued(), client)) return false
      if (queued() === 0) emptyAt = since
      unreadBytes += bufferedBytes(bytes)
      unread.enqueue({ bytes }, since, client, (inTime) => {
        if (!inTime) return done(undefined)
        const slot = take(bytes)
        soon(() => admitWith(slot, () => done(closed ? undefined : clock() - since)))
      })
      // All queued requests may be waiting for requests of their own accounts to end.
      admitNext()
      return true
    },
    get isGateActive() {
      return isShedding() || isBusyEnough() || (saturation.isSaturated && queued() > 0)
    },
    get isShedding() {
      return isShedding()
    },
    get isSaturated() {
      return saturation.isSaturated
    },
    get inFlight() {
      return running.inFlight
    },
    get atWork() {
      return atWork()
    },
    get bytes() {
      return running.bytes
    },
    get queued() {
      return queued()
    },
    setLimits(next) {
      running.limits = next
      admitNext()
    },
    tick(now, busy) {
      const wasSaturated = saturation.isSaturated
      saturation.tick(now, atWork(), busy, queued())
      if (saturation.isSaturated && !wasSaturated) saturatedAt = now
      expire(now - (now - saturatedAt <= BURST_MS + BURST_TIMEOUT_MS ? BURST_TIMEOUT_MS : QUEUE_TIMEOUT_MS))
      running.threadTime.tick(now, busy)
      admitNext()
      if (queued() === 0) emptyAt = now
      const seconds = Math.max(0.001, (now - tickedAt) / 1_000)
      const rate = entered / seconds
      // With an empty queue the rate measures how many requests arrived, not how many could have been served.
      if (!saturation.isSaturated || queued() > 0 || rate > perSecond) perSecond += (rate - perSecond) * RECENT
      ;[entered, tickedAt] = [0, now]
      if (closed) return
      const queueMs = now - emptyAt > STANDING_MS ? STANDING_QUEUE_MS : QUEUE_TIMEOUT_MS
      const servable = Math.ceil((perSecond * (saturation.isSaturated ? UNREAD_QUEUE_MS : queueMs)) / 1_000)
      maxQueued = Math.min(saturation.isSaturated ? MAX_QUEUED_UNREAD : MAX_QUEUED, Math.max(MIN_QUEUED, servable))
    },
    close() {
      closed = true
      maxQueued = 0
      expire(Number.POSITIVE_INFINITY)
    },
  }
}
