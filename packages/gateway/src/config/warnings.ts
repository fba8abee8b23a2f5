// Warnings about valid settings that are probably unintended. Shown by `config check`, `doctor`, at start and after a reload.
import { type AnyModel, type ModelType, modalityOf } from '../modalities/index.ts'
import type { ModelRoute } from '../modalities/modality.ts'
import { SANDBOX_GROUP } from './sandbox.ts'
import { DEFAULT_GROUP, MULTIPLIER_ONE } from './sections/groups.ts'
import type { FileConfig, Group } from './types.ts'

type Config = Pick<FileConfig, 'models' | 'groups'> &
  Partial<Pick<FileConfig, 'server' | 'registration' | 'upstreams' | 'mail'>>

/** `lines`: where the entries of the file begin, by `model ID` and `group ID`, and the list `groups`. */
export function configWarnings(config: Config, lines: ReadonlyMap<string, number> = new Map()): string[] {
  const noDefault = config.groups.has(DEFAULT_GROUP) ? [] : [{ entry: 'groups', warning: NO_DEFAULT_GROUP }]
  const found = [
    ...modelWarnings(config),
    ...oddPriceWarnings(config),
    ...belowCostWarnings(config),
    ...uncountedCosts(config),
    ...lostReplacements(config),
    ...noDefault,
    ...exposed(config),
  ]
  const warnings = found.map(({ entry, warning }) => {
    const line = lines.get(entry)
    return line === undefined ? warning : `line ${line}: ${warning}`
  })
  return warnings
}

/** What upstreams cost is in some warnings, which are not for everyone who sees the others. */
export const isAboutCosts = (warning: string): boolean => /the cost of model | is below its cost /.test(warning)

const NO_DEFAULT_GROUP = 'there is no group "default": keys created without a group cannot use any model'

type Found = { entry: string; warning: string }

/** Settings that let strangers choose their own address, or take credit without an address that is proved. */
function exposed({ server, registration, upstreams, mail }: Config): Found[] {
  const everyone = server?.trustedProxies.find((range) => /\/0$/.test(range))
  const sells = [...(upstreams?.values() ?? [])].some(({ embedded }) => !embedded)
  const givesAway = registration?.open === true && registration.trialCredit > 0n && sells && mail === undefined
  return [
    ...(everyone === undefined
      ? []
      : [
          {
            entry: 'server.trusted_proxies',
            warning: `server.trusted_proxies contains ${everyone}: any client can write its own address, so networks of keys and limits of sign-ups by network mean nothing; name your proxies`,
          },
        ]),
    ...(givesAway
      ? [
          {
            entry: 'registration',
            warning:
              'registration is open and gives trial credit for real upstreams, but without mail nobody proves an address: set mail, or registration.trial_credit to 0',
          },
        ]
      : []),
  ]
}

/** A limit of what a vendor charges needs to know what it charges. */
function uncountedCosts({ models, upstreams }: Config): Found[] {
  return [...models.values()].flatMap(({ id, routes }) =>
    routes.flatMap(({ upstream, cost, limits }) => {
      const isLimited = limits?.usd_per_day !== undefined || upstreams?.get(upstream)?.limits?.usd_per_day !== undefined
      if (!isLimited || cost !== undefined) return []
      const warning = `the route of model ${id} to upstream ${upstream} has no cost, so its requests do not count against limits.usd_per_day`
      return [{ entry: `model ${id}`, warning }]
    }),
  )
}

/** From its date on, callers of the old id need the new one. */
function lostReplacements({ models, groups }: Config): Found[] {
  return [...models.values()].flatMap(({ id, retirement }) => {
    const { replacedBy } = retirement ?? {}
    if (replacedBy === undefined) return []
    const without = [...groups.values()].find(
      (group) => group.models.includes(id) && !group.models.includes(replacedBy),
    )
    if (!without) return []
    const warning = `group ${without.id} includes model ${id}, but not ${replacedBy}, which replaces it`
    return [{ entry: `group ${without.id}`, warning }]
  })
}

function modelWarnings({ models, groups }: Config): Found[] {
  const isPricedByGroup = (id: string) => [...groups.values()].some(({ prices }) => prices?.has(id))
  const unpriced = [...models.values()].filter(
    ({ id, price, retirement }) => price === undefined && retirement?.at !== 0 && !isPricedByGroup(id),
  )
  return unpriced.map(({ id }) => ({
    entry: `model ${id}`,
    warning: `model ${id} has no price, so callers cannot use it; set a price (write 0 if it is free)`,
  }))
}

/** At most one warning for each price of a model, route or group. */
function oddPriceWarnings({ models, groups }: Config): Found[] {
  const ofModels = [...models.values()].flatMap(({ id, type, price, routes }) =>
    [
      ...oddPrice(`the price of model ${id}`, type, price),
      ...routes.flatMap(({ upstream, cost }) =>
        oddPrice(`the cost of model ${id} at upstream ${upstream}`, type, cost),
      ),
    ].map((warning) => ({ entry: `model ${id}`, warning })),
  )
  const ofGroups = [...groups.values()].flatMap((group) =>
    [...(group.prices ?? [])].flatMap(([id, { type, price }]) =>
      oddPrice(`the price of model ${id} in group ${group.id}`, type, price).map((warning) => ({
        entry: `group ${group.id}`,
        warning,
      })),
    ),
  )
  return [...ofModels, ...ofGroups]
}

function oddPrice(what: string, type: ModelType, price: unknown): string[] {
  const why = price === undefined ? undefined : modalityOf(type).oddPrice?.(price)
  return why === undefined ? [] : [`${what} ${why}`]
}

/** Models that a group sells for less than a route costs: one warning for each group, which names the first of them. */
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

function belowCost(model: AnyModel, group: Group): { entry: string; id: string; loss: string }[] {
  if (!group.models.includes('*') && !group.models.includes(model.id)) return []
  const own = group.prices?.get(model.id)?.price
  const price = own ?? model.price
  const multiplier = own ? MULTIPLIER_ONE : group.multiplierMillionths
  const [loss] = price ? model.routes.flatMap((route) => lossesAt(model.type, price, multiplier, route)) : []
  return loss ? [{ entry: own ? `group ${group.id}` : `model ${model.id}`, id: model.id, loss }] : []
}

function lossesAt(
  type: ModelType,
  price: unknown,
  multiplierMillionths: bigint,
  { upstream, cost }: ModelRoute,
): string[] {
  const loss = cost === undefined ? undefined : modalityOf(type).belowCost?.(price, multiplierMillionths, cost)
  return loss === undefined ? [] : [`${upstream}: ${loss}`]
}

/** `keyGroups`: the number of active keys by group. */
export const ownerWarnings = ({ signIn }: Pick<FileConfig, 'signIn'>, hasOwnerAtProvider: boolean): string[] =>
  signIn.password || hasOwnerAtProvider
    ? []
    : [
        'sign_in.password is off, but no owner of this gateway has signed in at a provider yet: only owners can sign in with a password meanwhile',
      ]

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
