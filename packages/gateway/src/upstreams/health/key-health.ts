// The health of one upstream key: requests in flight, latency, circuit breaker and cool-downs. Pure; the clock is passed in,
// in milliseconds.
//
//   closed --failures--> open --pause is over--> half-open --probe succeeded--> closed
//                          ^------------------------- probe failed --------'
//
// A 429 starts a cool-down of the model (or of all models) and does not count as a failure. A rejected key is disabled. A
// model that does not exist there, or a failure with a retry-after, pauses the model. So does a URL that does not exist once
// another call has succeeded: callers choose among the URLs of a service, and one that it lacks must not close the others to
// everyone. Such a key is used again when its time is over, or before that as a last resort if no other key is usable, unless
// a 429 has sent a retry-after.
import { CoolDown, type RateLimited } from './cool-down.ts'

/** What an attempt says about the upstream. */
export type Verdict =
  | { is: 'good'; latencyMs: number }
  /** No response, or an error of the upstream's own. `restMs`: its retry-after. `ofUrl`: it has no such URL. */
  | { is: 'failure'; restMs?: number; ofUrl?: true }
  | ({ is: 'limited' } & RateLimited)
  /** The key is wrong, forbidden or out of credit. */
  | { is: 'rejected'; reason: string }
  /** The key is valid, but the model does not exist for it. */
  | { is: 'absent' }
  /** The request was invalid, or the client disconnected. */
  | { is: 'unknown' }

export const FAILURE: Verdict = { is: 'failure' }
export const UNKNOWN: Verdict = { is: 'unknown' }

export type KeyState = 'ready' | 'cooling' | 'open' | 'probing' | 'rejected'

/** Why a model is not requested with a key now. `probing`: the breaker is half-open, and its probe is under way. */
export type KeyObstacle = 'key_rejected' | 'probing' | 'breaker_open' | 'cooling_down' | 'model_paused'

export type KeyHealthReport = {
  state: KeyState
  /** When it will be used again. */
  until: number | undefined
  /** Models that are not requested with this key for now. */
  cooling: readonly { model: string; until: number }[]
  reason: string | undefined
  inFlight: number
  latencyMs: number | undefined
  /** In a row, up to now. */
  failures: number
  /** A call has said something about the upstream. */
  isKnown: boolean
}

/** The breaker opens after this many failures in a row, or above this rate of recent failures. */
const FAILURES_IN_A_ROW = 10
const FAILURE_RATE = 0.8
const MIN_ATTEMPTS = 20
const SMOOTHING = 1 / 16
const MIN_OPEN_MS = 1_000
const MAX_OPEN_MS = 30_000
/** The bill may have been paid meanwhile. */
const REJECTED_FOR_MS = 300_000
/** The model may have been enabled meanwhile. */
const ABSENT_FOR_MS = 30_000
/** A probe whose end is never reported must not block the key forever. */
const PROBE_TIMEOUT_MS = 120_000
const NO_PROBE = -1
/** Added to every latency: two milliseconds instead of one is no difference in load. */
const NEGLIGIBLE_MS = 5

export class KeyHealth {
  #inFlight = 0
  #latencyMs: number | undefined
  #failuresInARow = 0
  /** Since the last success, of a key that has answered at other URLs. */
  #missingUrls = 0
  #hasAnswered = false
  #isKnown = false
  /** The last attempt was rate-limited or rejected. */
  #isRejecting = false
  #failureRate = 0
  #attempts = 0
  #openUntil: number | undefined
  #nextOpenMs = MIN_OPEN_MS
  #probeUntil = 0
  /** The number of the latest probe. */
  #probe = 0
  #rejectedUntil = 0
  #reason: string | undefined
  readonly #coolDown: CoolDown
  /** Pauses of single models: never shared, unlike the cool-downs of a quota. */
  readonly #pauses = new CoolDown()

  /** `coolDown`: of the quota that the key shares with others; absent: it has one of its own. */
  constructor(coolDown = new CoolDown()) {
    this.#coolDown = coolDown
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * How long the next request would take if those in flight were served one after the other; lower is better. `capacity`:
   * how many are served at a time, relative to other keys.
   */
  loadFor(capacity: number): number {
    return ((this.#latencyMs ?? 0) + NEGLIGIBLE_MS) * (this.#inFlight / capacity + 1)
  }

  /** Whether `model` may be requested now. */
  isReady(model: string, now: number): boolean {
    return this.obstacle(model, now) === undefined
  }

  obstacle(model: string, now: number): KeyObstacle | undefined {
    if (now < this.#rejectedUntil) return 'key_rejected'
    if (now < this.#probeUntil) return 'probing'
    if (this.#openUntil !== undefined && now < this.#openUntil) return 'breaker_open'
    if (!this.#coolDown.isOver(model, now)) return 'cooling_down'
    return this.#pauses.isOver(model, now) ? undefined : 'model_paused'
  }

  /** The last attempt succeeded and the breaker is closed: a retry here is likely to work. */
  get isHealthy(): boolean {
    return this.#failuresInARow === 0 && this.#openUntil === undefined && !this.#isRejecting
  }

  /** Whether it may be used if no other key is usable: a limit may have been lifted, or a bill paid. */
  isUsableAsLastResort(model: string, now: number): boolean {
    const isOpen = (this.#openUntil !== undefined && now < this.#openUntil) || now < this.#probeUntil
    return !isOpen && !this.hasRetryAfter(model, now)
  }

  /** A 429 has sent a retry-after that is not over. */
  hasRetryAfter(model: string, now: number): boolean {
    return this.#coolDown.hasRetryAfter(model, now)
  }

  /** When `isUsableAsLastResort` may become true again, or the later retry-after of a 429. In the past while a probe runs. */
  usableAsLastResortAt(model: string, now: number): number {
    return Math.max(this.#openUntil ?? 0, this.#coolDown.retryAfterUntil(model, now))
  }

  /** When `isReady` may become true again. */
  readyAt(model: string): number {
    const pausedUntil = Math.max(this.#coolDown.until(model), this.#pauses.until(model))
    return Math.max(this.#rejectedUntil, this.#openUntil ?? 0, this.#probeUntil, pausedUntil)
  }

  /**
   * Counts an attempt as in flight. If the breaker is not closed, the attempt is a probe: until its verdict no other attempt
   * may start. Returns the number of the probe, for `record`.
   */
  startAttempt(now: number): number {
    this.#inFlight++
    if (this.#openUntil === undefined) return NO_PROBE
    this.#probeUntil = now + PROBE_TIMEOUT_MS
    return ++this.#probe
  }

  endAttempt(): void {
    this.#inFlight--
  }

  /**
   * Records the verdict of an attempt, perhaps twice: a response that began well may break off. While the breaker is not
   * closed, only successes and the latest probe count: an older attempt that ends must not admit a second probe.
   */
  record(model: string, verdict: Verdict, now: number, probe = NO_PROBE): void {
    const counts = this.#openUntil === undefined || probe === this.#probe
    if (counts || verdict.is === 'good') this.#probeUntil = 0
    if (verdict.is !== 'unknown') {
      this.#isRejecting = verdict.is === 'limited' || verdict.is === 'rejected'
      this.#isKnown = true
    }
    if (verdict.is === 'good') this.#succeeded(verdict.latencyMs)
    else if (verdict.is === 'failure' && verdict.ofUrl && this.#hasAnswered) this.#missingUrls++
    else if (verdict.is === 'failure') this.#failed(now, counts)
    else if (verdict.is === 'limited') this.#coolDown.start(model, verdict, now)
    else if (verdict.is === 'rejected') {
      this.#rejectedUntil = now + REJECTED_FOR_MS
      this.#reason = verdict.reason
    }
    const isMissing = verdict.is === 'absent' || (verdict.is === 'failure' && verdict.ofUrl && this.#hasAnswered)
    const restMs = isMissing ? ABSENT_FOR_MS : verdict.is === 'failure' ? verdict.restMs : undefined
    if (restMs !== undefined) this.#pauses.start(model, { waitMs: restMs, all: false }, now)
  }

  /** What it was rejected for is over. */
  readmit(): void {
    this.#rejectedUntil = 0
    this.#reason = undefined
    this.#isRejecting = false
  }

  /** Forgets failures, rejections and cool-downs, also those of a shared quota. Requests in flight and latency stay. */
  reset(): void {
    this.#failuresInARow = 0
    this.#missingUrls = 0
    this.#hasAnswered = false
    this.#isKnown = false
    this.#isRejecting = false
    this.#failureRate = 0
    this.#attempts = 0
    this.#openUntil = undefined
    this.#nextOpenMs = MIN_OPEN_MS
    this.#probeUntil = 0
    this.#rejectedUntil = 0
    this.#reason = undefined
    this.#coolDown.clear()
    this.#pauses.clear()
  }

  report(now: number): KeyHealthReport {
    const state = this.#state(now)
    const until = state === 'ready' ? undefined : this.readyAt('')
    const reason = state === 'rejected' ? this.#reason : undefined
    const cooling = longest([...this.#coolDown.models(now), ...this.#pauses.models(now)])
    const [failures, isKnown] = [this.#failuresInARow + this.#missingUrls, this.#isKnown]
    return { state, until, cooling, reason, inFlight: this.#inFlight, latencyMs: this.#latencyMs, failures, isKnown }
  }

  #state(now: number): KeyState {
    if (now < this.#probeUntil) return 'probing'
    if (now < this.#rejectedUntil) return 'rejected'
    if (this.#openUntil !== undefined) return 'open'
    return this.#coolDown.coversAllModels(now) ? 'cooling' : 'ready'
  }

  #succeeded(latencyMs: number): void {
    const before = this.#latencyMs
    this.#latencyMs = before === undefined ? latencyMs : before + (latencyMs - before) * SMOOTHING
    this.#failuresInARow = 0
    this.#missingUrls = 0
    this.#hasAnswered = true
    this.#failureRate += (0 - this.#failureRate) * SMOOTHING
    this.#attempts++
    if (this.#openUntil !== undefined) this.#failureRate = 0
    this.#openUntil = undefined
    this.#nextOpenMs = MIN_OPEN_MS
    this.#rejectedUntil = 0
    this.#reason = undefined
  }

  #failed(now: number, counts: boolean): void {
    this.#failuresInARow++
    // Attempts that were in flight when the breaker opened say nothing new.
    if (!counts || (this.#openUntil !== undefined && now < this.#openUntil)) return
    this.#failureRate += (1 - this.#failureRate) * SMOOTHING
    this.#attempts++
    const wasOpen = this.#openUntil !== undefined
    const isAboveRate = this.#attempts >= MIN_ATTEMPTS && this.#failureRate > FAILURE_RATE
    if (!wasOpen && this.#failuresInARow < FAILURES_IN_A_ROW && !isAboveRate) return
    this.#openUntil = now + this.#nextOpenMs
    this.#nextOpenMs = Math.min(MAX_OPEN_MS, this.#nextOpenMs * 2)
    this.#attempts = 0
  }
}

/** One attempt with a key. Reports its verdict and its end to the key's health. */
export class Attempt {
  readonly #health: KeyHealth
  readonly #model: string
  #sentAt: number
  readonly #probe: number
  #recorded = false
  #ended = false

  constructor(health: KeyHealth, model: string, now: number) {
    this.#health = health
    this.#model = model
    this.#sentAt = now
    this.#probe = health.startAttempt(now)
  }

  /** The request is sent now: time before that is not the upstream's latency. `at` is exact, as in `answered`. */
  sent(at: number): void {
    this.#sentAt = at
  }

  record(verdict: Verdict, now: number): void {
    if (this.#ended) return
    this.#recorded = true
    this.#health.record(this.#model, verdict, now, this.#probe)
  }

  /**
   * Output has begun: a probe need not wait for the end of a long response, and a later failure still counts. `at`: the exact
   * time, because the clock of `now` is too coarse for latencies.
   */
  answered(now: number, at = now): void {
    if (!this.#recorded) this.record({ is: 'good', latencyMs: at - this.#sentAt }, now)
  }

  /** May be called more than once. */
  end(now: number): void {
    if (!this.#recorded) this.record(UNKNOWN, now)
    if (!this.#ended) this.#health.endAttempt()
    this.#ended = true
  }
}

type Pause = { model: string; until: number }

/** One pause per model: the longest. */
function longest(pauses: readonly Pause[]): Pause[] {
  const ends = new Map<string, number>()
  for (const { model, until } of pauses) ends.set(model, Math.max(until, ends.get(model) ?? 0))
  return Array.from(ends, ([model, until]) => ({ model, until }))
}
