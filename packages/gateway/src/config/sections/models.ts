// Section `models`: the models that clients request, with their routes and prices.

import { closestMatch } from '../closest-match.ts'
import { SANDBOX_MODEL } from '../sandbox.ts'
import type { MediaModel, MediaPrice, Model, ModelType, Route, TokenPrice } from '../types.ts'
import { addMistake, lineOf, type YamlValue } from '../yaml/document.ts'
import { type Fields, fieldsOf, itemsOf, listOf, quote, type Reader } from '../yaml/fields.ts'
import { readInteger, readModelId, readText, readWord } from '../yaml/scalars.ts'
import { mediaPriceVersion, readMediaPrice } from './media-prices.ts'
import { priceVersion, readTokenPrice } from './token-prices.ts'

const MODEL_FIELDS = {
  id: true,
  type: true,
  routes: true,
  price: true,
  limits: true,
  fallbacks: true,
} as const
const ROUTE_FIELDS = { upstream: true, model: true, priority: true, weight: true, cost: true } as const
const LIMIT_FIELDS = { context: true, max_output: true } as const

const EXAMPLE = '{ id: my-model, routes: [{ upstream: local, model: llama }], price: { input: 2.00, output: 8.00 } }'
/** The upstreams that a route may name, and advice about others. */
export type KnownUpstreams = { ids: ReadonlySet<string>; advice(id: string): string | undefined }

export type ReadModels = {
  models: Map<string, Model>
  mediaModels: Map<string, MediaModel>
  /** Includes models with mistakes, so that a group that names one is not reported as well. */
  types: Map<string, ModelType>
}

export function readModels(value: YamlValue | undefined, upstreams: KnownUpstreams): ReadModels {
  const result: ReadModels = { models: new Map(), mediaModels: new Map(), types: new Map() }
  const lines = new Map<string, number>()
  const fallbacks: Fallback[] = []
  for (const item of (value && itemsOf(value, `- ${EXAMPLE}`)) ?? []) {
    const fields = fieldsOf(item, MODEL_FIELDS, EXAMPLE)
    if (!fields) continue
    const id = fields.required('id', readModelId, 'it is the name that clients send')
    const type = fields.optional<ModelType>('type', readWord<ModelType>(['text', 'image', 'video']), 'text')
    const media = type === 'text' ? undefined : readMediaModel(fields, id ?? '', type, upstreams)
    const model = type === 'text' ? readModel(fields, id ?? '', upstreams) : undefined
    if (id === undefined) continue
    const first = lines.get(id)
    if (first !== undefined) addMistake(item, `duplicate model id; the first is on line ${first}`)
    lines.set(id, first ?? lineOf(item))
    result.types.set(id, type)
    if (model) result.models.set(id, model)
    if (model) fallbacks.push(...readFallbacks(fields, id))
    if (media) result.mediaModels.set(id, media)
  }
  for (const fallback of fallbacks) checkFallback(fallback, result.types, upstreams)
  return result
}

/** Checked after all models are read, since a model may name one that follows it. */
type Fallback = { value: YamlValue; id: string; of: string }

function readFallbacks(fields: Fields, of: string): Fallback[] {
  const value = fields.get('fallbacks')
  return ((value && itemsOf(value, '[other-model]')) ?? []).flatMap((item) => {
    const id = readText(item)
    return id === undefined ? [] : [{ value: item, id, of }]
  })
}

function checkFallback({ value, id, of }: Fallback, types: ReadModels['types'], { advice }: KnownUpstreams): void {
  if (id === of) addMistake(value, 'a model cannot be its own fallback')
  else if (types.get(id) === 'image' || types.get(id) === 'video')
    addMistake(value, `${quote(id)} does not generate text`)
  else if (!types.has(id) && id !== SANDBOX_MODEL) {
    const guess = closestMatch(id, new Set(types.keys()))
    const hint = advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under models')
    addMistake(value, `unknown model ${quote(id)}; ${hint}`)
  }
}

function readModel(fields: Fields, id: string, upstreams: KnownUpstreams): Model {
  const price = fields.optional<TokenPrice | undefined>('price', readTokenPrice, undefined)
  const fallbacks = [...new Set(readFallbacks(fields, id).map((fallback) => fallback.id))]
  return {
    ...(fallbacks.length > 0 ? { fallbacks } : {}),
    id,
    routes: readRoutes(fields, id, upstreams, readTokenPrice),
    price,
    priceVersion: price ? priceVersion(price) : '',
    limits: fields.optional('limits', readLimits, { context: undefined, maxOutput: undefined }),
  }
}

function readMediaModel(
  fields: Fields,
  id: string,
  type: MediaModel['type'],
  upstreams: KnownUpstreams,
): MediaModel | undefined {
  const limits = fields.get('limits')
  if (limits) addMistake(limits, 'counts tokens and applies to text models only; remove it')
  const readPrice = readMediaPrice(type)
  const price = fields.optional<MediaPrice | undefined>('price', readPrice, undefined)
  const routes = readRoutes(fields, id, upstreams, readPrice)
  return { id, type, routes, price, priceVersion: price ? mediaPriceVersion(price) : '' }
}

type RouteOf<Price> = Omit<Route, 'cost'> & { cost: Price | undefined }

function readRoutes<Price>(fields: Fields, id: string, upstreams: KnownUpstreams, readPrice: Reader<Price>) {
  const read = listOf(
    (item) => readRoute(item, id, upstreams, readPrice),
    '[{ upstream: local, model: llama }]',
    'a model needs at least one route',
  )
  return fields.required('routes', read, 'such as routes: [{ upstream: local, model: llama }]') ?? []
}

function readRoute<Price>(value: YamlValue, id: string, upstreams: KnownUpstreams, readPrice: Reader<Price>) {
  const fields = fieldsOf(value, ROUTE_FIELDS, '{ upstream: local, model: llama }')
  if (!fields) return undefined
  const rank = readInteger({ min: 0, max: 1_000_000 })
  const route: RouteOf<Price> = {
    upstream: fields.required('upstream', (field) => knownUpstream(field, upstreams)) ?? '',
    model: fields.optional('model', readText, id),
    priority: fields.optional('priority', rank, 1),
    weight: fields.optional('weight', readInteger({ min: 1, max: 1_000_000 }), 1),
    cost: fields.optional<Price | undefined>('cost', readPrice, undefined),
  }
  return route
}

function knownUpstream(value: YamlValue, { ids, advice }: KnownUpstreams): string | undefined {
  const id = readText(value)
  if (id === undefined || ids.has(id)) return id
  const guess = closestMatch(id, ids)
  const hint = advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under upstreams')
  addMistake(value, `unknown upstream ${quote(id)}; ${hint}`)
  return undefined
}

function readLimits(value: YamlValue): Model['limits'] | undefined {
  const fields = fieldsOf(value, LIMIT_FIELDS, 'limits: { context: 128000, max_output: 16384 }')
  if (!fields) return undefined
  const tokens = readInteger({ min: 1, max: 1_000_000_000 })
  return {
    context: fields.optional<number | undefined>('context', tokens, undefined),
    maxOutput: fields.optional<number | undefined>('max_output', tokens, undefined),
  }
}
