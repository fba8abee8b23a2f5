// How a price differs from a listed one, figure by figure, by the names that the configuration file uses. Pure.
// Compared is what a call would cost: a figure that one of them lacks counts as the figure that it falls back to.
import { formatUsd, type Nanos } from '../amount.ts'
import { imageFigure, type PerImagePrice } from './image-price.ts'
import { IMAGE_TOKEN_KINDS, IMAGE_TOKEN_NAMES, type ImageTokenFigures } from './image-token-price.ts'
import type { MediaPrice } from './media-price.ts'
import { isSize } from './media-quantities.ts'
import { type Figures, KIND_NAMES, KINDS, type Kind } from './token-kinds.ts'
import { figureOf, ONE, type TokenPrice, tokenTerms } from './token-price.ts'
import { type VideoPrice, videoCost } from './video-price.ts'

export type Price = TokenPrice | MediaPrice

/** `null`: missing, as a tier that is not offered. `percent`: by how much yours is higher. */
export type Difference = { field: string; yours: string | null; list: string | null; percent: number | null }

type Pair = { field: string; yours: Nanos | undefined; list: Nanos | undefined }

export function differences(yours: Price | undefined, list: Price): Difference[] {
  const pairs = isMedia(list)
    ? mediaPairs(yours && isMedia(yours) ? yours : undefined, list)
    : tokenPairs(yours && !isMedia(yours) ? yours : undefined, list)
  return pairs.filter((pair) => pair.yours !== pair.list).map(described)
}

const isMedia = (price: Price): price is MediaPrice => 'type' in price

function tokenPairs(yours: TokenPrice | undefined, list: TokenPrice): Pair[] {
  const tools = namesOf(list.tools, yours?.tools)
  return [
    ...tablePairs('', yours && { price: yours }, { price: list }),
    ...tierPairs(yours, list),
    ...tools.map((name) => ({ field: `tools.${name}`, yours: yours?.tools?.get(name), list: list.tools?.get(name) })),
  ]
}

function namesOf(...maps: (ReadonlyMap<string, unknown> | undefined)[]): string[] {
  return [...new Set(maps.flatMap((map) => [...(map?.keys() ?? [])]))]
}

/** A base price, or one of its tiers. */
type Table = { price: TokenPrice; tier?: string }

/** The short context, and just above each length at which one of the two changes. */
function tablePairs(prefix: string, yours: Table | undefined, list: Table | undefined): Pair[] {
  const lengths = [...new Set([...lengthsOf(yours), ...lengthsOf(list)])].sort((one, other) => one - other)
  const pairsAt = (name: string, length: number): Pair[] =>
    figurePairs(name, yours && figuresAt(yours, length), list && figuresAt(list, length))
  return [...pairsAt(prefix, 0), ...lengths.flatMap((above) => pairsAt(`${prefix}long_context[${above}].`, above + 1))]
}

function lengthsOf(table: Table | undefined): number[] {
  const tier = table?.tier === undefined ? undefined : table.price.tiers?.get(table.tier)
  const long = tier && 'figures' in tier ? tier.longContext : table?.price.longContext
  return (long ?? []).map(({ above }) => above)
}

function figuresAt({ price, tier }: Table, length: number): Figures {
  const { figures, tiers } = tokenTerms(price, length, tier === undefined ? [] : [tier])
  const multiplier = (tier === undefined ? undefined : tiers.get(tier)) ?? ONE
  const entries = KINDS.filter((kind) => figures[kind] !== undefined)
  return Object.fromEntries(entries.map((kind) => [kind, (figureOf(figures, kind) * multiplier) / ONE])) as Figures
}

/** Figures that at least one of the two has. */
function figurePairs(prefix: string, yours: Figures | undefined, list: Figures | undefined): Pair[] {
  return KINDS.filter((kind) => isOwnFigure(yours, kind) || isOwnFigure(list, kind)).map((kind) => ({
    field: `${prefix}${KIND_NAMES[kind]}`,
    yours: yours && figureOf(yours, kind),
    list: list && figureOf(list, kind),
  }))
}

/** A cache price equal to the input price, as where none is configured, is no figure of its own. */
function isOwnFigure(figures: Figures | undefined, kind: Kind): boolean {
  if (figures?.[kind] === undefined) return false
  return !(kind === 'cachedInput' || kind === 'cacheWrite') || figures[kind] !== figures.input
}

/** Multipliers are compared, not their products: a different price would show again at each tier. */
function tierPairs(yours: TokenPrice | undefined, list: TokenPrice): Pair[] {
  return namesOf(list.tiers, yours?.tiers).flatMap((name): Pair[] => {
    const [own, listed] = [yours?.tiers?.get(name), list.tiers?.get(name)]
    if ((own && 'figures' in own) || (listed && 'figures' in listed)) {
      const ownTable = yours && own ? { price: yours, tier: name } : undefined
      return tablePairs(`tiers.${name}.`, ownTable, listed && { price: list, tier: name })
    }
    return [{ field: `tiers.${name}`, yours: asAmount(own), list: asAmount(listed) }]
  })
}

/** Shown as a decimal like an amount: 1_500_000 millionths are 1.50. */
const asAmount = (tier: { multiplierMillionths: bigint } | undefined): Nanos | undefined =>
  tier && tier.multiplierMillionths * 1000n

function mediaPairs(yours: MediaPrice | undefined, list: MediaPrice): Pair[] {
  const [ownTokens, listTokens] = [yours && tokensOf(yours), tokensOf(list)]
  const tokens = IMAGE_TOKEN_KINDS.filter((kind) => ownTokens?.[kind] !== undefined || listTokens?.[kind] !== undefined)
  return [
    ...tokens.map((kind) => ({
      field: IMAGE_TOKEN_NAMES[kind],
      yours: ownTokens?.[kind],
      list: listTokens?.[kind],
    })),
    ...unitPairs(yours && byUnit(yours), byUnit(list)),
  ]
}

type UnitPrice = PerImagePrice | VideoPrice
const tokensOf = (price: MediaPrice): ImageTokenFigures | undefined => ('tokens' in price ? price.tokens : undefined)
const byUnit = (price: MediaPrice): UnitPrice | undefined => ('tokens' in price ? undefined : price)

function unitPairs(yours: UnitPrice | undefined, list: UnitPrice | undefined): Pair[] {
  const units = new Set([list, yours].flatMap((price) => (price ? [unitOf(price)] : [])))
  const variants = namesOf(list?.variants, yours?.variants)
  return [...units].flatMap((unit) => {
    const [own, listed] = [yours, list].map((price) => (price && unitOf(price) === unit ? price : undefined))
    const pair = (field: string, variant: string | undefined): Pair => ({
      field,
      yours: own && mediaFigure(own, variant),
      list: listed && mediaFigure(listed, variant),
    })
    return [pair(unit, undefined), ...variants.map((variant) => pair(`${unit}.variants.${variant}`, variant))]
  })
}

const unitOf = (price: UnitPrice): string => (price.type === 'image' ? 'per_image' : `per_${price.per}`)

/** One unit of it, by the rules that a charge follows. */
function mediaFigure(price: UnitPrice, variant: string | undefined): Nanos | undefined {
  if (price.type === 'video') return videoCost({ resolution: variant, seconds: 1, tokens: 1_000_000 }, price, ONE)
  const [first, second] = variant?.split('/') ?? []
  const [size, quality] = isSize(first ?? '') ? [first, second] : [undefined, first]
  return imageFigure(price, size, quality)
}

function described({ field, yours, list }: Pair): Difference {
  return {
    field,
    yours: yours === undefined ? null : formatUsd(yours),
    list: list === undefined ? null : formatUsd(list),
    percent: yours === undefined || list === undefined ? null : percentAbove(yours, list),
  }
}

/** With one decimal, rounded away from zero, so that no difference shows as 0. Of zero there is no percentage. */
export function percentAbove(yours: Nanos, list: Nanos): number | null {
  if (list === 0n) return null
  const difference = yours - list
  const size = difference < 0n ? -difference : difference
  const tenths = Number((size * 1000n + list - 1n) / list)
  return (difference < 0n ? -tenths : tenths) / 10
}
