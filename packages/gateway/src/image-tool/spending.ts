// What a response has cost so far: calls of the model, and images.

import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { addUsage } from '../images/usage.ts'
import type { Nanos } from '../money/amount.ts'
import { bookableTokens } from '../money/limits.ts'
import { combineCharges, combineMediaCharges, type MultipliedCharge } from '../money/prices/combine-charges.ts'
import type { Charge } from '../money/prices/price.ts'
import { totalsOf } from '../money/prices/token-units.ts'
import type { TextCharge } from '../text/billing/charge.ts'

export class Spending {
  /** The usage of the model, as its upstreams reported it. */
  usage: Usage | undefined
  readonly #texts: MultipliedCharge[] = []
  readonly #images: Charge[] = []
  /** The price multiplier of the image model. */
  readonly #imageMultiplier: bigint
  #tokens = 0
  /** undefined: not known of every call. */
  #upstreamCost: Nanos | undefined = 0n

  constructor(imageMultiplier: bigint) {
    this.#imageMultiplier = imageMultiplier
  }

  addText(charge: TextCharge, usage: Usage | undefined, multiplierMillionths: bigint): void {
    this.#texts.push({ charge, multiplierMillionths })
    const { input, cachedInput, cacheWrite, output } = totalsOf(charge.tokens)
    this.#tokens += input + cachedInput + cacheWrite + output
    this.#addUpstreamCost(charge.upstreamCost)
    this.usage = this.usage && usage ? addUsage(this.usage, usage) : (this.usage ?? usage)
  }

  addImage(image: Charge, usage: Usage | undefined, upstreamCost: Nanos | undefined): void {
    this.#images.push(image)
    this.#tokens += (usage?.input ?? 0) + (usage?.output ?? 0)
    this.#addUpstreamCost(upstreamCost)
  }

  /** `multiplierMillionths`: the receipt's. */
  charges(multiplierMillionths: bigint): Charge[] {
    const texts = combineCharges(this.#texts, multiplierMillionths)
    if (this.#images.length === 0) return texts
    const own = this.#imageMultiplier
    const images = combineMediaCharges(this.#images, own)
    if (own === multiplierMillionths) return [...texts, images]
    return [...texts, { ...images, figures: `${images.figures},"media_multiplier_millionths":"${own}"` }]
  }

  get cost(): Nanos {
    return this.charges(this.#imageMultiplier).reduce((sum, { cost }) => sum + cost, 0n)
  }

  get tokens(): number {
    return bookableTokens(this.#tokens)
  }

  get upstreamCost(): Nanos | undefined {
    return this.#upstreamCost
  }

  #addUpstreamCost(cost: Nanos | undefined): void {
    this.#upstreamCost = cost === undefined || this.#upstreamCost === undefined ? undefined : this.#upstreamCost + cost
  }
}
