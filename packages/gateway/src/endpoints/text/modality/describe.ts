// What lists say of a text model, by the names of the configuration file.
import { TEXT_DIALECT_IDS } from '@trivium/protocol/dialects/index.ts'
import { shownFigures } from '../../../modalities/figures.ts'
import type { Description, Model, ModelRoute } from '../../../modalities/modality.ts'
import { formatMillionths } from '../../../money/amount.ts'
import { type Figures, KIND_NAMES, KINDS } from '../../../money/prices/token-kinds.ts'
import type { LongContext, Tier, TokenPrice } from '../../../money/prices/token-price.ts'
import type { TokenRate } from '../../../money/prices/token-rate.ts'
import type { TextLimits } from './limits.ts'

export function describeTextModel(
  { limits, routes }: Model<TokenPrice, TextLimits>,
  { price, multiplierMillionths }: TokenRate,
): Description {
  const { context, maxOutput = leastOutput(routes) } = limits
  return {
    ...(context === undefined ? {} : { context }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    price: tokenPrice(price, multiplierMillionths),
    limits: { context: context ?? null, max_output: maxOutput ?? null },
    protocols: [...TEXT_DIALECT_IDS, 'completions'],
  }
}

/** The output that every route can make; undefined if the limit of a route is unknown. */
function leastOutput(routes: readonly ModelRoute<TokenPrice>[]): number | undefined {
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
