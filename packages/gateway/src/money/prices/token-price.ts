// What a request costs: the exact sum of units x price x multipliers, rounded up once to one nano-USD. Pure.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { ceilDiv, MAX_AMOUNT, type Nanos } from '../amount.ts'
import { type Figures, KINDS, type Kind, SPECIAL_KINDS, type SpecialKind } from './token-kinds.ts'
import { type Units, unitsOf } from './token-units.ts'

export type { Units } from './token-units.ts'

/** Figures for the whole of a request whose input is above so many tokens; in ascending order. */
export type LongContext = { above: number; figures: Figures }

/** A service tier is a multiple of the price of tokens, or a table of its own. */
export type Tier = { multiplierMillionths: bigint } | { figures: Figures; longContext: readonly LongContext[] }

export type TokenPrice = Figures & {
  longContext?: readonly LongContext[]
  tiers?: ReadonlyMap<string, Tier>
  /** Nano-USD per call. */
  tools?: ReadonlyMap<string, Nanos>
}

/** A price and the group's multiplier, frozen when the request was accepted: an edit never changes a running request. */
export type Rate = {
  price: TokenPrice
  multiplierMillionths: bigint
  /** Price and multiplier in one. */
  perToken: PerToken
  /** Four figures and nothing else, as most prices are. */
  plain: boolean
  /** For what is not plain: the hold of a request of at most `upTo` input tokens that wishes nothing; see hold.ts. */
  usual?: { upTo: number; hold: Rate }
}

/**
 * What a token costs at the price as such, in nano-USD: each figure over `of`. For most prices that is 1, so that a
 * request has nothing left to divide.
 */
export type PerToken = { input: bigint; output: bigint; cachedInput: bigint; cacheWrite: bigint; of: bigint } & {
  /** Whatever cache price turns out to apply. */
  dearestInput: bigint
  /** The same figures as numbers, where `of` is 1. */
  whole: Numbers | undefined
}

type Numbers = { input: number; output: number; cachedInput: number; cacheWrite: number; dearestInput: number }

/** What a request asks for that has a price of its own. */
export type PricedOptions = {
  /** The service tier. */
  tier: string | undefined
  /** Other words that have a price: those listed among its tiers, such as `fast`, and `audio` for an answer to be heard. */
  also: readonly string[]
  /** Hosted tools, and how often each may be called. */
  tools: ReadonlyMap<string, number>
}
export const NO_OPTIONS: PricedOptions = { tier: undefined, also: [], tools: new Map() }

/** By which terms a request was priced: what a receipt needs besides the units. */
export type Terms = {
  figures: Figures
  /** Tiers that multiply the price of tokens; one with a table of its own is in the figures, and 1 here. */
  tiers: ReadonlyMap<string, bigint>
  /** The long-context price that applied. */
  above: number | undefined
  tools: ReadonlyMap<string, { calls: number; price: Nanos }>
}
/** `terms`: undefined where the price is plain. */
export type Priced = { units: Units; cost: Nanos; terms: Terms | undefined }

/** Both prices per million tokens and multipliers in millionths are divided out at the very end. */
const MILLION = 1_000_000n
const SCALE = MILLION * MILLION
export const ONE = MILLION

/** No answer has more calls than this; a report that says otherwise is a fault and must not become a bill. */
const MOST_CALLS = 100_000
/** The price as such is that of the usual tier, whatever a vendor calls it. */
export const USUAL_TIERS: ReadonlySet<string> = new Set(['default', 'standard'])
const NO_CALLS: Terms['tools'] = new Map()

export function rateOf(price: TokenPrice, multiplierMillionths: bigint): Rate {
  return { price, multiplierMillionths, perToken: perToken(price, multiplierMillionths), plain: isPlain(price) }
}

function perToken({ input, output, cachedInput, cacheWrite }: Figures, multiplierMillionths: bigint): PerToken {
  const figures = [input, output, cachedInput, cacheWrite].map((figure) => figure * multiplierMillionths)
  const divisor = [SCALE, MILLION].find((by) => figures.every((figure) => figure % by === 0n)) ?? 1n
  const [perInput = 0n, perOutput = 0n, perCached = 0n, perWrite = 0n] = figures.map((figure) => figure / divisor)
  const dearestInput = [perInput, perCached, perWrite].reduce((one, other) => (one > other ? one : other))
  const each = { input: perInput, output: perOutput, cachedInput: perCached, cacheWrite: perWrite, dearestInput }
  return { ...each, of: SCALE / divisor, whole: divisor === SCALE ? numbersOf(each) : undefined }
}

const numbersOf = ({
  input,
  output,
  cachedInput,
  cacheWrite,
  dearestInput,
}: Record<keyof Numbers, bigint>): Numbers => ({
  ...{ input: Number(input), output: Number(output), dearestInput: Number(dearestInput) },
  ...{ cachedInput: Number(cachedInput), cacheWrite: Number(cacheWrite) },
})

function isPlain(price: TokenPrice): boolean {
  const { longContext, tiers, tools } = price
  return !longContext && !tiers && !tools && SPECIAL_KINDS.every((kind) => price[kind] === undefined)
}

/** The charge for reported (or counted) usage. */
export function priceOf(usage: Usage, rate: Rate, wishes: PricedOptions): Priced {
  if (rate.plain) {
    const units = unitsOf(usage)
    return { units, cost: costOf(units, rate), terms: undefined }
  }
  const terms = termsOf(rate.price, usage, wishes)
  const units = unitsOf(usage, terms.figures)
  return { units, cost: costByTerms(units, terms, rate.multiplierMillionths), terms }
}

/** At the price as such: of a short context, at the usual tier, without tools. */
export function costOf({ input, output, cachedInput, cacheWrite }: Units, { perToken }: Rate): Nanos {
  const { whole } = perToken
  if (whole !== undefined) {
    // Each step with bigints makes another one. Numbers are as exact while all of it, and so each part, is below 2^53.
    const tokens = input * whole.input + output * whole.output
    const sum = tokens + cachedInput * whole.cachedInput + cacheWrite * whole.cacheWrite
    if (sum <= Number.MAX_SAFE_INTEGER) return BigInt(sum)
  }
  let sum = BigInt(input) * perToken.input + BigInt(output) * perToken.output
  if (cachedInput > 0) sum += BigInt(cachedInput) * perToken.cachedInput
  if (cacheWrite > 0) sum += BigInt(cacheWrite) * perToken.cacheWrite
  return atMostBookable(ceilDiv(sum, perToken.of))
}

export function costByTerms(units: Units, { figures, tiers, tools }: Terms, multiplierMillionths: bigint): Nanos {
  let sum = tokenSum(units, figures)
  let scale = SCALE
  for (const multiplier of tiers.values()) {
    sum *= multiplier
    scale *= MILLION
  }
  // A call of a hosted tool costs the same at every tier.
  for (const { calls, price } of tools.values()) sum += (BigInt(calls) * price * scale) / MILLION
  return atMostBookable(ceilDiv(sum * multiplierMillionths, scale))
}

function tokenSum(units: Units, figures: Figures): bigint {
  let sum = 0n
  for (const kind of KINDS) {
    const tokens = units[kind]
    if (tokens) sum += BigInt(tokens) * figureOf(figures, kind)
  }
  return sum
}

const specials: ReadonlySet<string> = new Set(SPECIAL_KINDS)
const isSpecial = (kind: string): kind is SpecialKind => specials.has(kind)

/** No request is dearer than the books can hold; who reports such a thing is wrong, and the books stay in order. */
export const atMostBookable = (cost: Nanos): Nanos => (cost > MAX_AMOUNT ? MAX_AMOUNT : cost)

/** The tier that the answer says it was served at decides, if it has a price; else the one that was asked for. */
function tiersServed(price: TokenPrice, reported: string | undefined, wishes: PricedOptions): readonly string[] {
  const isKnown = reported !== undefined && (USUAL_TIERS.has(reported) || price.tiers?.has(reported))
  const served = isKnown ? reported : wishes.tier
  if (served === undefined || wishes.also.includes(served)) return wishes.also
  return [...wishes.also, served]
}

function termsOf(price: TokenPrice, usage: Usage, wishes: PricedOptions): Terms {
  const applied = price.tiers ? tiersServed(price, usage.tier, wishes) : []
  const { figures, tiers, above } = tokenTerms(price, usage.input ?? 0, applied)
  return { figures, tiers, above, tools: price.tools ? callsOf(usage, price.tools) : NO_CALLS }
}

type TokenTerms = Pick<Terms, 'figures' | 'tiers' | 'above'>

/** The figures and multipliers of an input so long at these tiers; words that the price does not list mean nothing. */
export function tokenTerms(price: TokenPrice, input: number, words: readonly string[]): TokenTerms {
  const tiers = new Map<string, bigint>()
  const tables: { figures: Figures; longContext?: readonly LongContext[] }[] = []
  for (const word of words) {
    const tier = price.tiers?.get(word)
    if (!tier) continue
    if ('figures' in tier) tables.push(tier)
    tiers.set(word, 'figures' in tier ? ONE : tier.multiplierMillionths)
  }
  if (tables.length === 0) tables.push({ figures: price, longContext: price.longContext ?? [] })
  const found = tables.map(({ figures, longContext }) => {
    const long = longContext?.findLast(({ above }) => input > above)
    return { figures: long?.figures ?? figures, above: long?.above }
  })
  // Two tables at once is more than a price can say: of each figure the dearer.
  const figures = found.map((each) => each.figures).reduce(dearer)
  return { figures, tiers, above: found[0]?.above }
}

const FALLBACK: { readonly [K in SpecialKind]: Kind } = {
  cacheWriteLong: 'cacheWrite',
  audioInput: 'input',
  cachedAudioInput: 'audioInput',
  imageInput: 'input',
  reasoning: 'output',
  audioOutput: 'output',
  imageOutput: 'output',
}

export function figureOf(figures: Figures, kind: Kind): Nanos {
  return figures[kind] ?? (isSpecial(kind) ? figureOf(figures, FALLBACK[kind]) : 0n)
}

function dearer(one: Figures, other: Figures): Figures {
  const entries = KINDS.map((kind) => {
    const [a, b] = [figureOf(one, kind), figureOf(other, kind)]
    return [kind, a > b ? a : b]
  })
  return Object.fromEntries(entries) as Figures
}

/** Only calls that have a price; the others were not asked for, or cost only the tokens that they bring. */
function callsOf({ toolCalls }: Usage, prices: ReadonlyMap<string, Nanos>): Terms['tools'] {
  if (!toolCalls) return NO_CALLS
  const calls = new Map<string, { calls: number; price: Nanos }>()
  for (const [tool, price] of prices) {
    const reported = Object.hasOwn(toolCalls, tool) ? (toolCalls[tool] ?? 0) : 0
    if (Number.isInteger(reported) && reported > 0) calls.set(tool, { calls: Math.min(reported, MOST_CALLS), price })
  }
  return calls
}

/** What a price is needed for: a word of a request, and where a price says what it costs. */
export type PricedWord = { kind: 'tier' | 'tool' | 'other'; word: string }

/** A row for that tier or hosted tool; or a figure for output that is not text. Of the rest no price can say anything. */
export function isPriced(price: TokenPrice, { kind, word }: PricedWord): boolean {
  if (kind === 'tier') return price.tiers?.has(word) === true
  if (kind === 'tool') return price.tools?.has(word) === true
  return (word === 'audio' && price.audioOutput !== undefined) || (word === 'image' && price.imageOutput !== undefined)
}
