// What a response has cost so far: calls of the model, and images.

import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { addUsage } from '../images/usage.ts'
import type { DeliveredImage } from '../modalities/image/price.ts'
import type { Nanos } from '../money/amount.ts'
import { bookableTokens } from '../money/limits.ts'
import { combineCharges, type MultipliedCharge } from '../money/prices/combine-charges.ts'
import type { Charge } from '../money/prices/price.ts'
import { totalsOf } from '../money/prices/token-units.ts'
import type { TextCharge } from '../text/billing/charge.ts'

export class Spending {
  /** The usage of the model, as its upstreams reported it. */
  usage: Usage | undefined
  readonly #offer: OfferOf<'image'>
  readonly #texts: MultipliedCharge[] = []
  readonly #images: DeliveredImage[] = []
  #imageUsage: Usage | undefined
  #tokens = 0
  /** undefined: not known of every call. */
  #upstreamCost: Nanos | undefined = 0n

  constructor(offer: OfferOf<'image'>) {
    this.#offer = offer
  }

  addText(charge: TextCharge, usage: Usage | undefined, multiplierMillionths: bigint): void {
    this.#texts.push({ charge, multiplierMillionths })
    const { input, cachedInput, cacheWrite, output } = totalsOf(charge.tokens)
    this.#tokens += input + cachedInput + cacheWrite + output
    this.#addUpstreamCost(charge.upstreamCost)
    this.usage = added(this.usage, usage)
  }

  addImage(image: DeliveredImage, usage: Usage | undefined, upstreamCost: Nanos | undefined): void {
    this.#images.push(image)
    this.#imageUsage = added(this.#imageUsage, usage)
    this.#tokens += (usage?.input ?? 0) + (usage?.output ?? 0)
    this.#addUpstreamCost(upstreamCost)
  }

  /** `multiplierMillionths`: the receipt's. */
  charges(multiplierMillionths: bigint): Charge[] {
    const texts = combineCharges(this.#texts, multiplierMillionths)
    const images = this.#imageCharge()
    if (!images) return texts
    const { multiplierMillionths: own } = this.#offer.rate
    if (own === multiplierMillionths) return [...texts, images]
    return [...texts, { ...images, figures: `${images.figures},"media_multiplier_millionths":"${own}"` }]
  }

  get cost(): Nanos {
    const { multiplierMillionths } = this.#offer.rate
    return this.charges(multiplierMillionths).reduce((sum, { cost }) => sum + cost, 0n)
  }

  get tokens(): number {
    return bookableTokens(this.#tokens)
  }

  get upstreamCost(): Nanos | undefined {
    return this.#upstreamCost
  }

  #imageCharge(): Charge | undefined {
    const images = this.#images
    if (images.length === 0) return undefined
    return this.#offer.rate.cost({ images, requested: images.length, usage: this.#imageUsage })
  }

  #addUpstreamCost(cost: Nanos | undefined): void {
    this.#upstreamCost = cost === undefined || this.#upstreamCost === undefined ? undefined : this.#upstreamCost + cost
  }
}

const added = (sum: Usage | undefined, more: Usage | undefined): Usage | undefined =>
  sum && more ? addUsage(sum, more) : (sum ?? more)
