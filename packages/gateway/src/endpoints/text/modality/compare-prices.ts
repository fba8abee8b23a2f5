// How a token price differs from a listed one, figure by figure. Compared is what a call would cost: a figure that one of them lacks
// counts as the figure that it falls back to.

import { asAmount, namesOf } from '../../../modalities/figures.ts'
import type { PricePair } from '../../../modalities/modality.ts'
import { type Figures, KIND_NAMES, KINDS, type Kind } from '../../../money/prices/token-kinds.ts'
import { figureOf, ONE, type TokenPrice, tokenTerms } from '../../../money/prices/token-price.ts'

export function compareTokenPrices(yours: TokenPrice | undefined, list: TokenPrice): PricePair[] {
  const tools = namesOf(list.tools, yours?.tools)
  return [
    ...tablePairs('', yours && { price: yours }, { price: list }),
    ...tierPairs(yours, list),
    ...tools.map((name) => ({ field: `tools.${name}`, yours: yours?.tools?.get(name), list: list.tools?.get(name) })),
  ]
}

/** A base price, or one of its tiers. */
type Table = { price: TokenPrice; tier?: string }

/** The short context, and just above each length at which one of the two changes. */
function tablePairs(prefix: string, yours: Table | undefined, list: Table | undefined): PricePair[] {
  const lengths = [...new Set([...lengthsOf(yours), ...lengthsOf(list)])].sort((one, other) => one - other)
  const pairsAt = (name: string, length: number): PricePair[] =>
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
function figurePairs(prefix: string, yours: Figures | undefined, list: Figures | undefined): PricePair[] {
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
function tierPairs(yours: TokenPrice | undefined, list: TokenPrice): PricePair[] {
  return namesOf(list.tiers, yours?.tiers).flatMap((name): PricePair[] => {
    const [own, listed] = [yours?.tiers?.get(name), list.tiers?.get(name)]
    if ((own && 'figures' in own) || (listed && 'figures' in listed)) {
      const ownTable = yours && own ? { price: yours, tier: name } : undefined
      return tablePairs(`tiers.${name}.`, ownTable, listed && { price: list, tier: name })
    }
    return [
      {
        field: `tiers.${name}`,
        yours: asAmount(own?.multiplierMillionths),
        list: asAmount(listed?.multiplierMillionths),
      },
    ]
  })
}
