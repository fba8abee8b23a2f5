// How one credential at one upstream is doing: how busy, how fast, and whether it may be asked at all. Pure; the clock
// is passed in, in milliseconds.
//
//   closed --failures--> open --its time is up--> half open --probe succeeded--> closed
//                          ^-------------------------- probe failed --------'
//
// A 429 cools what was asked for without counting as a failure; a rejected credential is out; who does not have a model, or
// wants to be left alone after a failure, rests. All of them are asked again only when their time is up, or where nobody else
// can be asked: unless a 429 has said when to come back.
import { CoolDown, type RateLimited } from './cool-down.ts'

/** How an attempt went, as far as the upstream is to blame for it. */
export type Verdict =
  | { is: 'good'; latencyMs: number }
  /** It did not answer, or answered with a fault of its own. `restMs`: for so long it wants to be left alone. */
  | { is: 'failure'; restMs?: number }
  | ({ is: 'limited' } & RateLimited)
  /** The credential is wrong, forbidden or has nothing left to spend. */
  | { is: 'rejected'; reason: string }
  /** The credential is good, but has no such model. */
  | { is: 'absent' }
  /** Nothing was learned: the request was at fault, or the client left. */
  | { is: 'unknown' }

export const FAILURE: Verdict = { is: 'failure' }
export const UNKNOWN: Verdict = { is: 'unknown' }

export type KeyState = 'ready' | 'cooling' | 'open' | 'probing' | 'rejected'

export type KeyHealthReport = {
  state: KeyState
  /** When it will be tried again. */
  until: number | undefined
  /** Models that are not asked for with this credential for now, which is well otherwise. */
  cooling: readonly { model: string; until: number }[]
  reason: string | undefined
  inFlight: number
  latencyMs: number | undefined
}

/** As many failures in a row open the breaker, or as large a part of the recent ones. */
const IN_A_ROW = 10
const LARGE_PART = 0.8
const ENOUGH_SEEN = 20
const RECENT = 1 / 16
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Somebody may have paid the bill meanwhile. */
const REJECTED_MS = 300_000
/** The model may have been allowed, or its name corrected. */
const ABSENT_MS = 30_000
/** A probe whose end nobody reported must not keep the lane closed for ever. */
const PROBE_MS = 120_000
const NO_PROBE = -1
/** Twice as slow means nothing where it is two milliseconds instead of one. */
const NEGLIGIBLE_MS = 5

export class KeyHealth {
  #inFlight = 0
  #latencyMs: number | undefined
  #failuresInARow = 0
  /** Its last word was that too much is asked, or that it will not have us. */
  #refuses = false
  #failing = 0
  #seen = 0
  #openUntil: number | undefined
  #pauseMs = FIRST_PAUSE_MS
  #probeUntil = 0
  /** The number of the latest one. */
  #probe = 0
  #rejectedUntil = 0
  #reason: string | undefined
  readonly #cooling: CoolDown
  /** Of models that others had better be asked for. Its own affair, also where the quota is shared. */
  readonly #resting = new CoolDown()

  /** `cooling`: of the quota that it shares with other lanes; absent: it has one of its own. */
  constructor(cooling = new CoolDown()) {
    this.#cooling = cooling
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * The lower the better: how long the next call would take if those under way were served one after the other. `capacity`: how
   * many at a time, 1 for everybody if all are to have the same.
   */
  loadFor(capacity: number): number {
    return ((this.#latencyMs ?? 0) + NEGLIGIBLE_MS) * (this.#inFlight / capacity + 1)
  }

  /** Whether it may be asked for `model` now. */
  isReady(model: string, now: number): boolean {
    if (now < this.#rejectedUntil || now < this.#probeUntil) return false
    if (this.#openUntil !== undefined && now < this.#openUntil) return false
    return this.#cooling.isOver(model, now) && this.#resting.isOver(model, now)
  }

  /** Nothing speaks against it: a second try there is no shot in the dark. */
  get isHealthy(): boolean {
    return this.#failuresInARow === 0 && this.#openUntil === undefined && !this.#refuses
  }

  /** Whether it may be asked where nobody else can be: a limit may have been lifted, a key paid for. */
  isUsableAsLastResort(model: string, now: number): boolean {
    const isOpen = (this.#openUntil !== undefined && now < this.#openUntil) || now < this.#probeUntil
    return !isOpen && !this.hasRetryAfter(model, now)
  }

  /** The upstream has said with a 429 when to come back, and it is too early. */
  hasRetryAfter(model: string, now: number): boolean {
    return this.#cooling.hasRetryAfter(model, now)
  }

  /** When `isAskable` may become true again, or the later time that a 429 has named. In the past while a probe is under way, which may end at any moment. */
  usableAsLastResortAt(model: string, now: number): number {
    return Math.max(this.#openUntil ?? 0, this.#cooling.retryAfterUntil(model, now))
  }

  /** When `isReady` may become true again. */
  readyAt(model: string): number {
    const pausedUntil = Math.max(this.#cooling.until(model), this.#resting.until(model))
    return Math.max(this.#rejectedUntil, this.#openUntil ?? 0, this.#probeUntil, pausedUntil)
  }

  /**
   * Takes a place. A lane that is not closed lets one through, as a probe: until its verdict nobody else gets in. Gives the
   * number of the probe, for `judge`.
   */
  startAttempt(now: number): number {
    this.#inFlight++
    if (this.#openUntil === undefined) return NO_PROBE
    this.#probeUntil = now + PROBE_MS
    return ++this.#probe
  }

  /** Gives the place back. */
  endAttempt(): void {
    this.#inFlight--
  }

  /**
   * What was learned from an attempt. One whose answer began well may still break off. While the lane is not closed, only its
   * latest probe is heard, and good news: the end of one that was under way before must not let a second probe in.
   */
  record(model: string, verdict: Verdict, now: number, probe = NO_PROBE): void {
    const isHeard = this.#openUntil === undefined || probe === this.#probe
    if (isHeard || verdict.is === 'good') this.#probeUntil = 0
    if (verdict.is !== 'unknown') this.#refuses = verdict.is === 'limited' || verdict.is === 'rejected'
    if (verdict.is === 'good') this.#succeeded(verdict.latencyMs)
    else if (verdict.is === 'failure') this.#failed(now, isHeard)
    else if (verdict.is === 'limited') this.#cooling.start(model, verdict, now)
    else if (verdict.is === 'rejected') {
      this.#rejectedUntil = now + REJECTED_MS
      this.#reason = verdict.reason
    }
    const restMs = verdict.is === 'failure' ? verdict.restMs : verdict.is === 'absent' ? ABSENT_MS : undefined
    if (restMs !== undefined) this.#resting.start(model, { waitMs: restMs, all: false }, now)
  }

  report(now: number): KeyHealthReport {
    const state = this.#state(now)
    const until = state === 'ready' ? undefined : this.readyAt('')
    const reason = state === 'rejected' ? this.#reason : undefined
    const cooling = longest([...this.#cooling.models(now), ...this.#resting.models(now)])
    return { state, until, cooling, reason, inFlight: this.#inFlight, latencyMs: this.#latencyMs }
  }

  #state(now: number): KeyState {
    if (now < this.#probeUntil) return 'probing'
    if (now < this.#rejectedUntil) return 'rejected'
    if (this.#openUntil !== undefined) return 'open'
    return this.#cooling.coversAllModels(now) ? 'cooling' : 'ready'
  }

  #succeeded(latencyMs: number): void {
    const before = this.#latencyMs
    this.#latencyMs = before === undefined ? latencyMs : before + (latencyMs - before) * RECENT
    this.#failuresInARow = 0
    this.#failing += (0 - this.#failing) * RECENT
    this.#seen++
    if (this.#openUntil !== undefined) this.#failing = 0
    this.#openUntil = undefined
    this.#pauseMs = FIRST_PAUSE_MS
    this.#rejectedUntil = 0
    this.#reason = undefined
  }

  #failed(now: number, isHeard: boolean): void {
    this.#failuresInARow++
    // Calls that were under way when it opened say nothing new.
    if (!isHeard || (this.#openUntil !== undefined && now < this.#openUntil)) return
    this.#failing += (1 - this.#failing) * RECENT
    this.#seen++
    const wasOpen = this.#openUntil !== undefined
    const mostFail = this.#seen >= ENOUGH_SEEN && this.#failing > LARGE_PART
    if (!wasOpen && this.#failuresInARow < IN_A_ROW && !mostFail) return
    this.#openUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2)
    this.#seen = 0
  }
}

/** One call on a lane: its place there, and what it taught. */
export class Attempt {
  readonly #lane: KeyHealth
  readonly #model: string
  #sentAt: number
  readonly #probe: number
  #judged = false
  #left = false

  constructor(lane: KeyHealth, model: string, now: number) {
    this.#lane = lane
    this.#model = model
    this.#sentAt = now
    this.#probe = lane.startAttempt(now)
  }

  /** The request leaves: what was waited for before is not the upstream's. `at` is exact, as in `answered`. */
  sent(at: number): void {
    this.#sentAt = at
  }

  record(verdict: Verdict, now: number): void {
    if (this.#left) return
    this.#judged = true
    this.#lane.record(this.#model, verdict, now, this.#probe)
  }

  /**
   * Output has begun: later failures count again, but a probe need not wait for the end of a long answer. `at`: exactly when. The
   * clock of the pauses is too coarse: most answers would have come in no time, and the others would pass for slow.
   */
  answered(now: number, at = now): void {
    if (!this.#judged) this.record({ is: 'good', latencyMs: at - this.#sentAt }, now)
  }

  /** Once, however often it is called. */
  end(now: number): void {
    if (!this.#judged) this.record(UNKNOWN, now)
    if (!this.#left) this.#lane.endAttempt()
    this.#left = true
  }
}

type Pause = { model: string; until: number }

/** Of two pauses of a model, the longer. */
function longest(pauses: readonly Pause[]): Pause[] {
  const ends = new Map<string, number>()
  for (const { model, until } of pauses) ends.set(model, Math.max(until, ends.get(model) ?? 0))
  return Array.from(ends, ([model, until]) => ({ model, until }))
}
