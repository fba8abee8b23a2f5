// Section `models`: the models that clients request, with their routes and prices.

import { VIDEO_SERVICES } from '@trivium/protocol/dialects/video-services.ts'
import type { VideoPrice } from '../../../money/prices/video-price.ts'
import { closestMatch } from '../../closest-match.ts'
import { SANDBOX_MODEL } from '../../sandbox.ts'
import type {
  Capability,
  ImageModel,
  ImagePrice,
  MediaModel,
  Model,
  ModelType,
  Route,
  TokenPrice,
  Upstream,
  VideoModel,
} from '../../types.ts'
import { addMistake, lineOf, type YamlValue } from '../../yaml/document.ts'
import { type Fields, fieldsOf, itemsOf, listOf, quote, type Reader } from '../../yaml/fields.ts'
import { readInteger, readModelId, readText, readWord } from '../../yaml/scalars.ts'
import { readCapabilities } from './capabilities.ts'
import { readImageLimits } from './image-limits.ts'
import { readImagePrice } from './image-prices.ts'
import { mediaPriceVersion } from './media-prices.ts'
import { priceVersion, readTokenPrice } from './token-prices.ts'
import { readVideoLimits } from './video-limits.ts'
import { readVideoPrice, readVideoPriceFor } from './video-prices.ts'

const MODEL_FIELDS = {
  id: true,
  type: true,
  routes: true,
  price: true,
  capabilities: true,
  limits: true,
  fallbacks: true,
} as const
const ROUTE_FIELDS = { upstream: true, model: true, priority: true, weight: true, cost: true } as const
const LIMIT_FIELDS = { context: true, max_output: true } as const

const EXAMPLE = '{ id: my-model, routes: [{ upstream: local, model: llama }], price: { input: 2.00, output: 8.00 } }'
/** The upstreams that a route may name, and advice about others. */
export type KnownUpstreams = {
  /** Includes upstreams with mistakes. */
  ids: ReadonlySet<string>
  upstreams: ReadonlyMap<string, Upstream>
  advice(id: string): string | undefined
}

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
    item.context.lines.set(`model ${id}`, lineOf(item))
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
    ...capabilitiesIn(fields, 'text'),
    id,
    routes: readRoutes(fields, { id, type: 'text' }, upstreams, readTokenPrice),
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
  const fallbacks = fields.get('fallbacks')
  if (fallbacks) addMistake(fallbacks, 'text models only have fallbacks; give the model several routes')
  return type === 'image' ? readImageModel(fields, id, upstreams) : readVideoModel(fields, id, upstreams)
}

function readImageModel(fields: Fields, id: string, upstreams: KnownUpstreams): ImageModel {
  const price = fields.optional<ImagePrice | undefined>('price', readImagePrice, undefined)
  const routes = readRoutes(fields, { id, type: 'image' }, upstreams, readImagePrice)
  const limits = fields.optional('limits', readImageLimits, {})
  return {
    id,
    type: 'image',
    ...capabilitiesIn(fields, 'image'),
    routes,
    price,
    priceVersion: price ? mediaPriceVersion(price) : '',
    limits,
  }
}

function readVideoModel(fields: Fields, id: string, upstreams: KnownUpstreams): VideoModel {
  const limits = fields.optional('limits', readVideoLimits, {})
  const price = fields.optional<VideoPrice | undefined>('price', readVideoPriceFor(limits), undefined)
  const routes = readRoutes(fields, { id, type: 'video' }, upstreams, readVideoPrice)
  return {
    id,
    type: 'video',
    ...capabilitiesIn(fields, 'video'),
    routes,
    price,
    priceVersion: price ? mediaPriceVersion(price) : '',
    limits,
  }
}

function capabilitiesIn(fields: Fields, type: ModelType): { capabilities?: readonly Capability[] } {
  const capabilities = fields.optional<readonly Capability[] | undefined>(
    'capabilities',
    readCapabilities(type),
    undefined,
  )
  return capabilities ? { capabilities } : {}
}

type RouteOf<Price> = Omit<Route, 'cost'> & { cost: Price | undefined }

type Routed = { id: string; type: ModelType }

function readRoutes<Price>(fields: Fields, model: Routed, upstreams: KnownUpstreams, readPrice: Reader<Price>) {
  const read = listOf(
    (item) => readRoute(item, model, upstreams, readPrice),
    '[{ upstream: local, model: llama }]',
    'a model needs at least one route',
  )
  const routes = fields.required('routes', read, 'such as routes: [{ upstream: local, model: llama }]') ?? []
  const value = fields.get('routes')
  const isDrained = routes.length > 0 && routes.every(({ weight }) => weight === 0)
  if (value && isDrained && !fields.get('fallbacks'))
    addMistake(value, 'every route has weight 0, which means none; give one a weight above 0, or the model fallbacks')
  return routes
}

function readRoute<Price>(value: YamlValue, { id, type }: Routed, upstreams: KnownUpstreams, readPrice: Reader<Price>) {
  const fields = fieldsOf(value, ROUTE_FIELDS, '{ upstream: local, model: llama }')
  if (!fields) return undefined
  const rank = readInteger({ min: 0, max: 1_000_000 })
  const route: RouteOf<Price> = {
    upstream: fields.required('upstream', (field) => knownUpstream(field, type, upstreams)) ?? '',
    model: fields.optional('model', readText, id),
    priority: fields.optional('priority', rank, 1),
    weight: fields.optional('weight', rank, 1),
    cost: fields.optional<Price | undefined>('cost', readPrice, undefined),
  }
  return route
}

function knownUpstream(value: YamlValue, type: ModelType, { ids, upstreams, advice }: KnownUpstreams) {
  const id = readText(value)
  if (id === undefined) return undefined
  if (ids.has(id)) {
    checkServes(value, type, upstreams.get(id))
    return id
  }
  const guess = closestMatch(id, ids)
  const hint = advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under upstreams')
  addMistake(value, `unknown upstream ${quote(id)}; ${hint}`)
  return undefined
}

/** The dialects by which an image or a video can be requested. */
const IMAGE_DIALECTS: readonly string[] = ['images', 'responses', 'generate-content']
const VIDEO_DIALECTS: readonly string[] = Object.keys(VIDEO_SERVICES)

/** An upstream without a dialect is the sandbox, or its mistake has been reported. */
function checkServes(value: YamlValue, type: ModelType, upstream: Upstream | undefined): void {
  if (!upstream || upstream.dialect === undefined) return
  const dialects: string[] = upstream.endpoints.map(({ dialect }) => dialect)
  if (upstream.images || upstream.dialect === 'images') dialects.push('images')
  if (upstream.videos || upstream.dialect === 'video-tasks') dialects.push('video-tasks')
  if (upstream.embedded) dialects.push(upstream.dialect)
  const quoted = quote(upstream.id)
  if (type === 'text' && dialects.every((dialect) => dialect === 'images' || dialect === 'video-tasks')) {
    const made = dialects.includes('images') ? 'images' : 'videos'
    addMistake(value, `${quoted} generates ${made} only; a text model needs an upstream with a text dialect`)
  }
  if (type === 'image' && !dialects.some((dialect) => IMAGE_DIALECTS.includes(dialect))) {
    const needed = 'an image model needs an upstream with the dialect images, responses or generate-content'
    addMistake(value, `${quoted} has the dialect ${dialects.join(' and ')}; ${needed}`)
  }
  if (type === 'video' && !dialects.some((dialect) => VIDEO_DIALECTS.includes(dialect))) {
    const needed = `a video model needs an upstream with the dialect ${VIDEO_DIALECTS.join(' or ')}`
    addMistake(value, `${quoted} has the dialect ${dialects.join(' and ')}; ${needed}`)
  }
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
