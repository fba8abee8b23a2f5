// Vendors that their environment variable alone switches on, with the models and prices of the built-in list.

import { priceVersion } from './sections/token-prices.ts'
import { described } from './sections/upstream-kind.ts'
import { isKey, realUpstream } from './sections/upstreams.ts'
import type { Model, Upstream } from './types.ts'
import type { BuiltIn, Kind, WellKnown } from './upstream-kinds.ts'
import type { Reading } from './yaml/document.ts'

export type SwitchedOn = {
  upstreams: Upstream[]
  models: Model[]
  remarks: string[]
  /** Of the price list; absent while nothing of it is used. */
  date?: string
}

const DAY = 24 * 3600 * 1000
const OLD_AFTER_DAYS = 120

/** `ids`: of the upstreams in the file. Called when these have been read: `namesRead` tells whose keys they use. */
export function switchedOn(
  { env, namesRead, mistakes }: Reading,
  ids: ReadonlySet<string>,
  builtIn: BuiltIn,
): SwitchedOn {
  const result: SwitchedOn = { upstreams: [], models: [], remarks: [] }
  for (const kind of builtIn.kinds.values()) {
    const { variable = '', baseUrl } = kind
    const key = env[variable]
    if (!key || baseUrl === undefined || namesRead.has(variable)) continue
    if (!isKey(key)) {
      const message = `${variable} contains spaces, line ends or other characters that no key has; set it to nothing if it is not meant for this`
      mistakes.push({ file: 'environment', line: undefined, message })
    } else if (ids.has(kind.kind)) {
      result.remarks.push(
        `${variable} is set, but the file has an upstream ${kind.kind} of its own: that one is used, and ${kind.name}'s models are not added`,
      )
    } else {
      switchOn(kind, { ...realUpstream(kind.kind), ...described(kind, baseUrl), keys: [key] }, result, builtIn)
    }
  }
  return result
}

function switchOn(kind: Kind, upstream: Upstream, result: SwitchedOn, { priceList, now }: BuiltIn): void {
  const { date, vendors } = priceList()
  const listed = vendors.find((vendor) => vendor.kind === kind.kind)?.models ?? []
  result.upstreams.push(upstream)
  result.models.push(...listed.flatMap((model) => textModel(model, upstream.id)))
  if (result.date === undefined && now() - Date.parse(date) > OLD_AFTER_DAYS * DAY) {
    result.remarks.push(
      `the built-in prices are of ${date}: look up what has changed since, and write prices of your own where they differ`,
    )
  }
  result.date = date
}

/** Models of images and videos are left out: nothing calls them yet. */
function textModel({ id, type, price, limits }: WellKnown, upstream: string): Model[] {
  if (type !== 'text' || !('input' in price)) return []
  // Sold at what it costs: a margin is a matter of the groups' multiplier.
  const route = { upstream, model: id, priority: 1, weight: 1, cost: price }
  return [{ id, routes: [route], price, priceVersion: priceVersion(price), limits }]
}
