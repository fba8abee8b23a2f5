// Warnings about valid settings that are probably unintended. Shown by `config check`, `doctor`, at start and after a reload.
import { formatUsd, NANOS_PER_USD, type Nanos } from '../money/amount.ts'
import { type Figures, KIND_NAMES, KINDS } from '../money/prices/token-kinds.ts'
import type { TokenPrice } from '../money/prices/token-price.ts'
import { SANDBOX_GROUP } from './sandbox.ts'
import type { FileConfig } from './types.ts'

type Config = Pick<FileConfig, 'models' | 'mediaModels' | 'groups'>

const DEFAULT_GROUP = 'default'

/** No vendor charges less than a tenth of a cent per million tokens: a lower price is probably meant per token. */
const LEAST_PER_MILLION: Nanos = NANOS_PER_USD / 1_000n
const MILLION = 1_000_000n

export function configWarnings(config: Config): string[] {
  return [...modelWarnings(config), ...priceWarnings(config)]
}

function modelWarnings({ models, mediaModels, groups }: Config): string[] {
  const isPricedByGroup = (id: string) =>
    [...groups.values()].some(({ prices, mediaPrices }) => prices?.has(id) || mediaPrices?.has(id))
  const unpriced = [...models.values(), ...(mediaModels?.values() ?? [])].filter(
    ({ id, price }) => price === undefined && !isPricedByGroup(id),
  )
  const warnings = unpriced.map(
    ({ id }) => `model ${id} has no price, so callers cannot use it; set a price (write 0 if it is free)`,
  )
  if (!groups.has(DEFAULT_GROUP)) {
    warnings.push('there is no group "default": keys created without a group cannot use any model')
  }
  return warnings
}

/** At most one warning for each price of a model, route or group. */
function priceWarnings({ models, groups }: Config): string[] {
  const ofModels = [...models.values()].flatMap(({ id, price, routes }) => [
    ...perTokenWarning(`the price of model ${id}`, price),
    ...routes.flatMap(({ upstream, cost }) => perTokenWarning(`the cost of model ${id} at upstream ${upstream}`, cost)),
  ])
  const ofGroups = [...groups.values()].flatMap((group) =>
    [...(group.prices ?? [])].flatMap(([id, { price }]) =>
      perTokenWarning(`the price of model ${id} in group ${group.id}`, price),
    ),
  )
  return [...ofModels, ...ofGroups]
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
