// What a request costs: the exact sum of units x price x multiplier, rounded up once to one nano-USD. Pure.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { ceilDiv, MAX_AMOUNT, type Nanos } from './amount.ts'

/** Nano-USD per million tokens. */
export type TokenPrice = { input: Nanos; output: Nanos; cachedInput: Nanos; cacheWrite: Nanos }

/** Tokens by the price that applies to them; no token is in two of these. */
export type Units = { input: number; cachedInput: number; cacheWrite: number; output: number }

/** A price and the group's multiplier, frozen when the request was accepted: an edit never changes a running request. */
export type Rate = { price: TokenPrice; multiplierMillionths: bigint }

/** Prices are per million tokens and multipliers in millionths: both are divided out at the very end. */
const SCALE = 1_000_000n * 1_000_000n

export function costOf(units: Units, rate: Rate): Nanos {
  const { price, multiplierMillionths } = rate
  const sum =
    BigInt(units.input) * price.input +
    (units.cachedInput > 0 ? BigInt(units.cachedInput) * price.cachedInput : 0n) +
    (units.cacheWrite > 0 ? BigInt(units.cacheWrite) * price.cacheWrite : 0n) +
    BigInt(units.output) * price.output
  return atMostBookable(ceilDiv(sum * multiplierMillionths, SCALE))
}

/** No request is dearer than the books can hold; who reports such a thing is wrong, and the books stay in order. */
const atMostBookable = (cost: Nanos): Nanos => (cost > MAX_AMOUNT ? MAX_AMOUNT : cost)

/** The most that `tokens` of input can cost, whatever cache price turns out to apply. */
export function inputBound(tokens: number, rate: Rate): Nanos {
  const { input, cachedInput, cacheWrite } = rate.price
  const dearest = [cachedInput, cacheWrite].reduce((most, price) => (price > most ? price : most), input)
  return ceilDiv(BigInt(tokens) * dearest * rate.multiplierMillionths, SCALE)
}

export function outputCost(tokens: number, rate: Rate): Nanos {
  return ceilDiv(BigInt(tokens) * rate.price.output * rate.multiplierMillionths, SCALE)
}

/** How many output tokens `amount` pays for; undefined when they cost nothing. */
export function outputTokensFor(amount: Nanos, rate: Rate): number | undefined {
  const perToken = rate.price.output * rate.multiplierMillionths
  if (perToken === 0n) return undefined
  return Number((amount * SCALE) / perToken)
}

/** Splits reported usage by price. Input includes cached and cache-written tokens; the rest pays the input price. */
export function unitsOf(usage: Usage): Units {
  const input = usage.input ?? 0
  const cachedInput = Math.min(usage.cachedInput ?? 0, input)
  const cacheWrite = Math.min(usage.cacheWrite ?? 0, input - cachedInput)
  return { input: input - cachedInput - cacheWrite, cachedInput, cacheWrite, output: usage.output ?? 0 }
}
