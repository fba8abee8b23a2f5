// Section `models`: what clients ask for, where it is routed, and what it costs.
import { createHash } from 'node:crypto'
import type { Nanos } from '../money/amount.ts'
import { addMistake, lineOf, type Value } from './document.ts'
import { nearest } from './nearest.ts'
import { readInteger, readModelId, readText, readUsd, readWord } from './scalars.ts'
import type { Model, Route, TokenPrice } from './types.ts'
import { type Fields, fieldsOf, itemsOf, listOf, quote } from './value.ts'

const MODEL_FIELDS = {
  id: true,
  type: true,
  routes: true,
  price: true,
  limits: true,
  fallbacks: 'fallbacks come with a later version; remove them for now',
} as const
const ROUTE_FIELDS = { upstream: true, model: true, priority: true, weight: true, cost: true } as const
const LIMIT_FIELDS = { context: true, max_output: true } as const

const mediaPrice = 'prices of image and video models come with a later version; remove this field for now'
const PRICE_FIELDS = {
  input: true,
  output: true,
  cached_input: true,
  cache_write: true,
  tiers: 'prices by service tier come with a later version; remove this field for now',
  tools: 'prices of hosted tools come with a later version; remove this field for now',
  variants: mediaPrice,
  per_image: mediaPrice,
  per_second: mediaPrice,
  per_video: mediaPrice,
  per_million_tokens: mediaPrice,
} as const

const EXAMPLE = '{ id: my-model, routes: [{ upstream: local, model: llama }], price: { input: 2.00, output: 8.00 } }'
const PRICE_EXAMPLE = 'price: { input: 2.00, output: 8.00 }'

const MEDIA_LATER = {
  image: 'image models come with a later version; remove this entry for now',
  video: 'video models come with a later version; remove this entry for now',
}

/** Which upstreams a route may name, and what to say about others. */
export type KnownUpstreams = { ids: ReadonlySet<string>; advice(id: string): string | undefined }

export type ReadModels = {
  models: Map<string, Model>
  /** Also those with mistakes: a group that names one of them is not a second mistake. */
  ids: Set<string>
}

export function readModels(value: Value | undefined, upstreams: KnownUpstreams): ReadModels {
  const result: ReadModels = { models: new Map(), ids: new Set() }
  const lines = new Map<string, number>()
  for (const item of (value && itemsOf(value, `- ${EXAMPLE}`)) ?? []) {
    const fields = fieldsOf(item, MODEL_FIELDS, EXAMPLE)
    if (!fields) continue
    const id = fields.required('id', readModelId, 'it is the name that clients send')
    const type = fields.get('type')
    const isText = type === undefined || readWord(['text'], MEDIA_LATER)(type) !== undefined
    // An entry of another type has other fields: what is said about them would only distract from the refusal.
    const model = isText ? readModel(fields, id ?? '', upstreams) : undefined
    if (id === undefined) continue
    const first = lines.get(id)
    if (first !== undefined) addMistake(item, `a second model with this id; the first is on line ${first}`)
    lines.set(id, first ?? lineOf(item))
    result.ids.add(id)
    if (model) result.models.set(id, model)
  }
  return result
}

function readModel(fields: Fields, id: string, upstreams: KnownUpstreams): Model {
  const readRoutes = listOf(
    (item) => readRoute(item, id, upstreams),
    '[{ upstream: local, model: llama }]',
    'a model needs at least one route',
  )
  const price = fields.optional<TokenPrice | undefined>('price', readPrice, undefined)
  return {
    id,
    routes: fields.required('routes', readRoutes, 'such as routes: [{ upstream: local, model: llama }]') ?? [],
    price,
    priceVersion: price ? priceVersion(price) : '',
    limits: fields.optional('limits', readLimits, { context: undefined, maxOutput: undefined }),
  }
}

function readRoute(value: Value, id: string, upstreams: KnownUpstreams): Route | undefined {
  const fields = fieldsOf(value, ROUTE_FIELDS, '{ upstream: local, model: llama }')
  if (!fields) return undefined
  const rank = readInteger({ min: 0, max: 1_000_000 })
  return {
    upstream: fields.required('upstream', (field) => knownUpstream(field, upstreams)) ?? '',
    model: fields.optional('model', readText, id),
    priority: fields.optional('priority', rank, 1),
    weight: fields.optional('weight', readInteger({ min: 1, max: 1_000_000 }), 1),
    cost: fields.optional<TokenPrice | undefined>('cost', readPrice, undefined),
  }
}

function knownUpstream(value: Value, { ids, advice }: KnownUpstreams): string | undefined {
  const id = readText(value)
  if (id === undefined || ids.has(id)) return id
  const guess = nearest(id, ids)
  const hint = advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under upstreams')
  addMistake(value, `there is no upstream ${quote(id)}; ${hint}`)
  return undefined
}

function readLimits(value: Value): Model['limits'] | undefined {
  const fields = fieldsOf(value, LIMIT_FIELDS, 'limits: { context: 128000, max_output: 16384 }')
  if (!fields) return undefined
  const tokens = readInteger({ min: 1, max: 1_000_000_000 })
  return {
    context: fields.optional<number | undefined>('context', tokens, undefined),
    maxOutput: fields.optional<number | undefined>('max_output', tokens, undefined),
  }
}

/** USD per million tokens. A zero must be written: a forgotten price would give the model away. */
function readPrice(value: Value): TokenPrice | undefined {
  const fields = fieldsOf(value, PRICE_FIELDS, PRICE_EXAMPLE)
  if (!fields) return undefined
  const advice = (name: string): string => `USD per million tokens; write ${name}: 0 if it is free`
  const input = fields.required('input', readUsd, advice('input'))
  const output = fields.required('output', readUsd, advice('output'))
  // Without prices of their own, cached input and cache writes count as ordinary input: the dearest reading of what
  // the operator did write down. Anything lower would be a discount that nobody granted.
  const cachedInput = fields.optional<Nanos | undefined>('cached_input', readUsd, input)
  const cacheWrite = fields.optional<Nanos | undefined>('cache_write', readUsd, input)
  if (input === undefined || output === undefined || cachedInput === undefined || cacheWrite === undefined) {
    return undefined
  }
  return { input, output, cachedInput, cacheWrite }
}

export function priceVersion({ input, output, cachedInput, cacheWrite }: TokenPrice): string {
  const text = `tokens ${input} ${output} ${cachedInput} ${cacheWrite}`
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
