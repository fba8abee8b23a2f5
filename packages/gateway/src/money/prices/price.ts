// What every price can say, whatever it counts: tokens, images, or seconds of video. Pure.
import type { Nanos } from '../amount.ts'

/** A price and the group's multiplier, frozen when a request is accepted: an edit never changes a running request. */
export type Price<Request, Usage> = {
  readonly multiplierMillionths: bigint
  /** The most that the request can cost. undefined: that is not known, so the request has to be rejected; it is never free. */
  bound(request: Request): Nanos | undefined
  /** What the outcome of a request costs. undefined: the usage lacks what the price counts. */
  cost(usage: Usage): Charge | undefined
}

export type AnyPrice = Price<never, never>

/** One request may have several, each by a price of its own. */
export type Charge = {
  cost: Nanos
  /** What was counted: members of `units` on the receipt, in JSON: `"input":12,"output":3`. */
  units: string
  /** What each of it costs, in nano-USD: members of `price` there. */
  figures: string
}
