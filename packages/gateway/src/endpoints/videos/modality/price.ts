// What videos cost, and the most that they can cost. Pure.

import { chosenWord, isCount, isWord, MILLION, mediaTotal } from '../../../modalities/media-quantities.ts'
import { ceilDiv, type Nanos } from '../../../money/amount.ts'
import type { Price } from '../../../money/prices/price.ts'
import { atMostBookable, USUAL_TIERS } from '../../../money/prices/token-price.ts'

export type VideoUnit = 'second' | 'video' | 'million_tokens'
/** `variants`: by resolution; what none of them names costs `price`. Nano-USD per unit. */
export type VideoPrice = {
  per: VideoUnit
  price: Nanos
  variants: ReadonlyMap<string, Nanos>
  /** Multipliers in millionths, of service tiers other than the usual one. */
  tiers?: ReadonlyMap<string, bigint>
  /** The multipliers of drafts, and of videos without sound. Absent: they cost as much as others. */
  draft?: bigint
  silent?: bigint
  /** Nano-USD per call of a hosted tool. */
  tools?: ReadonlyMap<string, Nanos>
}

/** undefined: not known yet, or chosen by the vendor (`auto`). */
export type Video = {
  resolution: string | undefined
  seconds: number | undefined
  tokens: number | undefined
  tier?: string
  isDraft?: boolean
  isSilent?: boolean
  /** Calls of hosted tools. */
  toolCalls?: Readonly<Record<string, number>>
}

/** So many calls of a tool are held for, and no more are charged. */
export const MOST_TOOL_CALLS = 10
export const LONGEST_VIDEO_SECONDS = 3_600
export const MOST_VIDEO_TOKENS = 1e9

export type VideoRate = Price<Video, Video> & { price: VideoPrice }

export const videoRate = (price: VideoPrice, multiplierMillionths: bigint): VideoRate => ({
  price,
  multiplierMillionths,
  bound: (video) => videoBound(video, price, multiplierMillionths),
  cost(video) {
    const cost = videoCost(video, price, multiplierMillionths)
    if (cost === undefined) return undefined
    return { cost, units: videoUnits(video, price.per), figures: figuresOf(video, price) }
  },
})

/** What is counted, on receipts. */
export const UNIT_NAMES: Readonly<Record<VideoUnit, string>> = {
  second: 'seconds',
  video: 'videos',
  million_tokens: 'video_tokens',
}

/** On receipts, by the names of the units. */
const FIGURES: Readonly<Record<VideoUnit, string>> = {
  second: 'per_second',
  video: 'per_video',
  million_tokens: 'per_million_video_tokens',
}

function figuresOf(video: Video, price: VideoPrice): string {
  const factors = factorsOf(video, price)
  const calls = callsOf(video, price)
  let text = `"${FIGURES[price.per]}":"${videoFigure(video, price)}"`
  if (factors.size > 0) text += `,"media_tiers_millionths":${textOf(factors)}`
  if (calls.length > 0) text += `,"tools":${textOf(new Map(calls.map((call) => [call.tool, call.price])))}`
  return text
}

const textOf = (figures: ReadonlyMap<string, bigint>): string =>
  JSON.stringify(Object.fromEntries([...figures].map(([name, figure]) => [name, String(figure)])))

/** What multiplies the price of this video, by name. */
function factorsOf({ tier, isDraft, isSilent }: Video, price: VideoPrice): Map<string, bigint> {
  const factors = new Map<string, bigint>()
  const ofTier = tier === undefined ? undefined : price.tiers?.get(tier)
  if (tier !== undefined && ofTier !== undefined) factors.set(tier, ofTier)
  if (isDraft && price.draft !== undefined) factors.set('draft', price.draft)
  if (isSilent && price.silent !== undefined) factors.set('silent', price.silent)
  return factors
}

/** Calls of tools that have a price. */
export function callsOf(
  { toolCalls = {} }: Video,
  { tools }: VideoPrice,
): { tool: string; calls: number; price: Nanos }[] {
  return Object.entries(toolCalls).flatMap(([tool, calls]) => {
    const price = tools?.get(tool)
    if (price === undefined || !isCount(calls, Number.MAX_SAFE_INTEGER)) return []
    return [{ tool, calls: Math.min(calls, MOST_TOOL_CALLS), price }]
  })
}

/** Whether a request may ask for this tier: it is the usual one, or has a price. */
export const isPricedTier = (tier: string, { tiers }: VideoPrice): boolean =>
  USUAL_TIERS.has(tier) || tiers?.has(tier) === true

function videoUnits({ seconds = 0, tokens = 0 }: Video, per: VideoUnit): string {
  if (per === 'video') return '"videos":1'
  return per === 'second' ? `"seconds":${milliseconds(seconds) / 1_000}` : `"video_tokens":${tokens}`
}

/** The cost of one video, as the response describes it; undefined when that lacks what the price counts. */
export function videoCost(video: Video, price: VideoPrice, multiplierMillionths: bigint): Nanos | undefined {
  const figure = videoFigure(video, price)
  return figure === undefined ? undefined : videoTotal(video, price, figure, multiplierMillionths)
}

function videoFigure({ resolution: said }: Video, { price, variants }: VideoPrice): Nanos | undefined {
  const resolution = chosenWord(said)
  if (resolution !== undefined && !isWord(resolution)) return undefined
  return variants.get(resolution ?? '') ?? price
}

/** The most that it can cost: `seconds` and `tokens` are bounds; a resolution that is left open is the most expensive. */
export function videoBound(video: Video, price: VideoPrice, multiplierMillionths: bigint): Nanos | undefined {
  const resolution = chosenWord(video.resolution)
  if (resolution !== undefined) return videoCost(video, price, multiplierMillionths)
  let highest = price.price
  for (const figure of price.variants.values()) if (figure > highest) highest = figure
  return videoTotal(video, price, highest, multiplierMillionths)
}

/** The video and the calls of tools are rounded up each. */
function videoTotal(video: Video, price: VideoPrice, figure: Nanos, multiplier: bigint): Nanos | undefined {
  const counted = countedOf(video, price.per, figure)
  if (counted === undefined) return undefined
  let [sum, scale] = [counted.sum, counted.scale]
  for (const factor of factorsOf(video, price).values()) [sum, scale] = [sum * factor, scale * MILLION]
  const calls = callsOf(video, price).reduce((total, call) => total + BigInt(call.calls) * call.price, 0n)
  return atMostBookable(mediaTotal(sum, scale, multiplier) + ceilDiv(calls * multiplier, MILLION))
}

/** In nano-USD times `scale`. */
type Counted = { sum: bigint; scale: bigint }

function countedOf({ seconds, tokens }: Video, per: VideoUnit, figure: Nanos): Counted | undefined {
  if (per === 'video') return { sum: figure, scale: 1n }
  if (per === 'million_tokens') {
    const isKnown = tokens !== undefined && (tokens === 0 || isCount(tokens, MOST_VIDEO_TOKENS))
    return isKnown ? { sum: BigInt(tokens) * figure, scale: MILLION } : undefined
  }
  if (seconds === undefined || !(seconds > 0 && seconds <= LONGEST_VIDEO_SECONDS)) return undefined
  return { sum: BigInt(milliseconds(seconds)) * figure, scale: 1_000n }
}

/** Vendors count in seconds, some with a fraction: exact to the millisecond, rounded up. */
const milliseconds = (seconds: number): number => Math.ceil(seconds * 1_000)
