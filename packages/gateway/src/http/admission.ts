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
import { Line } from './line.ts'
import type { Client } from './request.ts'
import { MOST_WAITING } from './server/incoming-body.ts'
import { ENOUGH_AT_WORK, Strain } from './strain.ts'

export type Limits = { inFlight: number; memoryBytes: number }

export type Admission = {
  /** undefined: full. A request weighs the bytes of its body, known or feared. */
  enter(bytes: number): Place | undefined
  /**
   * In line; its body has not been read. Called with undefined: not in time, no room in the line either, or the client has
   * left. Who has waited at the door stands in front of those who came after him.
   */
  wait(bytes: number, client: Client & { waitedMs: number }, called: (place: Place | undefined) => void): void
  /**
   * In the same line, and nothing has been read. Called with how long it took, to enter at once: a place is kept for as
   * long as this call takes. Called with undefined: not in time, or the client has left. false: no room in the line.
   */
  waitAtDoor(bytes: number, client: Client, called: (waitedMs: number | undefined) => void): boolean
  /** Whoever comes now cannot enter, and had better not be read: he waits at the door, or is refused there. */
  readonly isCrowded: boolean
  /** The line is full, too: whoever comes now is best refused before anything is done for him. */
  readonly isShedding: boolean
  /** There is more to do than the processor can: see strain.ts. */
  readonly isBehind: boolean
  readonly inFlight: number
  /** Of those, who does not wait for an upstream. */
  readonly atWork: number
  readonly bytes: number
  readonly waiting: number
  /** Who was told to come back, since somebody last looked. */
  refused: number
  setLimits(limits: Limits): void
  /** A few times a second: who has waited too long is sent home. `busy`: see strain.ts. */
  tick(now: number, busy: number): void
  /** Nobody waits any longer, or ever again. */
  close(): void
}

/** A place among the running requests. */
export type Place = {
  /** What the request weighs now: its body has been read, or is not needed any more. */
  resize(bytes: number): void
  /** It waits for its upstream, or does so no longer: meanwhile it needs little of this process. */
  setAway(isAway: boolean): void
  /** Given back once, however often it is called. */
  leave(): void
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
const inMemory = (bytes: number): number => Math.min(bytes, MOST_WAITING)

export function createAdmission(limits: Limits, clock: () => number = () => performance.now()): Admission {
  let [inFlight, away, held, bytesInLine] = [0, 0, 0, 0]
  const line = new Line<{ bytes: number }>(({ bytes }) => {
    bytesInLine -= inMemory(bytes)
  })
  let [entered, perSecond, tickedAt, emptyAt] = [0, 0, clock(), clock()]
  let mostInLine = LEAST_IN_LINE
  const strain = new Strain(clock())
  let closed = false
  /** For the one who comes in from the door just now. */
  let kept: Taken | undefined
  /** In this turn of the event loop: who was let in from the door, and has left already. */
  let inVain = 0

  class Taken implements Place {
    weight: number
    hasLeft = false
    #isAway = false

    constructor(bytes: number) {
      this.weight = bytes
    }

    resize(bytes: number): void {
      if (this.hasLeft) return
      held += bytes - this.weight
      const lighter = bytes < this.weight
      this.weight = bytes
      if (lighter && line.length > 0) callNext()
    }

    setAway(isAway: boolean): void {
      if (this.hasLeft || isAway === this.#isAway) return
      this.#isAway = isAway
      away += isAway ? 1 : -1
      if (isAway && line.length > 0) callNext()
    }

    leave(): void {
      if (this.hasLeft) return
      this.hasLeft = true
      if (this.#isAway) away--
      held -= this.weight
      inFlight--
      if (line.length > 0) callNext()
    }
  }

  const atWork = (): number => inFlight - away
  /** By those at work; more would only wait inside. */
  const isKeptBusy = (): boolean => strain.isBehind && atWork() >= ENOUGH_AT_WORK
  const isLineFull = (): boolean => line.length >= mostInLine
  // A single body larger than the whole allowance still gets in when nothing else is running.
  const fits = (bytes: number): boolean =>
    inFlight < limits.inFlight && (held === 0 || held + bytes <= limits.memoryBytes) && !isKeptBusy()

  function take(bytes: number): void {
    inFlight++
    held += bytes
    entered++
  }

  /** Places are taken here, and not by those who are called: nobody may come between. */
  function callNext(): void {
    for (let next = line.first; next && fits(next.bytes); next = line.first) {
      take(next.bytes)
      line.callFirst()
    }
  }

  /** `most`: so many may be in line. */
  function join(
    bytes: number,
    since: number,
    most: number,
    client: Client,
    called: (inTime: boolean) => void,
  ): boolean {
    const isTooHeavy = line.length > 0 && bytesInLine + inMemory(bytes) > limits.memoryBytes
    if (client.isGone || closed || line.length >= most || isTooHeavy) return false
    if (line.length === 0) emptyAt = since
    bytesInLine += inMemory(bytes)
    line.join({ bytes }, since, client, called)
    return true
  }

  /** What he weighs is known better when he has been read. Who turns out to be a stranger takes no place. */
  function openDoor(place: Taken, comeIn: () => void): void {
    kept = place
    try {
      comeIn()
    } finally {
      kept?.leave()
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

  function claimKept(bytes: number): Place | undefined {
    if (!kept || bytes > kept.weight) return undefined
    const place = kept
    kept = undefined
    place.resize(bytes)
    return place
  }

  return {
    refused: 0,
    enter(bytes) {
      const place = claimKept(bytes)
      if (place) return place
      if (line.length > 0 || !fits(bytes)) return undefined
      take(bytes)
      return new Taken(bytes)
    },
    wait(bytes, client, called) {
      const since = clock() - client.waitedMs
      // Who was called from the door before his key or his weight was known has had a place in this line: those who have
      // filled it since then came after him.
      const most = client.waitedMs > 0 ? MOST_AT_DOOR : mostInLine
      const isIn = join(bytes, since, most, client, (inTime) => called(inTime ? new Taken(bytes) : undefined))
      if (!isIn) called(undefined)
    },
    waitAtDoor(bytes, client, called) {
      const since = clock()
      return join(bytes, since, mostInLine, client, (inTime) => {
        if (!inTime) return called(undefined)
        const place = new Taken(bytes)
        soon(() => openDoor(place, () => called(closed ? undefined : clock() - since)))
      })
    },
    get isCrowded() {
      return isLineFull() || isKeptBusy() || (strain.isBehind && line.length > 0)
    },
    get isShedding() {
      return isLineFull()
    },
    get isBehind() {
      return strain.isBehind
    },
    get inFlight() {
      return inFlight
    },
    get atWork() {
      return atWork()
    },
    get bytes() {
      return held
    },
    get waiting() {
      return line.length
    },
    setLimits(next) {
      limits = next
      callNext()
    },
    tick(now, busy) {
      line.expire(now - PATIENCE_MS)
      strain.tick(now, atWork(), busy, line.length)
      callNext()
      if (line.length === 0) emptyAt = now
      const seconds = Math.max(0.001, (now - tickedAt) / 1_000)
      const pace = entered / seconds
      // While nobody waits it tells how many came, and not how many could have been served.
      if (!strain.isBehind || line.length > 0 || pace > perSecond) perSecond += (pace - perSecond) * RECENT
      ;[entered, tickedAt] = [0, now]
      if (closed) return
      const patience = now - emptyAt > STANDING_MS ? SHORT_PATIENCE_MS : PATIENCE_MS
      const servable = Math.ceil((perSecond * (strain.isBehind ? DOOR_PATIENCE_MS : patience)) / 1_000)
      mostInLine = Math.min(strain.isBehind ? MOST_AT_DOOR : MOST_IN_LINE, Math.max(LEAST_IN_LINE, servable))
    },
    close() {
      closed = true
      mostInLine = 0
      line.expire(Number.POSITIVE_INFINITY)
    },
  }
}
