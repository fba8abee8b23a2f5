// Upstreams that are not stored yet: which models they list, and what they answer. Nothing of a draft is kept, its keys least of all.
import type { Static } from 'typebox'
import { MULTIPLIER_ONE } from '../../config/sections/groups.ts'
import { entryKey } from '../../config/stored.ts'
import type { Upstream } from '../../config/types.ts'
import { DEFAULT_TYPE, modalityOf } from '../../modalities/index.ts'
import { boolean, fields, list, mapOf, optional, text, unknown } from '../../request/schema/schema.ts'
import { MODEL_CHECKS, plannedChecks, typeAt } from '../../upstreams/diagnostics/check-upstream.ts'
import { listUpstreamModels } from '../../upstreams/diagnostics/list-models.ts'
import { builtInPriceList, findListed, type ListedModel } from '../../upstreams/prices/price-list.ts'
import { mistakesOf, partsOf, readState } from '../configuration/change.ts'
import { unsealEntries } from '../configuration/secrets.ts'
import { type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { UPSTREAM_DRAFT_MODELS, UPSTREAM_TEST } from '../resources/upstreams.ts'
import { limitCalls } from './limit-calls.ts'
import { estimateOf, ownSend, type Planned, type RoutedModel, runAndBook } from './test.ts'

/** As an upstream is stored. */
const DRAFT = {
  kind: optional(text({ max: 100 })),
  dialect: optional(text({ max: 100 })),
  base_url: optional(text({ max: 2_000 })),
  project: optional(text({ max: 100 })),
  location: optional(text({ max: 100 })),
  resource: optional(text({ max: 100 })),
  api_version: optional(text({ max: 100 })),
  region: optional(text({ max: 100 })),
  proxy: optional(text({ max: 2_000 })),
  keys: optional(list(text({ max: 4_096 }), 8)),
  auth: optional(mapOf(unknown())),
}
const TEST = fields({
  ...DRAFT,
  /** Its name at the upstream; absent: the cheapest of the built-in price list. */
  model: optional(text({ max: 300 })),
  /** The model behind an opaque name. */
  base_model: optional(text({ max: 300 })),
  /** Only what it would cost at most: nothing is called. */
  estimate: optional(boolean()),
})
const MODELS = fields(DRAFT)

export const testUpstreamDraft = operation({
  name: 'upstream draft-test',
  permission: 'configuration',
  route: {
    at: 'POST upstream-drafts/test',
    summary: 'Calls an upstream that is not stored yet, and books the cost to the ledger account tests',
    output: UPSTREAM_TEST,
    example: { body: { kind: 'openai', keys: ['the-key-of-the-vendor'], estimate: true } },
  },
  input: TEST,
  async run(context, { model, base_model, estimate, ...draft }) {
    const upstream = await upstreamOf(context, draft)
    const planned = planTest(upstream, model, base_model)
    if (estimate) return estimateOf(planned)
    return await runAndBook(context, planned, {
      name: 'upstream draft-test',
      object: 'upstream-draft',
      of: `a new upstream of kind ${upstream.kind}`,
    })
  },
})

/** The key is used, so that a vendor's answer depends on it; nothing is billed. */
export const discoverDraftModels = operation({
  name: 'upstream draft-models',
  permission: 'configuration',
  route: {
    at: 'POST upstream-drafts/models',
    summary: 'Lists the models of an upstream that is not stored yet',
    output: UPSTREAM_DRAFT_MODELS,
    example: { body: { kind: 'openai', keys: ['the-key-of-the-vendor'] } },
  },
  input: MODELS,
  async run(context, draft) {
    const upstream = await upstreamOf(context, draft)
    const place = { kind: upstream.kind, base_url: upstream.baseUrl }
    const send = context.routing?.send ?? ownSend(context.clouds)
    const listed = await limitCalls(context.actor, () => listUpstreamModels(send, upstream))
    if (!('problem' in listed)) {
      const { models, isComplete: is_complete, baseModels } = listed
      return { ...place, is_complete, models, base_models: [...baseModels].map(pairOf) }
    }
    const { status, problem } = listed
    if (status !== 404 && status !== 405) throw rejected('upstream_failed', { upstream: DRAFT_ID, problem })
    const { kind } = upstream
    const models = listedOf(kind).map(({ id }) => id)
    if (models.length === 0) throw rejected('no_model_list', { upstream: DRAFT_ID, kind })
    // For a vendor that lists none, these are the well-known ones.
    return { ...place, is_complete: false, models, base_models: [] }
  },
})

const pairOf = ([model, base_model]: readonly [string, string]) => ({ model, base_model })

const DRAFT_ID = 'draft'

/** Read and checked as part of the whole configuration, like one that is stored, so that the same addresses are allowed. */
async function upstreamOf(context: OperationContext, draft: Static<typeof MODELS>): Promise<Upstream> {
  const { stored, loaded } = await readState(context)
  const revision = stored.revision + 1
  const taken = [...loaded.config.upstreams.keys(), ...stored.entries.map(({ id }) => id)]
  const entry = { kind: 'upstream' as const, id: freeId(new Set(taken)), value: draft, revision }
  const others = unsealEntries(stored, await context.accountCipher())
  const result = await partsOf(context).assemble({ revision, entries: [...others, entry] }, new Set([entryKey(entry)]))
  const upstream = result.config?.upstreams.get(entry.id)
  if (!upstream) throw mistakesOf(result.config ? [] : result.mistakes, false)
  return upstream
}

/** On equal ids the file would win, and its upstream would be called. */
function freeId(taken: ReadonlySet<string>): string {
  let id = DRAFT_ID
  for (let count = 2; taken.has(id); count += 1) id = `${DRAFT_ID}-${count}`
  return id
}

function planTest(upstream: Upstream, named: string | undefined, base: string | undefined): Planned {
  const model = named === undefined ? cheapestOf(upstream.kind) : modelNamed(upstream, named, base)
  if (!model) throw rejected('malformed', { field: 'model', must: 'name a model of the upstream: none of it is known' })
  return { upstream, model, checks: plannedChecks(upstream, model) }
}

function modelNamed(upstream: Upstream, name: string, baseModel: string | undefined): RoutedModel {
  const listed = findListed(builtInPriceList(), baseModel ?? name)?.model
  if (listed && MODEL_CHECKS[listed.type]) return { ...pricedByList(listed), name, baseModel }
  return { id: undefined, name, baseModel, type: typeAt(upstream), rate: undefined, price: null }
}

const listedOf = (kind: string): readonly ListedModel[] =>
  builtInPriceList().vendors.find((vendor) => vendor.kind === kind)?.models ?? []

function cheapestOf(kind: string): RoutedModel | undefined {
  const tried = listedOf(kind)
    .filter(({ type }) => type === DEFAULT_TYPE)
    .map(pricedByList)
  const [cheapest] = tried
    .map((model) => ({ model, most: (model.rate && MODEL_CHECKS[model.type]?.bound(model.rate)) ?? 0n }))
    .toSorted((one, other) => (one.most < other.most ? -1 : one.most > other.most ? 1 : 0))
  return cheapest?.model
}

const pricedByList = ({ id, type, price }: ListedModel): RoutedModel => ({
  id: undefined,
  name: id,
  type,
  rate: modalityOf(type).rateOf(price, MULTIPLIER_ONE),
  price: 'list',
})
