// Section `models`: the models that clients request, with their routes and prices.
import { isTextDialect } from '@trivium/protocol/dialects/index.ts'
import { type AnyModel, DEFAULT_TYPE, MODEL_TYPES, type ModelType, modalityOf } from '../../modalities/index.ts'
import { baseModelOf, type Capability, type Modality, type ModelRoute } from '../../modalities/modality.ts'
import { readCapabilities } from '../../modalities/read-capabilities.ts'
import type { RouteEdits } from '../../modalities/route-edits.ts'
import type { TokenPrice } from '../../money/prices/token-price.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { addMistake, lineOf, type YamlValue } from '../../yaml/document.ts'
import { type Fields, fieldsOf, itemsOf, listOf, quote, scalarText } from '../../yaml/fields.ts'
import { readBoolean, readInteger, readModelId, readText, readWord } from '../../yaml/scalars.ts'
import { checkNames, type GivenNames, NAME_FIELDS, noNames, readNames } from '../names/model-names.ts'
import { isWildcard, modelsOf, WILDCARD_FIELDS, type Wildcard } from '../names/wildcards.ts'
import { priceVersion } from '../price-version.ts'
import { EDIT_FIELDS, EDIT_NAMES, readEdits, unpricedEdit } from '../routes/read-edits.ts'
import { readLimitsOf } from '../routes/read-limits.ts'
import type { Upstream } from '../types.ts'
import { dialectsFor, dialectsOf } from '../upstream-dialects.ts'
import type { BuiltIn } from '../upstream-kinds.ts'

export const MODEL_FIELDS = {
  id: true,
  type: true,
  routes: true,
  price: true,
  capabilities: true,
  limits: true,
  fallbacks: true,
  ...NAME_FIELDS,
} as const
const ROUTE_FIELDS = {
  upstream: true,
  model: true,
  base_model: true,
  priority: true,
  weight: true,
  cost: true,
  limits: true,
  ...EDIT_FIELDS,
} as const
const WITH_SAME_MODEL = { ...ROUTE_FIELDS, same_vectors: true } as const

const EXAMPLE = '{ id: my-model, routes: [{ upstream: local, model: llama }], price: { input: 2.00, output: 8.00 } }'
/** The upstreams that a route may name, and advice about others. */
export type KnownUpstreams = {
  /** Includes upstreams with mistakes. */
  ids: ReadonlySet<string>
  upstreams: ReadonlyMap<string, Upstream>
  advice(id: string): string | undefined
  priceList: BuiltIn['priceList']
}

export type ReadModels = {
  models: Map<string, AnyModel>
  /** Includes models with mistakes, so that a group that names one is not reported as well. */
  types: Map<string, ModelType>
  /** The ids of the models that `openai/*` stands for, by that name. */
  wildcards: Map<string, readonly string[]>
  /** Entries whose ids are taken by an entry of the file or the environment. */
  shadowed: YamlValue[]
}

export const MODELS_EXAMPLE = `- ${EXAMPLE}`

/** Where ids are equal, the first entry counts. `types`: of models that are known, but not among the entries. */
export function readModels(
  items: readonly YamlValue[],
  upstreams: KnownUpstreams,
  types = new Map<string, ModelType>(),
): ReadModels {
  const result: ReadModels = { models: new Map(), types, wildcards: new Map(), shadowed: [] }
  const wildcards: Wildcard[] = []
  const names = noNames()
  const lines = new Map<string, number>()
  const fallbacks: Fallback[] = []
  for (const item of items) {
    const fields = fieldsOf(item, MODEL_FIELDS, EXAMPLE)
    if (!fields) continue
    const id = fields.required('id', readModelOrWildcard, 'it is the name that clients send')
    const first = id === undefined ? undefined : lines.get(id)
    if (first !== undefined && item.context.isLiteral) {
      result.shadowed.push(item)
      continue
    }
    const wildcard = id !== undefined && isWildcard(id) ? readWildcard(fields, id, upstreams) : undefined
    const type = fields.optional<ModelType>('type', readWord(MODEL_TYPES), DEFAULT_TYPE)
    const model = wildcard ? undefined : readModel(fields, id ?? '', type, upstreams, names)
    if (id === undefined) continue
    if (first !== undefined) addMistake(item, `duplicate model id; the first is on line ${first}`)
    lines.set(id, first ?? lineOf(item))
    item.context.lines.set(`model ${id}`, lineOf(item))
    if (wildcard) wildcards.push(wildcard)
    if (!model) continue
    result.types.set(id, type)
    result.models.set(id, model)
    if (modalityOf(type).hasFallbacks) fallbacks.push(...readFallbacks(fields, id, type))
  }
  for (const wildcard of wildcards) addWildcard(wildcard, result, upstreams)
  for (const fallback of fallbacks) checkFallback(fallback, result.types, upstreams)
  checkNames(names, result.types)
  return result
}

/** Models of their own come before those of a wildcard. */
function addWildcard(wildcard: Wildcard, { models, types, wildcards }: ReadModels, upstreams: KnownUpstreams): void {
  const all = modelsOf(wildcard, upstreams)
  wildcards.set(
    wildcard.id,
    all.map(({ id }) => id),
  )
  for (const model of all) {
    if (types.has(model.id)) continue
    types.set(model.id, model.type)
    models.set(model.id, model)
  }
}

function readWildcard(fields: Fields, id: string, upstreams: KnownUpstreams): Wildcard {
  for (const name of Object.keys(MODEL_FIELDS)) {
    const field = WILDCARD_FIELDS.includes(name) ? undefined : fields.get(name)
    if (field) addMistake(field, `a wildcard has no ${name}: its models are those of the price list`)
  }
  const routes = readRoutes(fields, { id, type: DEFAULT_TYPE, price: undefined }, upstreams)
  return { fields, id, routes, hidden: fields.optional('hidden', readBoolean, false) }
}

/** `openai/*` stands for many. */
function readModelOrWildcard(value: YamlValue): string | undefined {
  const text = scalarText(value, 'text')
  return text !== undefined && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/\*$/.test(text) ? text : readModelId(value)
}

const WITH_FALLBACKS = MODEL_TYPES.filter((type) => modalityOf(type).hasFallbacks).join(' and ')

/** Checked after all models are read, since a model may name one that follows it. */
type Fallback = { value: YamlValue; id: string; of: string; type: ModelType }

function readFallbacks(fields: Fields, of: string, type: ModelType): Fallback[] {
  const value = fields.get('fallbacks')
  return ((value && itemsOf(value, '[other-model]')) ?? []).flatMap((item) => {
    const id = readText(item)
    return id === undefined ? [] : [{ value: item, id, of, type }]
  })
}

function checkFallback(fallback: Fallback, types: ReadModels['types'], { advice }: KnownUpstreams): void {
  const { value, id, of, type } = fallback
  const { generates, sandbox } = modalityOf(type)
  if (id === of) addMistake(value, 'a model cannot be its own fallback')
  else if (types.has(id) && types.get(id) !== type) addMistake(value, `${quote(id)} does not generate ${generates}`)
  else if (!types.has(id) && id !== sandbox.id) {
    const guess = closestMatch(id, new Set(types.keys()))
    const hint = advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under models')
    addMistake(value, `unknown model ${quote(id)}; ${hint}`)
  }
}

function readModel(
  fields: Fields,
  id: string,
  type: ModelType,
  upstreams: KnownUpstreams,
  given: GivenNames,
): AnyModel {
  const modality = modalityOf(type)
  const limits = fields.optional('limits', modality.readLimits, modality.noLimits)
  const price = fields.optional<unknown>('price', (value) => modality.readPrice(value, limits), undefined)
  const written = fields.get('fallbacks')
  if (written && !modality.hasFallbacks)
    addMistake(written, `${WITH_FALLBACKS} models only have fallbacks; give the model several routes`)
  const names = readNames(fields, id, type, given)
  const isGone = names.retirement?.at === 0 && !fields.get('routes')
  const fallbacks = [...new Set(readFallbacks(fields, id, type).map((fallback) => fallback.id))]
  // Price and limits were read by the modality of the type.
  return {
    id,
    type,
    ...(fallbacks.length > 0 ? { fallbacks } : {}),
    ...names,
    ...capabilitiesIn(fields, modality),
    // An id that was retired before needs none.
    routes: isGone ? [] : readRoutes(fields, { id, type, price }, upstreams),
    price,
    priceVersion: price ? priceVersion(type, price) : '',
    limits,
  } as AnyModel
}

function capabilitiesIn(fields: Fields, modality: Modality): { capabilities?: readonly Capability[] } {
  const capabilities = fields.optional<readonly Capability[] | undefined>(
    'capabilities',
    readCapabilities(modality),
    undefined,
  )
  return capabilities ? { capabilities } : {}
}

type Routed = { id: string; type: ModelType; price: unknown }

function readRoutes(fields: Fields, model: Routed, upstreams: KnownUpstreams) {
  const read = listOf(
    (item) => readRoute(item, model, upstreams),
    '[{ upstream: local, model: llama }]',
    'a model needs at least one route',
  )
  const routes = fields.required('routes', read, 'such as routes: [{ upstream: local, model: llama }]') ?? []
  const value = fields.get('routes')
  const isDrained = routes.length > 0 && routes.every(({ weight }) => weight === 0)
  if (value && isDrained && !fields.get('fallbacks'))
    addMistake(value, 'every route has weight 0, which means none; give one a weight above 0, or the model fallbacks')
  if (modalityOf(model.type).needsSameModel && value) checkSameModel(value, routes)
  if (value) checkLimits(value, routes)
  return routes
}

/** Limits of a route are kept by the names that it has. */
function checkLimits(value: YamlValue, routes: readonly ReadRoute[]): void {
  const twice = routes.find(
    (route, at) =>
      route.limits &&
      routes.slice(0, at).some((each) => each.upstream === route.upstream && each.model === route.model),
  )
  if (!twice) return
  const name = `${quote(twice.model)} at upstream ${quote(twice.upstream)}`
  addMistake(value, `two routes lead to ${name}; where one has limits, there can be no other`)
}

/** What one model makes of a text cannot be compared with what another one makes of it. */
function checkSameModel(value: YamlValue, routes: readonly ReadRoute[]): void {
  const [first] = routes
  const other = routes.find((route) => first && baseModelOf(route) !== baseModelOf(first) && !route.sameVectors)
  if (!first || !other) return
  const advice = 'route to one model, or write same_vectors: true on the route if it is the same one by another name'
  addMistake(
    value,
    `routes name two models, ${quote(first.model)} and ${quote(other.model)}, whose vectors differ; ${advice}`,
  )
}

type ReadRoute = ModelRoute & { sameVectors?: true }

const EDITED: ModelType = 'text'

/** Validated against the dialects of the upstream, and against the price of the model. */
function editsOf(fields: Fields, { type, price }: Routed, upstream: Upstream | undefined): RouteEdits | undefined {
  const field = EDIT_NAMES.map((name) => fields.get(name)).find((each) => each !== undefined)
  if (!field) return undefined
  if (type !== EDITED) {
    addMistake(field, 'only routes of text models change requests')
    return undefined
  }
  const edits = readEdits(fields, upstream ? dialectsFor(upstream, type).filter(isTextDialect) : [])
  // A mistake in the price has been reported, and a group may have a price of its own.
  const lacking = edits && price !== undefined ? unpricedEdit(edits, price as TokenPrice) : undefined
  if (lacking !== undefined) addMistake(fields.value, `${lacking}, which the model lacks`)
  return edits
}

function readRoute(value: YamlValue, routed: Routed, upstreams: KnownUpstreams): ReadRoute | undefined {
  const { id, type } = routed
  const known = modalityOf(type).needsSameModel ? WITH_SAME_MODEL : ROUTE_FIELDS
  const fields = fieldsOf(value, known, '{ upstream: local, model: llama }')
  if (!fields) return undefined
  const rank = readInteger({ min: 0, max: 1_000_000 })
  const sameVectors = fields.optional('same_vectors', readBoolean, false)
  const baseModel = fields.optional<string | undefined>('base_model', readText, undefined)
  const upstream = fields.required('upstream', (field) => knownUpstream(field, type, upstreams)) ?? ''
  const edits = editsOf(fields, routed, upstreams.upstreams.get(upstream))
  return {
    ...(sameVectors ? { sameVectors } : {}),
    ...(edits ? { edits } : {}),
    upstream,
    model: fields.optional('model', readText, id),
    ...(baseModel === undefined ? {} : { baseModel }),
    priority: fields.optional('priority', rank, 1),
    weight: fields.optional('weight', rank, 1),
    cost: fields.optional<unknown>('cost', (cost) => modalityOf(type).readPrice(cost), undefined),
    ...readLimitsOf(fields),
  }
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

/** An upstream without a dialect is the sandbox, or its mistake has been reported. */
function checkServes(value: YamlValue, type: ModelType, upstream: Upstream | undefined): void {
  if (!upstream || upstream.dialect === undefined) return
  if (dialectsFor(upstream, type).length > 0) return
  const { dialects, service } = modalityOf(type)
  const spoken = dialectsOf(upstream)
  const has = [
    ...(spoken.length > 0 ? [`the dialect ${spoken.join(' and ')}`] : []),
    ...(service ? [`no ${service}`] : []),
  ]
  const others = service ? dialects.filter((dialect) => dialect !== 'chat') : dialects
  const needed = [
    ...(service ? [`that serves ${service}`] : []),
    ...(others.length > 0 ? [`with the dialect ${oneOf(others)}`] : []),
  ]
  const model = `${article(type)} ${type} model needs an upstream ${needed.join(', or ')}`
  addMistake(value, `${quote(upstream.id)} has ${has.join(' and ') || 'no text models'}; ${model}`)
}

const article = (noun: string): string => (/^[aeiou]/.test(noun) ? 'an' : 'a')

const oneOf = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]+)$/, ' or $1')
