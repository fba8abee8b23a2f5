// A credential that is read again before it expires: one reading at a time, for all requests of this process. Clock and timers are
// passed in.
import { CredentialUnavailable, type Expiring, type Source, SourceFailed } from './credential.ts'

export type RenewingOptions = {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs `run` once, later; returns the function that cancels it. */
  after(ms: number, run: () => void): () => void
  /** The first failure since the last success; the message has no secret. */
  failed?(message: string): void
  recovered?(): void
}

/** A longer life is renewed this long before its end, a shorter one when this part of it is over. */
const BEFORE_END_MS = 300_000
const PART_OF_LIFE = 4 / 5
/** What a request waits. A reading goes on longer, for the next ones. */
const WAIT_MS = 5_000
const READ_MS = 30_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** A rejected credential that the source gives again is not asked for once more within this time. */
const REJECTED_EVERY_MS = 30_000

export class Renewing<T> {
  readonly #source: Source<T>
  readonly #options: RenewingOptions
  #current: Expiring<T> | undefined
  #former: T | undefined
  #renewAt = 0
  #reading: Promise<void> | undefined
  #failures = 0
  #nextReadAt = 0
  #rejectedAt = Number.NEGATIVE_INFINITY
  #problem: string | undefined

  constructor(source: Source<T>, options: RenewingOptions) {
    this.#source = source
    this.#options = options
  }

  /** Without a promise while there is a valid one. Rejects with CredentialUnavailable. */
  value(): T | Promise<T> {
    const now = this.#options.now()
    if (now >= this.#renewAt) this.#read(now)
    const valid = this.#validAt(now)
    return valid ? valid.value : this.#awaited()
  }

  /** The vendor rejected this one. True if there is another now. */
  async renew(rejected: T): Promise<boolean> {
    const isNewer = () => this.#current !== undefined && this.#current.value !== rejected
    const now = this.#options.now()
    if (isNewer()) return true
    if (!this.#reading && now - this.#rejectedAt >= REJECTED_EVERY_MS) {
      this.#rejectedAt = now
      this.#read(now)
    }
    await this.#readingAtMost(WAIT_MS)
    return isNewer()
  }

  /** Reads it if it is time, and waits for that. */
  async check(): Promise<void> {
    const now = this.#options.now()
    if (now >= this.#renewAt) this.#read(now)
    await this.#reading
  }

  /** The current one, and the one before, which responses may still repeat. */
  get lastTwo(): T[] {
    return [this.#current?.value, this.#former].filter((value) => value !== undefined)
  }

  get source(): string {
    return this.#source.name
  }

  get expiresAt(): number | undefined {
    return this.#current?.expiresAt
  }

  /** Why there is no valid one. */
  get problem(): string | undefined {
    return this.#validAt(this.#options.now()) ? undefined : this.#problem
  }

  #validAt(now: number): Expiring<T> | undefined {
    const { expiresAt = Number.POSITIVE_INFINITY } = this.#current ?? {}
    return now < expiresAt ? this.#current : undefined
  }

  async #awaited(): Promise<T> {
    await this.#readingAtMost(WAIT_MS)
    const valid = this.#validAt(this.#options.now())
    if (valid) return valid.value
    throw new CredentialUnavailable(this.#problem ?? `${this.#source.name}: no answer yet, after ${WAIT_MS / 1_000} s`)
  }

  /** Starts a reading, unless one is under way or the last one has just failed. */
  #read(now: number): void {
    if (this.#reading || now < this.#nextReadAt) return
    this.#reading = this.#readOnce().finally(() => {
      this.#reading = undefined
    })
  }

  async #readOnce(): Promise<void> {
    const { now, after } = this.#options
    const abort = new AbortController()
    const late = Promise.withResolvers<never>()
    const cancel = after(READ_MS, () => {
      late.reject(new SourceFailed(`${this.#source.name}: no answer within ${READ_MS / 1_000} s`))
      abort.abort()
    })
    try {
      this.#take(await Promise.race([this.#source.read(abort.signal), late.promise]), now())
    } catch (error) {
      this.#fail(error, now())
    } finally {
      cancel()
    }
  }

  #take(read: Expiring<T>, now: number): void {
    const lifeMs = (read.expiresAt ?? Number.POSITIVE_INFINITY) - now
    if (lifeMs <= 0)
      throw new SourceFailed(
        `${this.#source.name}: it gives a credential that has expired; is the clock of this machine right?`,
      )
    const isSame = this.#current && JSON.stringify(this.#current.value) === JSON.stringify(read.value)
    // The same object for the same credential: by that a rejected one is known.
    if (!isSame) this.#former = this.#current?.value
    this.#current = isSame && this.#current ? { ...read, value: this.#current.value } : read
    this.#renewAt = now + Math.max(lifeMs - BEFORE_END_MS, lifeMs * PART_OF_LIFE)
    this.#problem = undefined
    if (this.#failures > 0) this.#options.recovered?.()
    this.#failures = 0
  }

  #fail(error: unknown, now: number): void {
    // Whatever else goes wrong may have a secret in its message.
    const problem = error instanceof SourceFailed ? error.message : `${this.#source.name}: ${nameOf(error)}`
    this.#problem = problem
    this.#nextReadAt = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
    if (this.#failures++ === 0) this.#options.failed?.(problem)
  }

  /** Resolves when the reading has ended, or after this time. */
  #readingAtMost(ms: number): Promise<void> {
    const reading = this.#reading
    if (!reading) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#options.after(ms, resolve)
      reading.then(() => {
        cancel()
        resolve()
      })
    })
  }
}

const nameOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.name) : 'failed'
