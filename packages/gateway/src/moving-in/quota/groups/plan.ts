// The groups of this gateway that keep what a key costs there. A key has one group here, and a group one multiplier: what depends on the
// group of the person, and the group `auto`, which takes the first of several, become groups of their own.
import { createHash } from 'node:crypto'
import type { Findings } from '../../findings.ts'
import type { FoundEntry } from '../../installation.ts'
import { type Exact, equal, written } from '../exact.ts'
import type { TokenTerms } from '../program.ts'
import type { GroupRules } from './rules.ts'

export const AUTO = 'auto'

/** In order: a model is priced by the first that has it. */
type Part = { group: string; ratio: Exact }

export type GroupPlan = {
  /** undefined: its keys are refused there. */
  ofKey(userGroup: string, terms: Pick<TokenTerms, 'group' | 'autoGroups'>): string | undefined
  /** The groups that people of this group may choose. */
  choices(userGroup: string): readonly string[]
  ofPair(userGroup: string, group: string): string
  /** All that were asked for. */
  entries(serves: (group: string) => readonly string[], priceOf: ScaledPrice): readonly FoundEntry[]
}
/** undefined: the model has no price. */
export type ScaledPrice = (model: string, scale: Exact) => Readonly<Record<string, unknown>> | undefined

const PLACES = 6

export function planGroups(rules: GroupRules, findings: Findings): GroupPlan {
  const planned = new Map<string, { parts: readonly Part[]; from: string }>()

  const plan = (name: string, parts: readonly Part[], from: string): string => {
    const id = groupId(name)
    if (!planned.has(id)) {
      planned.set(id, { parts, from })
      if (id !== name) findings.add('options.GroupRatio', 'approximate', RENAMED, `${name}: ${id}`)
    }
    return id
  }
  const part = (userGroup: string, group: string): Part => ({ group, ratio: rules.ratio(userGroup, group).ratio })

  const ofPair = (userGroup: string, group: string): string => {
    const isOwn = rules.ratio(userGroup, group).isOwn
    const name = isOwn ? `${group}-for-${userGroup}` : group
    if (isOwn && !planned.has(groupId(name))) {
      findings.add('options.GroupGroupRatio', 'approximate', PAIR, `${group}, people of ${userGroup}: ${groupId(name)}`)
    }
    return plan(
      name,
      [part(userGroup, group)],
      isOwn ? `options.GroupGroupRatio ${userGroup} ${group}` : `group ${group}`,
    )
  }

  const ofAuto = (userGroup: string, own: readonly string[] | undefined): string | undefined => {
    const groups = rules.automatic(userGroup, own)
    if (groups.length === 0) return undefined
    const usual = rules.automatic('')
    const isUsual = groups.join() === usual.join() && groups.every((group) => !rules.ratio(userGroup, group).isOwn)
    const name = isUsual ? AUTO : own ? `${AUTO}-${groups.join('-')}-for-${userGroup}` : `${AUTO}-for-${userGroup}`
    if (!planned.has(groupId(name))) findings.add('options.AutoGroups', 'approximate', AUTOMATIC, name)
    return plan(
      name,
      groups.map((group) => part(userGroup, group)),
      `options.AutoGroups ${groups.join(', ')}`,
    )
  }

  for (const group of rules.all) plan(group, [part('', group)], `options.GroupRatio ${group}`)
  for (const [userGroup, group] of rules.pairs) ofPair(userGroup, group)
  return {
    ofPair,
    ofKey: (userGroup, { group, autoGroups }) => {
      if (group === AUTO) return ofAuto(userGroup, autoGroups)
      if (group !== '' && !rules.usable(userGroup).includes(group)) return undefined
      return ofPair(userGroup, group === '' ? userGroup : group)
    },
    choices: (userGroup) => {
      const auto = ofAuto(userGroup, undefined)
      return [...rules.usable(userGroup).map((group) => ofPair(userGroup, group)), ...(auto ? [auto] : [])]
    },
    entries: (serves, priceOf) =>
      [...planned].flatMap(([id, { parts, from }]) => entryOf(id, parts, { from, rules, findings, serves, priceOf })),
  }
}

export const PAIR = 'A ratio of two groups is a group of its own here.'
export const AUTOMATIC =
  'Here it is one group with the models of all. Each costs what it costs in the first that has it, also if a channel of another one answers.'
export const RENAMED = 'Names of groups are letters, digits, ".", "_" and "-" here. It has another one.'
export const EMPTY = 'No channel serves it. Keys in it can call nothing, as before.'
export const ROUNDED = 'Ratios of groups are rounded to 6 decimals.'

type Given = {
  from: string
  rules: GroupRules
  findings: Findings
  serves: (group: string) => readonly string[]
  priceOf: ScaledPrice
}

function entryOf(id: string, parts: readonly Part[], { from, rules, findings, serves, priceOf }: Given): FoundEntry[] {
  const first = new Map<string, Part>()
  for (const part of parts) for (const model of serves(part.group)) if (!first.has(model)) first.set(model, part)
  const [main] = parts
  if (!main || first.size === 0) {
    findings.add(from, 'exact', EMPTY, id)
    return []
  }
  const prices = [...first].flatMap(([model, part]) => {
    const price = equal(part.ratio, main.ratio) ? undefined : priceOf(model, part.ratio)
    return price ? [[model, price] as const] : []
  })
  const multiplier = written(main.ratio, PLACES)
  if (!multiplier.isExact) findings.add(from, 'approximate', ROUNDED, id)
  const isOffered = parts.length > 1 ? id === AUTO : rules.offered.includes(main.group) && id === groupId(main.group)
  const value = {
    models: [...first.keys()].sort(),
    multiplier: multiplier.text,
    ...(prices.length > 0 ? { prices: Object.fromEntries(prices) } : {}),
    ...(isOffered ? { console: true } : {}),
  }
  return [{ id, from, value }]
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** The same in every run. */
export const groupId = (name: string): string =>
  ID.test(name) ? name : `group-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
