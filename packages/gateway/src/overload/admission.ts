// How much the process takes on at once. What runs is left alone; who finds no place waits for one, in the order of coming,
// for about half a second; and where already so many wait that one more would wait in vain, callers are told to come back.
//
// The line is as long as the recent pace can serve in that time, so hardly anybody in it waits for nothing. If it does not
// get empty, waiting is no use to anybody: there is more work than can be done, and who is served is only served later. Then
// it is kept shorter. Who comes when it is full is answered before anything was done for him: see isShedding.
//
// Places are many, because most of those who have one wait for their upstream. Where the processor cannot follow (strain.ts),
// only so many more are let in as are enough to keep it busy. The others wait at the door, before anything is done for them
// that would only have to be kept; and longer, since every refusal takes from those who are served.
//
// Slots are shared fairly among accounts (fair-share.ts, fair-queue.ts): the next free one goes to the account that holds the
// fewest, and no account can take them all. At the door accounts are not known. Requests are called from there in the order of
// their arrival, and a request whose account turns out to have had its share joins the fair queue instead.

import type { Client } from '@trivium/http/request.ts'
import { MAX_BUFFERED_BYTES } from '@trivium/http/server/incoming/incoming-body.ts'
import type { Limits, Tenant } from './bounded-share.ts'
import { CpuSaturation, ENOUGH_AT_WORK } from './cpu-saturation.ts'
import { FairQueue, type Head } from './fair-queue.ts'
import { mostPerAccount } from './fair-share.ts'
import { type Load, Occupancy, type RunningSlot, type Slot } from './occupancy.ts'
import { FifoQueue } from './queue.ts'

export type { Limits, Load, Slot, Tenant }

export type Admission = {
  /** undefined: full, or the account has had its share. */
  enter(load: Load): Slot | undefined
  /**
   * In line; its body has not been read. Called with undefined: not in time, no room in the line either, or the client has
   * left. Who has waited at the door stands in front of those who came after him.
   */
  enqueue(load: Load, client: Client & { queuedMs: number }, called: (place: Slot | undefined) => void): void
  /**
   * In line, and nothing has been read. Called with how long it took, to enter at once: a place is kept for as
   * long as this call takes. Called with undefined: not in time, or the client has left. false: no room in the line.
   */
  enqueueUnread(bytes: number, client: Client, called: (queuedMs: number | undefined) => void): boolean
  /** Whoever comes now cannot enter, and had better not be read: he waits at the door, or is refused there. */
  readonly isGateActive: boolean
  /** The line is full, too: whoever comes now is best refused before anything is done for him. */
  readonly isShedding: boolean
  /** There is more to do than the processor can: see strain.ts. */
  readonly isSaturated: boolean
  readonly inFlight: number
  /** Of those, who does not wait for an upstream. */
  readonly atWork: number
  readonly bytes: number
  readonly queued: number
  /** Who was told to come back, since somebody last looked. */
  rejected: number
  setLimits(limits: Limits): void
  /** A few times a second: who has waited too long is sent home. `busy`: see strain.ts. */
  tick(now: number, busy: number): void
  /** Nobody waits any longer, or ever again. */
  close(): void
}

/** SDKs that are refused come back after half a second or more, and bring their bodies again: this is cheaper for all. */
const PATIENCE_MS = 500
/** Once the line has not been empty for so long, so much is enough to keep all places busy. */
const STANDING_MS = 1_000
const SHORT_PATIENCE_MS = 100
/** Less than anybody may wait: paces change, and nobody should wait in vain. */
const DOOR_PATIENCE_MS = 400
const LEAST_IN_LINE = 64
const MOST_IN_LINE = 1_024
/** Where nothing but a few hundred bytes is kept of each. */
const MOST_AT_DOOR = 8_192
/** From the door, before all others have their turn: some milliseconds. */
const MOST_IN_VAIN = 128
/** The pace is that of about the last second. */
const RECENT = 0.3

/** Of a body that nobody reads yet. One of unknown length is feared to be the longest, and has not come. */
const inMemory = (bytes: number): number => Math.min(bytes, MAX_BUFFERED_BYTES)

export function createAdmission(limits: Limits, clock: () => number = () => performance.now()): Admission {
  const running = new Occupancy(limits, () => {
    if (waiting() > 0) callNext()
  })
  const queue = new FairQueue<Load>(({ bytes }) => inMemory(bytes))
  let bytesAtDoor = 0
  const door = new FifoQueue<{ bytes: number }>(({ bytes }) => {
    bytesAtDoor -= inMemory(bytes)
  })
  let [entered, perSecond, tickedAt, emptyAt] = [0, 0, clock(), clock()]
  let mostInLine = LEAST_IN_LINE
  const strain = new CpuSaturation(clock())
  let closed = false
  /** For the one who comes in from the door just now. */
  let kept: RunningSlot | undefined
  /** In this turn of the event loop: who was let in from the door, and has left already. */
  let inVain = 0

  const waiting = (): number => queue.length + door.length
  const atWork = (): number => running.inFlight - running.away
  /** By those at work; more would only wait inside. */
  const isKeptBusy = (): boolean => strain.isSaturated && atWork() >= ENOUGH_AT_WORK
  const fits = (bytes: number): boolean => running.hasRoom(bytes) && !isKeptBusy()
  // Where a slot is free, those in line may not have it: whoever comes now may.
  const isShedding = (): boolean => waiting() >= mostInLine && (closed || !fits(0))
  const slotsOf = (account: bigint): number => running.slotsOf(account)
  // The slot of the one who comes in from the door is still free for everybody else.
  const isEntitled = (load: Load): boolean => running.isEntitled(load, running.inFlight - (kept ? 1 : 0))
  const nextInQueue = (): Head<Load> | undefined => queue.next(isEntitled)

  function expire(since: number): void {
    door.expire(since)
    queue.expire(since)
  }

  function take(bytes: number, load?: Load): RunningSlot {
    entered++
    return running.take(bytes, load)
  }

  /** Whether somebody else comes first: a request of the same account, or of one that holds fewer; `most`: or as many as this. */
  function isBehindOthers({ tenant }: Load, most: number): boolean {
    if (queue.length === 0) return false
    if (queue.lengthOf(tenant.account) > 0) return true
    const next = nextInQueue()
    return next !== undefined && next.holder.slots <= most
  }

  /** Places are taken here, and not by those who are called: nobody may come between. */
  function callNext(): void {
    while (waiting() > 0 && fits(0)) {
      const next = queue.length > 0 ? nextInQueue() : undefined
      const atDoor = door.first
      const isDoorFirst = atDoor !== undefined && (!next || (door.firstSince ?? 0) <= next.since)
      if (isDoorFirst && fits(atDoor.bytes)) door.callFirst()
      else if (!isDoorFirst && next && fits(next.about.bytes)) queue.callFirst(next.holder.account)
      else return
    }
  }

  /** `most`: so many may be in line. */
  function mayJoin(bytes: number, most: number, client: Client): boolean {
    const bytesInLine = queue.weight + bytesAtDoor + inMemory(bytes)
    const isTooHeavy = waiting() > 0 && bytesInLine > running.limits.memoryBytes
    return !client.isDisconnected && !closed && waiting() < most && !isTooHeavy
  }

  /** An account has no more than its share of the line, either. */
  function mayQueue({ tenant: { account }, bytes }: Load, most: number): boolean {
    const own = queue.lengthOf(account)
    const isTooHeavy = queue.weightOf(account) + inMemory(bytes) > mostPerAccount(running.limits.memoryBytes)
    return own < mostPerAccount(most) && (own === 0 || !isTooHeavy)
  }

  /** What he weighs is known better when he has been read. Who turns out to be a stranger takes no place. */
  function openDoor(place: RunningSlot, comeIn: () => void): void {
    kept = place
    try {
      comeIn()
    } finally {
      kept?.release()
      kept = undefined
      if (place.hasLeft && ++inVain === 1) setImmediate(() => (inVain = 0))
    }
  }

  /**
   * Not within the end of another request, which has made room: one would end within another, a thousand deep. Strangers, and
   * others who are told at once what is wrong, make room for the next at once: thousands of them would keep the event loop from
   * everything else for half a second.
   */
  function soon(run: () => void): void {
    if (inVain < MOST_IN_VAIN) queueMicrotask(run)
    else setImmediate(run)
  }

  function claimKept(load: Load): Slot | undefined {
    if (!kept || load.bytes > kept.weight || !isEntitled(load)) return undefined
    if (isBehindOthers(load, slotsOf(load.tenant.account) - 1)) return undefined
    const place = kept
    kept = undefined
    place.assign(load)
    return place
  }

  return {
    rejected: 0,
    enter(load) {
      const place = claimKept(load)
      if (place) return place
      if (!fits(load.bytes) || !isEntitled(load)) return undefined
      if (door.length > 0 || isBehindOthers(load, slotsOf(load.tenant.account))) return undefined
      return take(load.bytes, load)
    },
    enqueue(load, client, called) {
      const { bytes, tenant } = load
      const since = clock() - client.queuedMs
      // Who was called from the door before his key or his weight was known has had a place in this line: those who have
      // filled it since then came after him.
      const most = client.queuedMs > 0 ? MOST_AT_DOOR : mostInLine
      if (!mayJoin(bytes, most, client) || !mayQueue(load, most)) return called(undefined)
      if (waiting() === 0) emptyAt = since
      const share = running.acquire(tenant.account)
      queue.join(share, load, since, client, (inTime) => {
        const place = inTime ? take(bytes, load) : undefined
        running.release(share)
        called(place)
      })
    },
    enqueueUnread(bytes, client, called) {
      const since = clock()
      if (!mayJoin(bytes, mostInLine, client)) return false
      if (waiting() === 0) emptyAt = since
      bytesAtDoor += inMemory(bytes)
      door.join({ bytes }, since, client, (inTime) => {
        if (!inTime) return called(undefined)
        const place = take(bytes)
        soon(() => openDoor(place, () => called(closed ? undefined : clock() - since)))
      })
      // Those who are in line may all be waiting for requests of their own accounts to end.
      callNext()
      return true
    },
    get isGateActive() {
      return isShedding() || isKeptBusy() || (strain.isSaturated && waiting() > 0)
    },
    get isShedding() {
      return isShedding()
    },
    get isSaturated() {
      return strain.isSaturated
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
      return waiting()
    },
    setLimits(next) {
      running.limits = next
      callNext()
    },
    tick(now, busy) {
      expire(now - PATIENCE_MS)
      strain.tick(now, atWork(), busy, waiting())
      callNext()
      if (waiting() === 0) emptyAt = now
      const seconds = Math.max(0.001, (now - tickedAt) / 1_000)
      const pace = entered / seconds
      // While nobody waits it tells how many came, and not how many could have been served.
      if (!strain.isSaturated || waiting() > 0 || pace > perSecond) perSecond += (pace - perSecond) * RECENT
      ;[entered, tickedAt] = [0, now]
      if (closed) return
      const patience = now - emptyAt > STANDING_MS ? SHORT_PATIENCE_MS : PATIENCE_MS
      const servable = Math.ceil((perSecond * (strain.isSaturated ? DOOR_PATIENCE_MS : patience)) / 1_000)
      mostInLine = Math.min(strain.isSaturated ? MOST_AT_DOOR : MOST_IN_LINE, Math.max(LEAST_IN_LINE, servable))
    },
    close() {
      closed = true
      mostInLine = 0
      expire(Number.POSITIVE_INFINITY)
    },
  }
}
