// What one attempt uses of the limits of its upstream and its route: an estimate before it is sent, which what it really used replaces.
import type { LimitShare, Room } from './limit-share.ts'

/** The most that an attempt is expected to use; `nanos`: at the upstream's cost. */
export type Demand = { tokens: number; nanos: number }
export const NO_DEMAND: Demand = { tokens: 0, nanos: 0 }

/** undefined: not known. */
type Used = { [Name in keyof Demand]?: Demand[Name] | undefined }

const amountOf = ({ kind }: LimitShare, { tokens, nanos }: Demand): number =>
  kind === 'tpm' ? tokens : kind === 'usd_per_day' ? nanos : 1

/** Whether there is room at all limits. */
export function roomFor(shares: readonly LimitShare[], demand: Demand, account: bigint, now: number): Room {
  let room: Room = 'open'
  for (const share of shares) {
    const own = share.roomFor(amountOf(share, demand), account, now)
    if (own === 'reached') return own
    if (own === 'waiting') room = own
  }
  return room
}

/** When all limits that are reached may have room again. */
export const roomAt = (shares: readonly LimitShare[], demand: Demand, account: bigint, now: number): number =>
  Math.max(
    now,
    ...shares
      .filter((share) => share.roomFor(amountOf(share, demand), account, now) !== 'open')
      .map((share) => share.until(now)),
  )

export class Reservation {
  readonly #shares: readonly LimitShare[]
  readonly #account: bigint
  readonly #demand: Demand
  readonly #slots: readonly number[]
  #isSent = false
  #used: Used | undefined
  #isEnded = false

  constructor(shares: readonly LimitShare[], demand: Demand, account: bigint, now: number) {
    this.#shares = shares
    this.#demand = demand
    this.#account = account
    this.#slots = shares.map((share) => share.take(amountOf(share, demand), account, now))
  }

  /** Until now, nothing counts if the attempt ends. */
  sent(): void {
    this.#isSent = true
  }

  /** It was billed. A figure that is not known stays as it was estimated. */
  used(used: Used): void {
    this.#used = used
  }

  /** Once, however often it is called. */
  end(now: number): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const { tokens = this.#demand.tokens, nanos = this.#demand.nanos } = this.#used ?? NO_DEMAND
    for (const [at, share] of this.#shares.entries()) {
      const estimated = amountOf(share, this.#demand)
      if (share.kind === 'concurrent') share.release(this.#account)
      else {
        const used = share.kind === 'rpm' ? Number(this.#isSent) : amountOf(share, { tokens, nanos })
        share.correct(this.#slots[at] ?? 0, used - estimated, this.#account, now)
      }
    }
  }
}
