// What the list of models says of one besides its name: prices that this group pays, limits and protocols, by the names of the
// configuration file.

import type { SizeRange } from '@trivium/protocol/canonical/image.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/dialects/index.ts'
import type { ListedModel } from '@trivium/protocol/dialects/model-list.ts'
import { ceilDiv, formatMillionths, formatUsd, type Nanos } from '../money/amount.ts'
import { IMAGE_TOKEN_KINDS, IMAGE_TOKEN_NAMES } from '../money/prices/image-token-price.ts'
import { type Figures, KIND_NAMES, KINDS } from '../money/prices/token-kinds.ts'
import type { LongContext, Tier, TokenPrice } from '../money/prices/token-price.ts'
import type { AnyOffer, ImageOffer, TextOffer, VideoOffer } from './catalogue.ts'

type Described = Omit<ListedModel, 'id' | 'created' | 'owner' | 'displayName'>

/** The third protocol asks for images by `responseModalities`. */
const IMAGE_PROTOCOLS = ['images', 'generate-content'] as const

export const describeModel = (offer: AnyOffer): Described => ({
  ...describeByType(offer),
  capabilities: offer.model.capabilities ?? null,
})

function describeByType(offer: AnyOffer): Described {
  if (isOf(offer, 'image')) return describeImageModel(offer)
  return isOf(offer, 'video') ? describeVideoModel(offer) : describeTextModel(offer)
}

type OfferOf = { image: ImageOffer; video: VideoOffer }
const isOf = <T extends keyof OfferOf>(offer: AnyOffer, type: T): offer is OfferOf[T] =>
  'type' in offer.model && offer.model.type === type

function describeTextModel({ model, rate: { price, multiplierMillionths } }: TextOffer): Described {
  const { context } = model.limits
  const maxOutput = model.limits.maxOutput ?? leastOutput(model.routes)
  return {
    ...(context === undefined ? {} : { context }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    price: tokenPrice(price, multiplierMillionths),
    limits: { context: context ?? null, max_output: maxOutput ?? null },
    protocols: TEXT_DIALECT_IDS,
  }
}

/** The output that every route can make; undefined if the limit of a route is unknown. */
function leastOutput(routes: TextOffer['model']['routes']): number | undefined {
  const limits = routes.flatMap(({ maxOutput }) => maxOutput ?? [])
  return limits.length > 0 && limits.length === routes.length ? Math.min(...limits) : undefined
}

/** As the configuration file writes it: a tier is a multiplier or a table, a hosted tool is priced per call. */
function tokenPrice({ longContext = [], tiers, tools, ...figures }: TokenPrice, multiplierMillionths: bigint) {
  const tier = (each: Tier) =>
    'figures' in each
      ? tokenTable(each.figures, each.longContext, multiplierMillionths)
      : formatMillionths(each.multiplierMillionths)
  return {
    ...tokenTable(figures, longContext, multiplierMillionths),
    ...(tiers ? { tiers: Object.fromEntries([...tiers].map(([name, each]) => [name, tier(each)])) } : {}),
    ...(tools ? { tools: shownFigures([...tools], multiplierMillionths) } : {}),
  }
}

function tokenTable(figures: Figures, longContext: readonly LongContext[], multiplierMillionths: bigint) {
  const shown = (each: Figures) =>
    shownFigures(
      KINDS.map((kind) => [KIND_NAMES[kind], each[kind]]),
      multiplierMillionths,
    )
  const long = longContext.map((each) => ({ above: each.above, ...shown(each.figures) }))
  return { ...shown(figures), ...(long.length > 0 ? { long_context: long } : {}) }
}

function describeImageModel({ model: { limits }, rate: { price, multiplierMillionths } }: ImageOffer): Described {
  const { sizes, sizeRange, qualities, n } = limits
  const shown = {
    sizes: sizeRange ? describeRange(sizeRange) : (sizes ?? null),
    qualities: qualities ?? null,
    n: n ?? null,
  }
  return { type: 'image', price: imagePrice(price, multiplierMillionths), limits: shown, protocols: IMAGE_PROTOCOLS }
}

function describeVideoModel({ model: { limits }, rate: { price, multiplierMillionths } }: VideoOffer): Described {
  const { seconds, defaultSeconds, resolutions, defaultResolution, ratios, images } = limits
  return {
    type: 'video',
    price: {
      ...shownFigures([[`per_${price.per}`, price.price]], multiplierMillionths),
      variants: shownFigures([...price.variants], multiplierMillionths),
      ...videoTerms(price, multiplierMillionths),
    },
    limits: {
      seconds: seconds ?? null,
      default_seconds: defaultSeconds ?? null,
      resolutions: resolutions ?? null,
      default_resolution: defaultResolution ?? null,
      ratios: ratios ?? null,
      images: images ?? null,
    },
    protocols: ['video-tasks'],
  }
}

/** As the configuration file writes them: multipliers, and prices per call of a tool. */
function videoTerms({ tiers, draft, silent, tools }: VideoOffer['rate']['price'], multiplierMillionths: bigint) {
  const multipliers = tiers && [...tiers].map(([name, each]) => [name, formatMillionths(each)])
  return {
    ...(multipliers ? { tiers: Object.fromEntries(multipliers) } : {}),
    ...(draft === undefined ? {} : { draft: formatMillionths(draft) }),
    ...(silent === undefined ? {} : { silent: formatMillionths(silent) }),
    ...(tools ? { tools: shownFigures([...tools], multiplierMillionths) } : {}),
  }
}

const describeRange = ({ least, most, multipleOf, maxRatio, maxPixels }: SizeRange) => ({
  min: least,
  max: most,
  ...(multipleOf === undefined ? {} : { multiple_of: multipleOf }),
  ...(maxRatio === undefined ? {} : { max_ratio: maxRatio }),
  ...(maxPixels === undefined ? {} : { max_pixels: maxPixels }),
})

function imagePrice(price: ImageOffer['rate']['price'], multiplierMillionths: bigint) {
  if ('tokens' in price) {
    const figures = IMAGE_TOKEN_KINDS.map((kind): [string, Nanos | undefined] => [
      IMAGE_TOKEN_NAMES[kind],
      price.tokens[kind],
    ])
    return shownFigures(figures, multiplierMillionths)
  }
  const variants = shownFigures([...price.variants], multiplierMillionths)
  return { ...shownFigures([['per_image', price.perImage]], multiplierMillionths), variants }
}

/** USD as decimal text: per million tokens, per image, per second, or per video. */
const shownFigures = (figures: readonly [string, Nanos | undefined][], multiplierMillionths: bigint) =>
  Object.fromEntries(
    figures.flatMap(([name, figure]) =>
      figure === undefined ? [] : [[name, formatUsd(ceilDiv(figure * multiplierMillionths, 1_000_000n))]],
    ),
  )
