// Vendors that their environment keyVariable alone switches on, with the models and prices of the built-in list.
import type { AnyModel } from '../modalities/index.ts'
import type { ReadContext } from '../yaml/document.ts'
import { priceVersion } from './price-version.ts'
import { kindSettings } from './sections/upstream-kind.ts'
import { isApiKey } from './sections/upstreams.ts'
import type { Upstream } from './types.ts'
import { upstreamDefaults } from './upstream-defaults.ts'
import type { BuiltIn, KnownModel, UpstreamKind } from './upstream-kinds.ts'

export type EnvironmentVendors = {
  upstreams: Upstream[]
  models: AnyModel[]
  warnings: string[]
  /** The date of the price list; absent if nothing of it is used. */
  date?: string
}

const DAY = 24 * 3600 * 1000
const OLD_AFTER_DAYS = 120

/** `ids`: the upstreams in the file. Must run after those are read: `variablesRead` then has the variables they use. */
export function vendorsFromEnvironment(
  { env, variablesRead, mistakes }: ReadContext,
  ids: ReadonlySet<string>,
  builtIn: BuiltIn,
): EnvironmentVendors {
  const result: EnvironmentVendors = { upstreams: [], models: [], warnings: [] }
  for (const kind of builtIn.kinds.values()) {
    const { keyVariable = '', baseUrl } = kind
    const key = env[keyVariable]
    if (!key || baseUrl === undefined || variablesRead.has(keyVariable)) continue
    if (!isApiKey(key)) {
      const message = `${keyVariable} contains spaces, line breaks or other characters that are not allowed in a key; unset it if it is meant for another program`
      mistakes.push({ file: 'environment', line: undefined, message })
    } else if (ids.has(kind.kind)) {
      result.warnings.push(
        `${keyVariable} is set, but the file has an upstream ${kind.kind} of its own: that one is used, and ${kind.name}'s models are not added`,
      )
    } else {
      addVendor(kind, { ...upstreamDefaults(kind.kind), ...kindSettings(kind, baseUrl), keys: [key] }, result, builtIn)
    }
  }
  return result
}

function addVendor(
  kind: UpstreamKind,
  upstream: Upstream,
  result: EnvironmentVendors,
  { priceList, now }: BuiltIn,
): void {
  const { date, vendors } = priceList()
  const listed = vendors.find((vendor) => vendor.kind === kind.kind)?.models ?? []
  result.upstreams.push(upstream)
  result.models.push(...listed.map((model) => modelOf(model, upstream.id)))
  if (result.date === undefined && now() - Date.parse(date) > OLD_AFTER_DAYS * DAY) {
    result.warnings.push(
      `the built-in prices are from ${date}: check for changes, and configure prices where they differ`,
    )
  }
  result.date = date
}

/** Sold at cost; a group's multiplier can add a margin. */
function modelOf({ id, type, price, limits }: KnownModel, upstream: string): AnyModel {
  const routes = [{ upstream, model: id, priority: 1, weight: 1, cost: price }]
  return { id, type, routes, price, priceVersion: priceVersion(type, price), limits } as AnyModel
}
