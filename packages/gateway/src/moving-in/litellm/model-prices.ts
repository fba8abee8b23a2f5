// What a model of LiteLLM costs there: its own price, that of the price map, or that with which its requests were charged.
import { DEFAULT_TYPE } from '../../modalities/index.ts'
import { findAtUpstream } from '../../upstreams/prices/cloud-prices.ts'
import { builtInPriceList } from '../../upstreams/prices/price-list.ts'
import type { Findings } from '../findings.ts'
import { isObject, type JsonObject, objectOf, textOf } from '../sources/fields.ts'
import type { SourceDatabase } from '../sources/source-database.ts'
import type { Deployment } from './deployments.ts'
import { readPrice, typeOf } from './prices.ts'
import { splitModel } from './providers.ts'

export type Priced = { type: string; price?: unknown; entry: JsonObject }
export type PriceMap = Readonly<Record<string, JsonObject>>

/** In the order of random ids, these are as good as all of them. */
const MOST_ROWS = 20_000

export async function readPrices(
  source: SourceDatabase,
  deployments: readonly Deployment[],
  map: PriceMap,
  findings: Findings,
): Promise<{ priced: Deployment[]; priceOf(deployment: Deployment): Priced }> {
  const isNeeded = deployments.some((each) => (shape(each, own(each)) ?? mapped(each)) === undefined)
  const { charged, asked } = isNeeded ? await readLog(source) : NOTHING

  function shape({ info }: Deployment, entry: JsonObject | undefined): Priced | undefined {
    const type = typeOf(info.mode ?? entry?.mode)
    const found = type && entry && readPrice(type, entry)
    return found ? { type, price: found.price, entry } : undefined
  }
  function mapped(deployment: Deployment): Priced | undefined {
    for (const name of namesOf(deployment)) {
      const found = Object.hasOwn(map, name) ? shape(deployment, map[name]) : undefined
      if (found) return found
    }
    return undefined
  }
  function inLogs(deployment: Deployment): Priced | undefined {
    for (const name of [String(deployment.info.id ?? ''), ...namesOf(deployment)]) {
      const found = shape(deployment, charged.get(name))
      if (found) return found
    }
    return undefined
  }

  /** What was asked for by a wildcard, and what the price map has of its vendor, each with its own price. */
  function behind(wildcard: Deployment): Deployment[] {
    const { name, params } = wildcard
    const prefix = name.slice(0, name.indexOf('*'))
    const names = new Set(
      [...asked, ...(prefix === '' ? [] : Object.keys(map))].filter((each) => each.startsWith(prefix)),
    )
    const others = [...names].filter((each) => !each.includes('*') && !deployments.some((one) => one.name === each))
    const found = others.map((each) => {
      const model = String(params.model).replace('*', each.slice(prefix.length))
      return { ...wildcard, name: each, params: { ...params, model }, info: {} }
    })
    return found.filter((each) => mapped(each) ?? inLogs(each))
  }

  return { priced: deployments.flatMap((each) => (isWildcard(each) ? [each, ...behind(each)] : [each])), priceOf }

  function priceOf(deployment: Deployment): Priced {
    const [{ from }, path] = [deployment, `${deployment.from} price`]
    const found = shape(deployment, own(deployment)) ?? mapped(deployment) ?? inLogs(deployment)
    if (found) {
      const beyond = readPrice(found.type, found.entry)?.beyond ?? []
      if (beyond.length === 0) findings.add(path, 'exact')
      else findings.add(path, 'approximate', `There is no price here for ${[...beyond].sort().join(', ')}.`)
      return found
    }
    const type = typeOf(deployment.info.mode) ?? DEFAULT_TYPE
    const names = splitModel(deployment.params)
    const base =
      typeof deployment.info.base_model === 'string' ? deployment.info.base_model.replace(/^.*\//, '') : undefined
    const listed = findAtUpstream(builtInPriceList(), { name: names.model, base })
    if (listed && listed.model.type === type) {
      findings.add(
        path,
        'approximate',
        `The price is that of the built-in list of ${builtInPriceList().date}: no price was found there.`,
      )
      return { type, price: listed.model.written.price, entry: {} }
    }
    if (!isWildcard(deployment))
      findings.add(path, 'manual', 'No price was found: without one the model does not exist for callers.', from)
    return { type, entry: {} }
  }
}

export const isWildcard = ({ name }: Deployment): boolean => name.includes('*')

const own = ({ params, info }: Deployment): JsonObject => ({ ...info, ...params })

function namesOf({ params, info }: Deployment): string[] {
  const { provider, model } = splitModel(params)
  const base = typeof info.base_model === 'string' ? [info.base_model] : []
  return [...base, `${provider}/${model}`, String(params.model), model]
}

type Log = { charged: ReadonlyMap<string, JsonObject>; asked: ReadonlySet<string> }
const NOTHING: Log = { charged: new Map(), asked: new Set() }

async function readLog(source: SourceDatabase): Promise<Log> {
  const [charged, asked] = [new Map<string, JsonObject>(), new Set<string>()]
  let rows = 0
  for await (const row of source.rows('LiteLLM_SpendLogs', ['request_id'], ['model_id', 'model_group', 'metadata'])) {
    asked.add(textOf(row.model_group) ?? '')
    const information = objectOf(row.metadata)?.model_map_information
    if (isObject(information) && isObject(information.model_map_value)) {
      for (const name of [textOf(row.model_id), information.model_map_key])
        if (typeof name === 'string' && name !== '') charged.set(name, information.model_map_value)
    }
    if (++rows >= MOST_ROWS) break
  }
  return { charged, asked }
}
