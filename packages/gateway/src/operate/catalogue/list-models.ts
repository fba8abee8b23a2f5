// Models with all that an operator wants to know of them at once: what is in force, what it costs and earns, who may call it, and what it
// was used in the last days.
import { type Catalogue, compileCatalogue } from '../../catalogue/catalogue.ts'
import { MULTIPLIER_ONE } from '../../config/sections/groups.ts'
import { type AnyModel, MODEL_TYPES, modalityOf } from '../../modalities/index.ts'
import type { ModelRoute } from '../../modalities/modality.ts'
import { formatMillionths, formatUsd } from '../../money/amount.ts'
import { fields, optional, text, word } from '../../request/schema/schema.ts'
import type { UsageSums } from '../../storage/storage.ts'
import { readState, type State } from '../configuration/change.ts'
import { type Shown, shownEntries } from '../configuration/show.ts'
import { pageFieldsBy } from '../inputs/page.ts'
import { need, type OperationContext, operation, seesCosts } from '../operation.ts'
import { LISTED_MODEL, MODEL_PROBLEMS } from '../resources/configuration.ts'
import { pageInOrder } from './list-order.ts'
import { lowestMargin, marginsOf } from './margins.ts'

const NAME = text({ max: 300 })

type Problem = (typeof MODEL_PROBLEMS)[number]

const DAY_MS = 86_400_000
const DAYS = 7

export const listModels = operation({
  name: 'model list',
  permission: 'see',
  route: {
    at: 'GET models',
    summary: 'Lists models of every source, with what is in force, problems and recent use',
    output: LISTED_MODEL,
    list: true,
    csv: true,
    example: { query: 'problem=no_price' },
  },
  input: fields({
    /** Exactly this one. */
    model: optional(NAME),
    /** What the id contains. */
    search: optional(NAME),
    type: optional(word(...MODEL_TYPES)),
    upstream: optional(NAME),
    group: optional(NAME),
    problem: optional(word(...MODEL_PROBLEMS)),
    /** `attention`: those that nobody can call come first. */
    order: optional(word('id', 'attention')),
    ...pageFieldsBy(NAME),
  }),
  async run(context, { model, search, type, upstream, group, problem, order = 'id', ...page }) {
    if (problem === 'below_cost') need(context.actor, 'see_costs')
    const state = await readState(context)
    const catalogue = catalogueFor(context, state)
    const sought = search?.toLowerCase()
    const rows = shownEntries(context, 'model', state)
      .filter(({ id }) => model === undefined || id === model)
      .filter(({ id }) => sought === undefined || id.toLowerCase().includes(sought))
      .map((entry) => ({ entry, ...inForce(entry, catalogue) }))
      .filter(
        ({ sold, problems, entry }) =>
          (type === undefined || (sold?.type ?? entry.type) === type) &&
          (problem === undefined || problems.includes(problem)) &&
          (upstream === undefined || sold?.routes.some((route) => route.upstream === upstream)) &&
          (group === undefined || offersOf(catalogue, entry.id).some((offer) => offer.group === group)),
      )
    const isUrgent = ({ problems }: (typeof rows)[number]) =>
      order === 'attention' && problems.some((each) => each !== 'shadowed' && each !== 'below_cost')
    const { items, next } = pageInOrder(
      rows.toSorted((one, other) => Number(isUrgent(other)) - Number(isUrgent(one))),
      ({ entry }) => entry.id,
      page,
    )
    const used = await usedLately(context, model)
    const withCosts = seesCosts(context.actor)
    return {
      items: items.map(({ entry, sold, problems }) => ({
        ...entry,
        effective: sold ? effectiveOf(sold, catalogue, withCosts) : null,
        problems: withCosts ? problems : problems.filter((each) => each !== 'below_cost'),
        ...(withCosts ? { margin_percent: sold ? lowestMargin(sold) : null } : {}),
        last_7_days: shownSums(used.get(entry.id), withCosts),
      })),
      next,
    }
  },
})

/** That of the server, unless it has not applied the newest revision. */
export const catalogueFor = ({ routing }: OperationContext, { loaded }: State): Catalogue =>
  routing?.catalogue.config === loaded.config ? routing.catalogue : compileCatalogue(loaded.config, Date.now())

/** `sold`: undefined for an entry that is not in force. */
function inForce(entry: Shown, catalogue: Catalogue): { sold: AnyModel | undefined; problems: Problem[] } {
  const sold = entry.invalid ? undefined : catalogue.config.models.get(entry.id)
  const problems: Problem[] = entry.shadowed ? ['shadowed'] : []
  // It stands for models of their own, or for the one that replaces it.
  const isName = catalogue.config.wildcards?.has(entry.id) || sold?.retirement?.at === 0
  if (isName && !entry.invalid) return { sold, problems }
  if (!sold) return { sold, problems: ['invalid', ...problems] }
  const { groups, upstreams } = catalogue.config
  const hasPrice = sold.price !== undefined || [...groups.values()].some(({ prices }) => prices?.has(sold.id))
  const hasRoute = sold.routes.some(({ weight, upstream }) => weight > 0 && upstreams.has(upstream))
  if (!hasPrice) problems.push('no_price')
  if (!hasRoute) problems.push('no_route')
  if (hasPrice && hasRoute && offersOf(catalogue, sold.id).length === 0) problems.push('no_group')
  if (Number(lowestMargin(sold) ?? 0) < 0) problems.push('below_cost')
  return { sold, problems }
}

const offersOf = ({ offers }: Catalogue, model: string) =>
  [...offers.values()].flatMap((ofGroup) => ofGroup.get(model) ?? [])

function effectiveOf(sold: AnyModel, catalogue: Catalogue, withCosts: boolean) {
  const { describe, rateOf } = modalityOf(sold.type)
  const shown = (price: unknown, multiplier = MULTIPLIER_ONE) => describe(sold, rateOf(price, multiplier)).price
  const costsOf = (route: ModelRoute) => ({
    cost: route.cost === undefined ? null : (shown(route.cost) ?? null),
    margins: marginsOf(sold, route),
  })
  const routes: readonly ModelRoute[] = sold.routes
  return {
    type: sold.type,
    price: sold.price === undefined ? null : (shown(sold.price) ?? null),
    routes: routes.map((route) => ({
      upstream: route.upstream,
      model: route.model,
      ...(route.baseModel === undefined ? {} : { base_model: route.baseModel }),
      priority: route.priority,
      weight: route.weight,
      ...(withCosts ? costsOf(route) : {}),
    })),
    offers: offersOf(catalogue, sold.id).map((offer) => ({
      group: offer.group,
      price: describe(sold, offer.rate).price ?? {},
      multiplier: formatMillionths(offer.rate.multiplierMillionths),
      has_own_price: catalogue.config.groups.get(offer.group)?.prices?.has(sold.id) === true,
    })),
  }
}

/** By model, from the sums that are kept. A model that nobody used has none. */
async function usedLately({ storage }: OperationContext, model?: string): Promise<Map<string, UsageSums>> {
  const now = Date.now()
  // Whole days, today among them: their sums are far fewer than those of hours.
  const to = now - (now % DAY_MS) + DAY_MS
  const range = { from: to - DAYS * DAY_MS, to }
  const { rows } = await storage.reports.usage(['model'], range, model === undefined ? {} : { model }, MOST_MODELS)
  return new Map(rows.map((row) => [String(row.group.model), row]))
}
/** More than a configuration can have. */
const MOST_MODELS = 10_000

const shownSums = (sums: UsageSums | undefined, withCosts: boolean) => ({
  requests: sums?.requests ?? 0,
  charged_usd: formatUsd(sums?.charged ?? 0n),
  ...(withCosts
    ? { upstream_cost_usd: formatUsd(sums?.upstreamCost ?? 0n), unknown_costs: sums?.unknownCosts ?? 0 }
    : {}),
})
