// Vendors that their environment keyVariable alone switches on, with the models and prices of the built-in list. They are entries
// like those of a file.
import { literalValue, type ReadContext, type YamlValue } from '../../yaml/document.ts'
import { isApiKey } from '../sections/upstreams.ts'
import { entryKey } from '../stored.ts'
import type { BuiltIn, KnownModel, UpstreamKind } from '../upstream-kinds.ts'

export type EnvironmentVendors = {
  upstreams: YamlValue[]
  models: YamlValue[]
  warnings: string[]
  /** The variable of each entry, by its key (`models/gpt-x`). */
  variables: Map<string, string>
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
  const result: EnvironmentVendors = { upstreams: [], models: [], warnings: [], variables: new Map() }
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
      addVendor(kind, key, result, builtIn)
    }
  }
  return result
}

function addVendor(
  { kind, keyVariable = '' }: UpstreamKind,
  key: string,
  result: EnvironmentVendors,
  builtIn: BuiltIn,
) {
  const { date, vendors } = builtIn.priceList()
  const listed = vendors.find((vendor) => vendor.kind === kind)?.models ?? []
  const entry = (of: 'upstream' | 'model', id: string, value: object): YamlValue => {
    result.variables.set(entryKey({ kind: of, id }), keyVariable)
    return literalValue({ id, ...value }, 'environment', `${of}s[${id}]`)
  }
  result.upstreams.push(entry('upstream', kind, { kind, keys: [key] }))
  result.models.push(...listed.map((model) => entry('model', model.id, modelOf(model, kind))))
  if (result.date === undefined && builtIn.now() - Date.parse(date) > OLD_AFTER_DAYS * DAY) {
    result.warnings.push(
      `the built-in prices are from ${date}: check for changes, and configure prices where they differ`,
    )
  }
  result.date = date
}

/** Sold at cost; a group's multiplier can add a margin. */
function modelOf({ id, type, written }: KnownModel, upstream: string) {
  const routes = [{ upstream, model: id, cost: written.price }]
  return { type, routes, ...written }
}
