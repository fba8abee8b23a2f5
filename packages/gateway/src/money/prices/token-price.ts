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
  /** For what is not plain: the rate at which a request without options is held, up to so many input tokens; see token-bound.ts. */
  usual?: { upTo: number; hold: Rate }
}

/**
 * What a token costs at the base price, in nano-USD: each figure over `of`. For most prices that is 1, so that no division
 * is left for a request.
 */
export type PerToken = { input: bigint; output: bigint; cachedInput: bigint; cacheWrite: bigint; of: bigint } & {
  /** Whatever cache price turns out to apply. */
  highestInput: bigint
  /** The same figures as numbers, where `of` is 1. */
  whole: Numbers | undefined
}

type Numbers = { input: number; output: number; cachedInput: number; cacheWrite: number; highestInput: number }

/** Options of a request that have a price of their own. */
export type PricedOptions = {
  /** The service tier. */
  tier: string | undefined
  /** Other priced options: those listed among the tiers, such as `fast`, and `audio` for audio output. */
  also: readonly string[]
  /** Hosted tools, and how often each may be called. */
  tools: ReadonlyMap<string, number>
}
export const NO_OPTIONS: PricedOptions = { tier: undefined, also: [], tools: new Map() }

/** The terms by which a request was priced: what a receipt needs besides the units. */
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

/** Prices per million tokens and multipliers in millionths are divided out at the very end. */
const MILLION = 1_000_000n
const SCALE = MILLION * MILLION
export const ONE = MILLION

/** No response has more calls than this; a higher report is a fault, and is not charged. */
const MOST_CALLS = 100_000
/** The base price is that of the usual tier, whatever a vendor calls it. */
export const USUAL_TIERS: ReadonlySet<string> = new Set(['default', 'standard'])
const NO_CALLS: Terms['tools'] = new Map()

export function rateOf(price: TokenPrice, multiplierMillionths: bigint): Rate {
  return { price, multiplierMillionths, perToken: perToken(price, multiplierMillionths), plain: isPlain(price) }
}

function perToken({ input, output, cachedInput, cacheWrite }: Figures, multiplierMillionths: bigint): PerToken {
  const figures = [input, output, cachedInput, cacheWrite].map((figure) => figure * multiplierMillionths)
  const divisor = [SCALE, MILLION].find((by) => figures.every((figure) => figure % by === 0n)) ?? 1n
  const [perInput = 0n, perOutput = 0n, perCached = 0n, perWrite = 0n] = figures.map((figure) => figure / divisor)
  const highestInput = [perInput, perCached, perWrite].reduce((one, other) => (one > other ? one : other))
  const each = { input: perInput, output: perOutput, cachedInput: perCached, cacheWrite: perWrite, highestInput }
  return { ...each, of: SCALE / divisor, whole: divisor === SCALE ? numbersOf(each) : undefined }
}

const numbersOf = ({
  input,
  output,
  cachedInput,
  cacheWrite,
  highestInput,
}: Record<keyof Numbers, bigint>): Numbers => ({
  input: Number(input),
  output: Number(output),
  highestInput: Number(highestInput),
  cachedInput: Number(cachedInput),
  cacheWrite: Number(cacheWrite),
})

function isPlain(price: TokenPrice): boolean {
  const { longContext, tiers, tools } = price
  return !longContext && !tiers && !tools && SPECIAL_KINDS.every((kind) => price[kind] === undefined)
}

/** The charge for reported (or counted) usage. */
export function priceOf(usage: Usage, rate: Rate, options: PricedOptions): Priced {
  if (rate.plain) {
    const units = unitsOf(usage)
    return { units, cost: costOf(units, rate), terms: undefined }
  }
  const terms = termsOf(rate.price, usage, options)
  const units = unitsOf(usage, terms.figures)
  return { units, cost: costByTerms(units, terms, rate.multiplierMillionths), terms }
}

/** At the base price: of a short context, at the usual tier, without tools. */
export function costOf({ input, output, cachedInput, cacheWrite }: Units, { perToken }: Rate): Nanos {
  const { whole } = perToken
  if (whole !== undefined) {
    // Each operation on bigints allocates one. Numbers are as exact while the sum, and so each part, is below 2^53.
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

/** No request costs more than the ledger can hold: a report of more is wrong. */
export const atMostBookable = (cost: Nanos): Nanos => (cost > MAX_AMOUNT ? MAX_AMOUNT : cost)

/** The tier that the response reports, if it has a price; else the requested one. */
function tiersServed(price: TokenPrice, reported: string | undefined, options: PricedOptions): readonly string[] {
  const isKnown = reported !== undefined && (USUAL_TIERS.has(reported) || price.tiers?.has(reported))
  const served = isKnown ? reported : options.tier
  if (served === undefined || options.also.includes(served)) return options.also
  return [...options.also, served]
}

function termsOf(price: TokenPrice, usage: Usage, options: PricedOptions): Terms {
  const applied = price.tiers ? tiersServed(price, usage.tier, options) : []
  const { figures, tiers, above } = tokenTerms(price, usage.input ?? 0, applied)
  return { figures, tiers, above, tools: price.tools ? callsOf(usage, price.tools) : NO_CALLS }
}

type TokenTerms = Pick<Terms, 'figures' | 'tiers' | 'above'>

/** The figures and multipliers for an input of this length at these tiers; unlisted tiers are ignored. */
export function tokenTerms(price: TokenPrice, input: number, words: readonly string[]): TokenTerms {
  const tiers = new Map<string, bigint>()
  const tables: { figures: Figures; longContext: readonly LongContext[] | undefined }[] = []
  for (const word of words) {
    const tier = price.tiers?.get(word)
    if (!tier) continue
    if ('figures' in tier) tables.push(tier)
    tiers.set(word, 'figures' in tier ? ONE : tier.multiplierMillionths)
  }
  if (tables.length === 0) tables.push({ figures: price, longContext: price.longContext })
  const found = tables.map(({ figures, longContext }) => {
    const long = longContext?.findLast(({ above }) => input > above)
    return { figures: long?.figures ?? figures, above: long?.above }
  })
  // A price does not say what two tables at once cost: the higher of each figure applies.
  const figures = found.map((each) => each.figures).reduce(higherFigures)
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

function higherFigures(one: Figures, other: Figures): Figures {
  const entries = KINDS.map((kind) => {
    const [a, b] = [figureOf(one, kind), figureOf(other, kind)]
    return [kind, a > b ? a : b]
  })
  return Object.fromEntries(entries) as Figures
}

/** Only calls that have a price; the others were not requested, or cost only their tokens. */
function callsOf({ toolCalls }: Usage, prices: ReadonlyMap<string, Nanos>): Terms['tools'] {
  if (!toolCalls) return NO_CALLS
  const calls = new Map<string, { calls: number; price: Nanos }>()
  for (const [tool, price] of prices) {
    const reported = Object.hasOwn(toolCalls, tool) ? (toolCalls[tool] ?? 0) : 0
    if (Number.isInteger(reported) && reported > 0) calls.set(tool, { calls: Math.min(reported, MOST_CALLS), price })
  }
  return calls
}

/** An option that needs a price: its name in the request, and the section of the price that lists it. */
export type PricedWord = { kind: 'tier' | 'tool' | 'other'; word: string }

/** There is a row for that tier or hosted tool, or a figure for output that is not text. Nothing else can be priced. */
export function isPriced(price: TokenPrice, { kind, word }: PricedWord): boolean {
  if (kind === 'tier') return price.tiers?.has(word) === true
  if (kind === 'tool') return price.tools?.has(word) === true
  return (word === 'audio' && price.audioOutput !== undefined) || (word === 'image' && price.imageOutput !== undefined)
}
