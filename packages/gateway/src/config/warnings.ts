// Warnings about valid settings that are probably unintended. Shown by `config check`, `doctor`, at start and after a reload.
import { formatUsd, NANOS_PER_USD, type Nanos } from '../money/amount.ts'
import { type Figures, KIND_NAMES, KINDS } from '../money/prices/token-kinds.ts'
import type { TokenPrice } from '../money/prices/token-price.ts'
import { SANDBOX_GROUP } from './sandbox.ts'
import type { FileConfig, Group, Model, Route } from './types.ts'

type Config = Pick<FileConfig, 'models' | 'mediaModels' | 'groups'>

const DEFAULT_GROUP = 'default'

/** No vendor charges less than a tenth of a cent per million tokens: a lower price is probably meant per token. */
const LEAST_PER_MILLION: Nanos = NANOS_PER_USD / 1_000n
const MILLION = 1_000_000n
/** A multiplier of 1. */
const ONE = 1_000_000n

/** `lines`: where the entries of the file begin, by `model ID` and `group ID`. */
export function configWarnings(config: Config, lines: ReadonlyMap<string, number> = new Map()): string[] {
  const found = [...modelWarnings(config), ...perTokenWarnings(config), ...belowCostWarnings(config)]
  const warnings = found.map(({ entry, warning }) => {
    const line = lines.get(entry)
    return line === undefined ? warning : `line ${line}: ${warning}`
  })
  return config.groups.has(DEFAULT_GROUP) ? warnings : [...warnings, NO_DEFAULT_GROUP]
}

const NO_DEFAULT_GROUP = 'there is no group "default": keys created without a group cannot use any model'

type Found = { entry: string; warning: string }

function modelWarnings({ models, mediaModels, groups }: Config): Found[] {
  const isPricedByGroup = (id: string) =>
    [...groups.values()].some(({ prices, mediaPrices }) => prices?.has(id) || mediaPrices?.has(id))
  const unpriced = [...models.values(), ...(mediaModels?.values() ?? [])].filter(
    ({ id, price }) => price === undefined && !isPricedByGroup(id),
  )
  return unpriced.map(({ id }) => ({
    entry: `model ${id}`,
    warning: `model ${id} has no price, so callers cannot use it; set a price (write 0 if it is free)`,
  }))
}

/** At most one warning for each price of a model, route or group. */
function perTokenWarnings({ models, groups }: Config): Found[] {
  const ofModels = [...models.values()].flatMap(({ id, price, routes }) =>
    [
      ...perTokenWarning(`the price of model ${id}`, price),
      ...routes.flatMap(({ upstream, cost }) =>
        perTokenWarning(`the cost of model ${id} at upstream ${upstream}`, cost),
      ),
    ].map((warning) => ({ entry: `model ${id}`, warning })),
  )
  const ofGroups = [...groups.values()].flatMap((group) =>
    [...(group.prices ?? [])].flatMap(([id, { price }]) =>
      perTokenWarning(`the price of model ${id} in group ${group.id}`, price).map((warning) => ({
        entry: `group ${group.id}`,
        warning,
      })),
    ),
  )
  return [...ofModels, ...ofGroups]
}

/** Text models that a group sells for less than a route costs: one warning for each group, which names the first of them. */
function belowCostWarnings({ models, groups }: Config): Found[] {
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = [...models.values()].flatMap((model) => belowCost(model, group))
    if (!first) return []
    const more = others.length === 0 ? '' : ` (and of ${others.length} more)`
    const { entry, id, loss } = first
    return [
      { entry, warning: `the price of model ${id}${more} in group ${group.id} is below its cost at upstream ${loss}` },
    ]
  })
}

function belowCost(model: Model, group: Group): { entry: string; id: string; loss: string }[] {
  if (!group.models.includes('*') && !group.models.includes(model.id)) return []
  const own = group.prices?.get(model.id)?.price
  const price = own ?? model.price
  const multiplier = own ? ONE : group.multiplierMillionths
  const [loss] = price ? model.routes.flatMap((route) => lossesAt(price, multiplier, route)) : []
  return loss ? [{ entry: own ? `group ${group.id}` : `model ${model.id}`, id: model.id, loss }] : []
}

function lossesAt(price: TokenPrice, multiplierMillionths: bigint, { upstream, cost }: Route): string[] {
  return KINDS.flatMap((kind) => {
    const [sold, bought] = [price[kind], cost?.[kind]]
    if (sold === undefined || bought === undefined) return []
    const charged = (sold * multiplierMillionths) / ONE
    return charged < bought
      ? [`${upstream}: ${KIND_NAMES[kind]} is ${formatUsd(charged)} and costs ${formatUsd(bought)} per million tokens`]
      : []
  })
}

function perTokenWarning(what: string, price: TokenPrice | undefined): string[] {
  const [lowest] = price ? tablesOf(price).flatMap(tooLow) : []
  if (!lowest) return []
  const { name, nanos } = lowest
  const [written, meant] = [formatUsd(nanos), formatUsd(nanos * MILLION)]
  return [
    `${what} looks like USD per token, and prices are USD per million tokens: ${name} is ${written}; ${meant} would be the same per million`,
  ]
}

function tablesOf({ longContext = [], tiers, ...figures }: TokenPrice): Figures[] {
  const ofTiers = [...(tiers?.values() ?? [])].flatMap((tier) =>
    'figures' in tier ? [tier.figures, ...tier.longContext.map((each) => each.figures)] : [],
  )
  return [figures, ...longContext.map((each) => each.figures), ...ofTiers]
}

const tooLow = (figures: Figures) =>
  KINDS.flatMap((kind) => {
    const nanos = figures[kind]
    return nanos !== undefined && nanos > 0n && nanos < LEAST_PER_MILLION ? [{ name: KIND_NAMES[kind], nanos }] : []
  })

/** `keyGroups`: the number of active keys by group. */
export function missingGroupWarnings(
  keyGroups: ReadonlyMap<string, number>,
  { groups, sandbox }: Pick<FileConfig, 'groups' | 'sandbox'>,
): string[] {
  return [...keyGroups].flatMap(([group, keys]) => {
    if (groups.has(group)) return []
    const advice =
      group === SANDBOX_GROUP && !sandbox.on
        ? 'sandbox: true brings it back'
        : 'add the group to the file, or create keys in another one'
    const which = keys === 1 ? '1 key is' : `${keys} keys are`
    return [`${which} in group '${group}', which does not exist, and cannot use any model; ${advice}`]
  })
}
