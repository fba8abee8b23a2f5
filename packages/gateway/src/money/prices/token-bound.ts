// The most that a request can cost, before anything of its response is known. Pure.
import { ceilDiv, type Nanos } from '../amount.ts'
import type { Figures, Kind } from './token-kinds.ts'
import {
  atMostBookable,
  NO_OPTIONS,
  ONE,
  type PricedOptions,
  type Rate,
  rateOf,
  type TokenPrice,
  tokenTerms,
} from './token-price.ts'

// Audio is many times more expensive than text: it is held for only where it is sent or requested.
const INPUT_KINDS: readonly Kind[] = ['input', 'cachedInput', 'cacheWrite', 'cacheWriteLong', 'imageInput']
const AUDIO_INPUT_KINDS: readonly Kind[] = [...INPUT_KINDS, 'audioInput', 'cachedAudioInput']
const OUTPUT_KINDS: readonly Kind[] = ['output', 'reasoning', 'imageOutput']
const AUDIO_OUTPUT_KINDS: readonly Kind[] = [...OUTPUT_KINDS, 'audioOutput']

/**
 * A plain rate that is never below the final cost: the most expensive kind of token, with the long-context price if the input
 * reaches it, at the most expensive tier that may serve the request. `hasAudio`: there may be audio in the input.
 */
export function holdRate(rate: Rate, inputTokens: number, options: PricedOptions, hasAudio: boolean): Rate {
  if (rate.plain) return rate
  const { usual } = rate
  if (usual && options === NO_OPTIONS && !hasAudio && inputTokens <= usual.upTo) return usual.hold
  return highestRate(rate, inputTokens, options, hasAudio)
}

function highestRate(
  { price, multiplierMillionths }: Rate,
  inputTokens: number,
  options: PricedOptions,
  hasAudio: boolean,
): Rate {
  const inputKinds = hasAudio ? AUDIO_INPUT_KINDS : INPUT_KINDS
  const outputKinds = options.also.includes('audio') ? AUDIO_OUTPUT_KINDS : OUTPUT_KINDS
  let [input, output] = [0n, 0n]
  for (const words of tiersToExpect(price, options)) {
    // The input is only bounded from above: it may also be shorter than a long context.
    for (const length of [0, ...aboves(price, words).filter((above) => inputTokens > above)]) {
      const { figures, tiers } = tokenTerms(price, length + 1, words)
      input = most(input, times(highestOf(figures, inputKinds), tiers.values()))
      output = most(output, times(highestOf(figures, outputKinds), tiers.values()))
    }
  }
  return rateOf({ input, output, cachedInput: input, cacheWrite: input }, multiplierMillionths)
}

/** A rate with everything that can be computed once per configuration. */
export function readyRate(price: TokenPrice, multiplierMillionths: bigint): Rate {
  const rate = rateOf(price, multiplierMillionths)
  if (rate.plain) return rate
  const upTo = price.longContext?.[0]?.above ?? Number.POSITIVE_INFINITY
  return { ...rate, usual: { upTo, hold: holdRate(rate, 0, NO_OPTIONS, false) } }
}

/** A request for one tier may be served at the usual one; `auto` may be any. */
function tiersToExpect({ tiers }: TokenPrice, { tier, also }: PricedOptions): (readonly string[])[] {
  if (!tiers || tier === undefined) return [also]
  const expected = tiers.has(tier) ? [tier] : [...tiers.keys()]
  return [also, ...expected.map((word) => [...also, word])]
}

function aboves(price: TokenPrice, words: readonly string[]): number[] {
  const tables = words.flatMap((word) => {
    const tier = price.tiers?.get(word)
    return tier && 'figures' in tier ? tier.longContext : []
  })
  return [...(price.longContext ?? []), ...tables].map(({ above }) => above)
}

const most = (one: bigint, other: bigint): bigint => (one > other ? one : other)

const highestOf = (figures: Figures, kinds: readonly Kind[]): Nanos =>
  kinds.reduce((highest, kind) => most(highest, figures[kind] ?? 0n), 0n)

function times(figure: Nanos, multipliers: Iterable<bigint>): Nanos {
  let product = figure
  for (const multiplier of multipliers) product = ceilDiv(product * multiplier, ONE)
  return product
}

/** For hosted tools: the most calls that were allowed, at their price. */
export function toolsBound({ price, multiplierMillionths }: Rate, { tools }: PricedOptions): Nanos {
  if (tools.size === 0) return 0n
  let sum = 0n
  for (const [tool, calls] of tools) sum += BigInt(calls) * (price.tools?.get(tool) ?? 0n)
  return atMostBookable(ceilDiv(sum * multiplierMillionths, ONE))
}

/** The most that `tokens` of input can cost at a plain rate, whatever cache price turns out to apply. */
export function inputBound(tokens: number, { perToken }: Rate): Nanos {
  return inNumbers(tokens, perToken.whole?.highestInput) ?? ceilDiv(BigInt(tokens) * perToken.highestInput, perToken.of)
}

export function outputCost(tokens: number, { perToken }: Rate): Nanos {
  return inNumbers(tokens, perToken.whole?.output) ?? ceilDiv(BigInt(tokens) * perToken.output, perToken.of)
}

/** Far faster than with bigints, and as exact below 2^53. */
function inNumbers(tokens: number, price: number | undefined): Nanos | undefined {
  if (price === undefined) return undefined
  const product = tokens * price
  return product <= Number.MAX_SAFE_INTEGER ? BigInt(product) : undefined
}

/** How many output tokens `amount` pays for; undefined when they cost nothing. */
export function outputTokensFor(amount: Nanos, { perToken }: Rate): number | undefined {
  if (perToken.output === 0n) return undefined
  return Number((amount * perToken.of) / perToken.output)
}
