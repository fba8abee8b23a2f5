// Channels become upstreams, and the models that they list become models with a route for each channel.
import { isApiKey } from '../../../config/sections/upstreams.ts'
import { DEFAULT_TYPE, modalityOf } from '../../../modalities/index.ts'
import type { Findings } from '../../findings.ts'
import type { FoundEntry } from '../../installation.ts'
import { ONE } from '../exact.ts'
import type { ScaledPrice } from '../groups/plan.ts'
import type { ChannelTypes } from '../known.ts'
import { type Priced, type PriceOf, priceOf } from '../prices/figures.ts'
import { isForeign, modelType } from '../prices/model-type.ts'
import type { Channel } from './channel.ts'
import { type Kinds, type Place, placesOf } from './places.ts'

export type Served = {
  upstreams: readonly FoundEntry[]
  models: readonly FoundEntry[]
  /** Models by group; empty for a group that no channel has. */
  serves(group: string): readonly string[]
  /** Whether the channel answers for the model in the group. */
  has(group: string, model: string, channel: number): boolean
  priceOf: ScaledPrice
}
type Given = { types: ChannelTypes; prices: PriceOf; kinds: Kinds; findings: Findings }
type Route = { channel: Channel; value: Record<string, unknown> }

export function readChannels(channels: readonly Channel[], { types, prices, kinds, findings }: Given): Served {
  const ids = idsOf(channels)
  const ranks = [...new Set(channels.map(({ priority }) => priority))].sort((a, b) => b - a)
  const upstreams: FoundEntry[] = []
  const routes = new Map<string, Route[]>()
  const answering = new Set<string>()
  const groups = new Map<string, Set<string>>()

  for (const channel of channels) {
    const { from } = channel
    for (const [column, grade, says] of channel.notes) findings.add(`channels.${column}`, grade, says, from)
    const hasOwnForm = types[channel.type] === 'aws' || types[channel.type] === 'vertex'
    const usable = { ...channel, keys: channel.keys.filter((key) => hasOwnForm || isApiKey(key)) }
    if (usable.keys.length < channel.keys.length) findings.add('channels.key', 'manual', BAD_KEY, from)
    const found = placesOf(usable, types[channel.type], kinds)
    const places = typeof found === 'string' ? [] : found
    if (typeof found === 'string') findings.add('channels', 'not_supported', found, `${from} ${channel.name}`)
    const used = new Set<Place>()
    for (const model of places.length > 0 ? channel.models : []) {
      const found = routesOf(channel, model, {
        places,
        id: ids.get(channel) ?? '',
        rank: ranks.indexOf(channel.priority) + 1,
        used,
      })
      if (typeof found === 'string') {
        findings.add('channels.models', 'not_supported', found, `${from} ${model}`)
        continue
      }
      routes.set(model, [...(routes.get(model) ?? []), ...found])
      for (const group of channel.isOn ? channel.groups : []) {
        answering.add(nameOf(group, model, channel.id))
        groups.set(group, (groups.get(group) ?? new Set()).add(model))
      }
    }
    const [first] = places
    if (first && used.size === 0) used.add(first)
    const proxy = channel.proxy === undefined ? {} : { proxy: channel.proxy }
    for (const { suffix, value } of used)
      upstreams.push({ id: `${ids.get(channel)}${suffix}`, from, value: { ...value, ...proxy } })
  }

  const offered = [...routes].flatMap(([model, all]) => modelEntry(model, all, { prices, findings }))
  for (const [model, all] of routes) reportGroups(model, all, findings)
  const known = new Set(offered.map(({ id }) => id))
  const scaled: ScaledPrice = (model, scale) => pricedModel(model, prices, scale)?.price
  return {
    upstreams,
    models: offered,
    serves: (group) => [...(groups.get(group) ?? [])].filter((model) => known.has(model)),
    has: (group, model, channel) => answering.has(nameOf(group, model, channel)),
    priceOf: scaled,
  }
}

export const BAD_KEY = 'A key with blanks or other characters that no header can have is left out.'
export const OFF = 'Every channel that serves it is off. It is left out; add it when one is on.'
export const WEIGHTLESS = 'The channel is off: its routes have the weight 0. Give them a weight to use it.'
export const OTHER_GROUPS =
  'Not every channel of this model serves the same groups there. Here all of its routes serve each group that has the model.'
export const UNPRICED = 'It has no price there, and is refused. Here, too, until it has one.'
const NOT_A_NAME = 'The name of the model has blanks, commas or "*", or is longer than 200 characters.'
const FOREIGN = 'Models of Midjourney and Suno are called in protocols that do not exist here.'
const NOT_SERVED = 'Models of this type are not served by upstreams of this kind.'

const nameOf = (group: string, model: string, channel: number) => JSON.stringify([group, model, channel])
const MODEL_ID = /^[!#$&'()+\-./0-9:;=?@A-Z[\]^_a-z{|}~]{1,200}$/

/** By name, and where two have the same also by number; the same in every run. */
function idsOf(channels: readonly Channel[]): ReadonlyMap<Channel, string> {
  const taken = new Set(['sandbox'])
  const ids = new Map<Channel, string>()
  for (const channel of channels) {
    const slug = channel.name
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+|-+$/g, '')
      .slice(0, 40)
    const own = `channel-${channel.id}`
    const id = [slug, `${slug}-${channel.id}`].find((name) => slug !== '' && !taken.has(name)) ?? own
    taken.add(id)
    ids.set(channel, id)
  }
  return ids
}

type Routing = { places: readonly Place[]; id: string; rank: number; used: Set<Place> }

/** Text: why there is none. */
function routesOf(channel: Channel, model: string, { places, id, rank, used }: Routing): Route[] | string {
  if (!MODEL_ID.test(model)) return NOT_A_NAME
  if (isForeign(model)) return FOREIGN
  const type = modelType(model)
  const name = channel.mapping.get(model) ?? model
  const able = places.filter((place) => place.serves(type, name))
  if (able.length === 0) return NOT_SERVED
  return able.map((place) => {
    used.add(place)
    const renamed = place.rename?.(name) ?? name
    const value = {
      upstream: `${id}${place.suffix}`,
      ...(renamed === model ? {} : { model: renamed }),
      ...(renamed === name ? {} : { base_model: name }),
      priority: rank,
      weight: channel.weight,
      ...(type === DEFAULT_TYPE ? editsOf(channel) : {}),
    }
    return { channel, value }
  })
}
function editsOf({ edits: { set, drop, headers, before } }: Channel) {
  return {
    ...(set && Object.keys(set).length > 0 ? { set } : {}),
    ...(drop && drop.length > 0 ? { drop } : {}),
    ...(headers && Object.keys(headers).length > 0 ? { headers: { set: headers } } : {}),
    ...(before === undefined ? {} : { system: { before } }),
  }
}

function pricedModel(model: string, prices: PriceOf, scale = ONE): Priced | undefined {
  const figures = prices(model)
  return figures && priceOf(figures, { type: modelType(model), name: model, scale })
}

function modelEntry(model: string, all: readonly Route[], { prices, findings }: Pick<Given, 'prices' | 'findings'>) {
  const from = [...new Set(all.map(({ channel }) => channel.from))].join(', ')
  if (all.every(({ channel }) => !channel.isOn)) {
    findings.add('channels.status', 'manual', OFF, `${from} ${model}`)
    return []
  }
  const off = all.filter(({ channel }) => !channel.isOn)
  for (const { channel } of off) findings.add('channels.status', 'manual', WEIGHTLESS, `${channel.from} ${model}`)
  const weightless = all.every(({ channel }) => !channel.isOn || channel.weight === 0)
  const type = modelType(model)
  const names = new Set(all.map(({ value }) => value.base_model ?? value.model ?? model))
  const routes = all.map(({ channel, value }) => ({
    ...value,
    weight: channel.isOn ? (weightless ? 1 : channel.weight) : 0,
    ...(modalityOf(type).needsSameModel && names.size > 1 ? { same_vectors: true } : {}),
  }))
  const priced = pricedModel(model, prices)
  if (!priced) findings.add('options.ModelRatio', 'exact', UNPRICED, model)
  else if (priced.says !== '') findings.add('options.ModelRatio', priced.grade, priced.says, model)
  const value = {
    ...(type === DEFAULT_TYPE ? {} : { type }),
    routes,
    ...(priced?.price ? { price: priced.price } : {}),
  }
  return [{ id: model, from, value }]
}

function reportGroups(model: string, all: readonly Route[], findings: Findings): void {
  const sets = all.filter(({ channel }) => channel.isOn).map(({ channel }) => [...channel.groups].sort().join())
  if (new Set(sets).size > 1) findings.add('channels.group', 'approximate', OTHER_GROUPS, model)
}
