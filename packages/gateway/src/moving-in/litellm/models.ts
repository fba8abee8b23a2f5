// Deployments of LiteLLM as upstreams and models: those of one name are the routes of one model.
import { DEFAULT_TYPE } from '../../modalities/index.ts'
import type { FoundConfiguration, FoundEntry } from '../installation.ts'
import { isObject, type Json, type JsonObject, listOf, textOf } from '../sources/fields.ts'
import type { SourceDatabase } from '../sources/source-database.ts'
import type { LitellmConfig } from './config.ts'
import { type Deployment, type Reading, readDeployments } from './deployments.ts'
import { isWildcard, type Priced, type PriceMap, readPrices } from './model-prices.ts'
import { placeOf } from './providers.ts'

export type FoundModels = {
  configuration: FoundConfiguration
  ids: ReadonlySet<string>
  /** Ids by their other names. */
  aliases: ReadonlyMap<string, string>
  /** The members of access groups by the group's name. */
  accessGroups: ReadonlyMap<string, readonly string[]>
}
type Route = Record<string, unknown> & { upstream: string; model: string; weight?: number }

const NO_PRICE: Priced = { type: DEFAULT_TYPE, entry: {} }
const MODEL_ID = /^[!#$&'()*+\-./0-9:;=?@A-Z[\]^_a-z{|}~]{1,200}$/

export async function readModels(
  source: SourceDatabase,
  config: LitellmConfig,
  map: PriceMap,
  reading: Reading,
): Promise<FoundModels> {
  const { findings } = reading
  const deployments = await readDeployments(source, config, reading)
  const { priced, priceOf } = await readPrices(source, deployments, map, findings)
  const byName = Map.groupBy(priced, ({ name }) => name)
  const upstreams = new Map<string, FoundEntry>()
  const models: FoundEntry[] = []

  function upstreamFor(id: string, value: Record<string, unknown>, from: string): string {
    const same = JSON.stringify(value)
    for (let at = 1; ; at++) {
      const numbered = at === 1 ? id : `${id}-${at}`
      const present = upstreams.get(numbered)
      if (present && JSON.stringify(present.value) !== same) continue
      if (!present) upstreams.set(numbered, { id: numbered, from, value })
      return numbered
    }
  }

  function routeOf(deployment: Deployment): Route | undefined {
    const { params, info, from } = deployment
    const timeout = params.timeout ?? config.litellm.request_timeout
    const place = placeOf({ ...params, ...(timeout === undefined ? {} : { timeout }) })
    if (!place) {
      findings.add(
        from,
        'not_supported',
        'There is no such vendor here: if it has an endpoint of a known protocol, add an upstream.',
      )
      return undefined
    }
    for (const says of place.says) findings.add(from, 'manual', says)
    const headers = headersOf(params)
    const limits = { rpm: params.rpm, tpm: params.tpm, concurrent: params.max_parallel_requests }
    const limited = Object.fromEntries(
      Object.entries(limits).filter(([, limit]) => typeof limit === 'number' && limit >= 1),
    )
    const base = typeof info.base_model === 'string' ? info.base_model.replace(/^.*\//, '') : undefined
    return {
      upstream: upstreamFor(place.id, place.value, from),
      model: place.model,
      ...(base === undefined || base === place.model ? {} : { base_model: base }),
      ...(typeof params.order === 'number' ? { priority: params.order } : {}),
      ...(deployment.blocked ? { weight: 0 } : typeof params.weight === 'number' ? { weight: params.weight } : {}),
      ...(Object.keys(limited).length > 0 ? { limits: limited } : {}),
      ...(isObject(params.extra_body) ? { set: params.extra_body } : {}),
      ...(Object.keys(headers).length > 0 ? { headers: { set: headers } } : {}),
    }
  }

  for (const [name, same] of byName) {
    const [first] = same
    const prices = same.map((each) => (isWildcard(each) ? NO_PRICE : priceOf(each)))
    const [price = NO_PRICE] = prices
    const routes = joined(same.flatMap((deployment) => routeOf(deployment) ?? []))
    if (!first || routes.length === 0) continue
    if (new Set(prices.map((each) => JSON.stringify(each.price))).size > 1)
      findings.add(
        `${first.from} price`,
        'approximate',
        'The deployments of this name have different prices there; the first counts.',
        name,
      )
    if (!MODEL_ID.test(name))
      findings.add(first.from, 'not_supported', 'The name has characters that names of models do not have here.', name)
    else if (routes.every(({ weight }) => weight === 0))
      findings.add(first.from, 'manual', 'It is blocked there, and left out.', name)
    else
      models.push({
        id: name,
        from: same.map(({ from }) => from).join(', '),
        value: modelOf(first, routes, price),
      })
  }
  const ids = new Set(models.map(({ id }) => id))
  const aliases = aliasesOf(config, ids, reading)
  const fallbacks = fallbacksOf(config, models, reading)
  const entries = models.map(({ id, from, value }) => {
    const [others, next] = [aliases.get(id), fallbacks(id, value.type)]
    return {
      id,
      from,
      value: { ...value, ...(others ? { aliases: others } : {}), ...(next.length > 0 ? { fallbacks: next } : {}) },
    }
  })
  const accessGroups = await readAccessGroups(source, deployments, ids, reading)
  return {
    configuration: {
      upstreams: [...upstreams.values()],
      models: entries,
      groups: [],
      settings: { compatibility: { litellm: true } },
    },
    ids,
    aliases: new Map([...aliases].flatMap(([id, names]) => names.map((name) => [name, id] as const))),
    accessGroups,
  }
}

function modelOf({ info }: Deployment, routes: readonly Route[], { type, price }: Priced): Record<string, unknown> {
  const limits = { context: info.max_input_tokens, max_output: info.max_output_tokens }
  const known = Object.fromEntries(Object.entries(limits).filter(([, limit]) => typeof limit === 'number'))
  return {
    ...(type === DEFAULT_TYPE ? {} : { type }),
    routes,
    ...(price === undefined ? {} : { price }),
    ...(type === DEFAULT_TYPE && Object.keys(known).length > 0 ? { limits: known } : {}),
  }
}

function headersOf({ extra_headers, organization }: JsonObject): Record<string, string> {
  const extra = isObject(extra_headers) ? Object.entries(extra_headers) : []
  const own = typeof organization === 'string' ? [['openai-organization', organization] as const] : []
  return Object.fromEntries([...extra, ...own].map(([name, value]) => [name.toLowerCase(), String(value)]))
}

/** Weights are whole numbers here, and a route is one place: what leads to the same has the weights of all. */
function joined(routes: readonly Route[]): Route[] {
  const factor = routes.every(({ weight = 1 }) => Number.isInteger(weight)) ? 1 : 100
  const byPlace = Map.groupBy(routes, (route) => JSON.stringify({ ...route, weight: undefined }))
  return [...byPlace.values()].flatMap((same) => {
    const weight = same.reduce((sum, each) => sum + Math.round((each.weight ?? 1) * factor), 0)
    return same[0] ? [weight === 1 ? same[0] : { ...same[0], weight }] : []
  })
}

function aliasesOf({ router }: LitellmConfig, ids: Set<string>, { findings }: Reading): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [alias, target] of Object.entries(isObject(router.model_group_alias) ? router.model_group_alias : {})) {
    const name = isObject(target) ? target.model : target
    const path = `router_settings.model_group_alias.${alias}`
    if (typeof name !== 'string' || !ids.has(name))
      findings.add(path, 'manual', 'The model that it stands for does not move.')
    else if (ids.has(alias) || !MODEL_ID.test(alias))
      findings.add(path, 'manual', 'A model has this name, or names have other characters here.')
    else found.set(name, [...(found.get(name) ?? []), alias])
  }
  return found
}

/** Lists such as `[{ a: [b, c] }]`, in the settings of the router or those of LiteLLM. */
function fallbacksOf({ router, litellm }: LitellmConfig, models: readonly FoundEntry[], { findings }: Reading) {
  const texts = new Set(
    models.filter(({ id, value }) => value.type === undefined && !id.includes('*')).map(({ id }) => id),
  )
  const lists = [litellm.fallbacks, router.fallbacks].flatMap((list) => (Array.isArray(list) ? (list as Json[]) : []))
  const written = new Map(lists.filter(isObject).flatMap((each) => Object.entries(each)))
  const usual = router.default_fallbacks ?? litellm.default_fallbacks
  const names = (list: Json | undefined) =>
    (Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []) as string[]
  return (id: string, type: unknown): string[] => {
    const wanted = names(written.get(id) ?? usual).filter((name) => name !== id)
    if (type !== undefined || id.includes('*')) {
      if (written.has(id))
        findings.add('fallbacks', 'not_supported', 'Models of text alone, and no wildcards, have fallbacks here.', id)
      return []
    }
    for (const name of wanted)
      if (!texts.has(name)) findings.add('fallbacks', 'manual', 'The fallback does not move.', `${id}: ${name}`)
    return wanted.filter((name) => texts.has(name))
  }
}

async function readAccessGroups(
  source: SourceDatabase,
  deployments: readonly Deployment[],
  ids: ReadonlySet<string>,
  { findings, report }: Reading,
): Promise<Map<string, string[]>> {
  const groups = new Map<string, Set<string>>()
  const add = (group: string, names: readonly string[]) => {
    groups.set(group, new Set([...(groups.get(group) ?? []), ...names.filter((name) => ids.has(name))]))
  }
  for (const { name, info } of deployments) {
    for (const group of Array.isArray(info.access_groups) ? info.access_groups : []) add(String(group), [name])
  }
  for await (const row of source.rows('LiteLLM_AccessGroupTable', ['access_group_id'])) {
    const id = textOf(row.access_group_id) ?? ''
    report('LiteLLM_AccessGroupTable', row, id)
    for (const name of [id, textOf(row.access_group_name) ?? '']) add(name, listOf(row.access_model_names) ?? [])
  }
  for (const [name] of groups)
    findings.add(`access group ${name}`, 'approximate', 'Keys have the models that it has now.')
  return new Map([...groups].map(([name, members]) => [name, [...members]]))
}
