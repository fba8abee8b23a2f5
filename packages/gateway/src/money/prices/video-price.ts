// What videos cost, and the most that they can cost. Pure.
import type { Nanos } from '../amount.ts'
import { chosenWord, isCount, isWord, MILLION, mediaTotal } from './media-quantities.ts'
import type { Price } from './price.ts'

export type VideoUnit = 'second' | 'video' | 'million_tokens'
/** `variants`: by resolution; what none of them names costs `price`. Nano-USD per unit. */
export type VideoPrice = { type: 'video'; per: VideoUnit; price: Nanos; variants: ReadonlyMap<string, Nanos> }

/** undefined: not known yet, or chosen by the vendor (`auto`). */
export type Video = {
  resolution: string | undefined
  seconds: number | undefined
  tokens: number | undefined
}

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
    return { cost, units: videoUnits(video, price.per), figures: `"per_${price.per}":"${videoFigure(video, price)}"` }
  },
})

function videoUnits({ seconds = 0, tokens = 0 }: Video, per: VideoUnit): string {
  if (per === 'video') return '"videos":1'
  return per === 'second' ? `"seconds":${milliseconds(seconds) / 1_000}` : `"video_tokens":${tokens}`
}

/** Of one video, as the response describes it; undefined when that lacks what the price counts. */
export function videoCost(video: Video, price: VideoPrice, multiplierMillionths: bigint): Nanos | undefined {
  const figure = videoFigure(video, price)
  return figure === undefined ? undefined : videoTotal(video, price.per, figure, multiplierMillionths)
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
  return videoTotal(video, price.per, highest, multiplierMillionths)
}

function videoTotal({ seconds, tokens }: Video, per: VideoUnit, figure: Nanos, multiplier: bigint): Nanos | undefined {
  if (per === 'video') return mediaTotal(figure, 1n, multiplier)
  if (per === 'million_tokens') {
    const isKnown = tokens !== undefined && (tokens === 0 || isCount(tokens, MOST_VIDEO_TOKENS))
    return isKnown ? mediaTotal(BigInt(tokens) * figure, MILLION, multiplier) : undefined
  }
  if (seconds === undefined || !(seconds > 0 && seconds <= LONGEST_VIDEO_SECONDS)) return undefined
  return mediaTotal(BigInt(milliseconds(seconds)) * figure, 1_000n, multiplier)
}

/** Vendors count in seconds, some with a fraction: exact to the millisecond, rounded up. */
const milliseconds = (seconds: number): number => Math.ceil(seconds * 1_000)
