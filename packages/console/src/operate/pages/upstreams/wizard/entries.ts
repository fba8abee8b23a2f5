// What a draft writes, as entries of one revision. Pure.
import type { Output, Row } from '../../../api/routes.ts'
import { type Draft, upstreamOf } from './draft.ts'

export type Proposal = Output<'POST', 'price-proposals'>['models'][number]
type Group = Row<'groups'>
type Written = Readonly<Record<string, unknown>>
export type Entry = { kind: 'upstream' | 'model' | 'group'; id: string; value: unknown }

export const ALL_MODELS = '*'

/** Its price here: that of the list with what is added, or what was typed. undefined: none. */
export function priceOf({ model, proposed_price }: Proposal, { prices }: Draft): Written | undefined {
  if (proposed_price) return proposed_price
  const { input = '', output = '' } = prices[model] ?? {}
  return input === '' || output === '' ? undefined : { input, output }
}

/** Without a choice of the person: everything with a price that is not configured yet. */
export const chosenIn = (draft: Draft, proposals: readonly Proposal[]): string[] =>
  proposals
    .filter((each) => (draft.chosen ? draft.chosen.includes(each.model) : each.price !== null && each.present === null))
    .map(({ model }) => model)

/** `existing`: models that are stored already, to which a second route is added. */
export function entriesOf(
  draft: Draft,
  proposals: readonly Proposal[],
  groups: readonly Group[],
  existing: ReadonlyMap<string, Written>,
): Entry[] {
  const chosen = chosenIn(draft, proposals)
  const models = proposals.filter(({ model }) => chosen.includes(model))
  return [
    { kind: 'upstream', id: draft.id, value: upstreamOf(draft) },
    ...models.map((model): Entry => ({ kind: 'model', id: model.model, value: modelOf(draft, model, existing) })),
    ...groupsOf(draft, chosen, groups),
  ]
}

function modelOf(draft: Draft, proposal: Proposal, existing: ReadonlyMap<string, Written>): Written {
  const { model, base_model, type, price } = proposal
  const base = base_model === null ? {} : { base_model }
  const route = { upstream: draft.id, model, ...base, ...(price ? { cost: price } : {}) }
  const present = existing.get(model)
  if (!present) {
    const own = priceOf(proposal, draft)
    return { ...(type === null || type === 'text' ? {} : { type }), routes: [route], ...(own ? { price: own } : {}) }
  }
  const routes = Array.isArray(present.routes) ? (present.routes as { priority?: number }[]) : []
  const last = Math.max(1, ...routes.map(({ priority = 1 }) => priority))
  return { ...present, routes: [...routes, { ...route, priority: last + 1 }] }
}

function groupsOf({ groups: added, newGroup }: Draft, chosen: readonly string[], groups: readonly Group[]): Entry[] {
  const longer = groups
    .filter(({ id }) => added.includes(id))
    .map((group): Entry => {
      const models = Array.isArray(group.models) ? (group.models as string[]) : []
      return {
        kind: 'group',
        id: group.id,
        value: { ...writtenIn('group', group), models: [...new Set([...models, ...chosen])] },
      }
    })
  if (newGroup === '') return longer
  const created: Entry = { kind: 'group', id: newGroup, value: { models: chosen, multiplier: '1' } }
  // The first group that is written would otherwise take all models from all keys.
  const isFirst = groups.every(({ source }) => source.from === 'built-in')
  const all: Entry[] = isFirst
    ? [{ kind: 'group', id: 'default', value: { models: [ALL_MODELS], multiplier: '1' } }]
    : []
  return [...longer, created, ...all]
}

const WRITTEN = {
  model: ['type', 'routes', 'price', 'capabilities', 'limits', 'fallbacks'],
  group: ['models', 'multiplier', 'prices', 'console', 'accounts'],
} as const

/** The fields of an entry as they are stored: the API says more of it. */
export const writtenIn = (kind: keyof typeof WRITTEN, entry: Written): Written =>
  Object.fromEntries(WRITTEN[kind].flatMap((name) => (entry[name] == null ? [] : [[name, entry[name]]])))
