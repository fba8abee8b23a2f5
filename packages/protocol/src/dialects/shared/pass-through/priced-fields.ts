// What the fields of a request do to the vendor's price. Each dialect has a closed table of its own, in terms of this file;
// a test reads the official SDKs' types and names every field that is in none of them.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { PassThroughEdits, PricedField, PriceKind } from '../../pass-through.ts'

/**
 * `neutral`: costs nothing, or only what the usage of the answer tells. `bound`: the dialect's own bound of that, or what it is in. Otherwise the words of the prices that a value needs:
 * names of tiers and tools as an operator writes them, the same in all dialects.
 */
export type Effect = 'neutral' | 'bound' | PricedEffect
type PricedEffect = {
  kind: PriceKind
  words(value: unknown): readonly string[]
  /** The caller cannot do without it. */
  isForced: boolean
  /** The most calls that the value allows. */
  most(value: unknown): number | undefined
}
export type FieldTable = Readonly<Record<string, Effect>>

/** The same table for looking names up in: with every request, each of its fields. */
export type Effects = ReadonlyMap<string, Effect>

export const effectsOf = (table: FieldTable): Effects => new Map(Object.entries(table))

const allAre =
  <const E extends Effect>(effect: E) =>
  <const Name extends string>(...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, effect])) as Record<Name, E>

export const neutral = allAre('neutral')
export const bounds = allAre('bound')

export const boundsIn = (table: FieldTable): FieldTable =>
  Object.fromEntries(Object.entries(table).filter(([, effect]) => effect === 'bound'))

const UNBOUNDED = { isForced: false, most: () => undefined }

/** A word that picks one of the vendor's rates. `usual`: the words that do what leaving the field out would do. */
export function tier(usual: readonly string[], plain: (word: string) => string = (word) => word): Effect {
  const words = (value: unknown): string[] => {
    const word = typeof value === 'string' ? plain(value.toLowerCase()).slice(0, LONGEST_WORD) : ''
    return word === '' || usual.includes(word) ? [] : [word]
  }
  return { ...UNBOUNDED, kind: 'tier', words }
}

const LONGEST_WORD = 64

/** Something that lets the vendor run a tool which it bills by the call. */
export function tool(word: string, ask: Partial<Asking> = {}): Effect {
  return asking('tool', word, ask)
}

/** Changes the price in a way that no row of a price list can say. */
export function other(word: string, ask: Partial<Asking> = {}): Effect {
  return asking('other', word, ask)
}

type Asking = {
  when: (value: unknown) => boolean
  forced: boolean
  most: (value: unknown) => number | undefined
}

function asking(
  kind: PriceKind,
  word: string,
  { when = isGiven, forced = false, most = UNBOUNDED.most }: Partial<Asking>,
) {
  return { kind, words: (value: unknown) => (when(value) ? [word] : []), isForced: forced, most }
}

/** What is said at all: an empty list, or `false`, asks for nothing. */
export const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0)

/** The kinds of answers that only some prices have, where a list asks for them. */
export const anyOf = (
  words: Readonly<Record<string, string>>,
  plain: (word: string) => string = (word) => word,
): Effect => ({
  kind: 'other',
  isForced: true,
  most: UNBOUNDED.most,
  words: (value) => {
    const found = [value].flat().flatMap((entry) => (typeof entry === 'string' ? (own(words, plain(entry)) ?? []) : []))
    return [...new Set(found)]
  },
})

/** Members that choose among vendors of one model. What they may do with data costs nothing. */
const CHOICES = ['order', 'only', 'ignore', 'sort', 'quantizations']

const isWebPlugin = (plugin: unknown): boolean => isObject(plugin) && plugin.id === 'web' && plugin.enabled !== false

/** Fields of services with many models and vendors behind them: who else may answer, each at a price of its own, and their own search. */
export const ANSWERED_ELSEWHERE = {
  models: other('models'),
  fallbacks: other('fallbacks'),
  provider: other('provider', { when: (value) => isObject(value) && CHOICES.some((name) => isGiven(value[name])) }),
  plugins: tool('web_search', { when: (value) => Array.isArray(value) && value.some(isWebPlugin) }),
} satisfies FieldTable

/** A bound on calls: a caller cannot make it anything but a small whole number. */
export const boundOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MOST_CALLS ? value : undefined

const MOST_CALLS = 100_000

const own = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/**
 * Vendors invent fields faster than tables grow. An unknown field passes, unless its name says that it
 * affects the cost: then it would need a price, which no configuration can have.
 */
const SPEAKS_OF_PRICE = /(^|_)(service_?tier|tier|speed|(web|live|x|enable)_?search)(_|$)/i

/** The effect of a field by its name; undefined: none that would have to be looked at. */
export function effectOf(effects: Effects, name: string): PricedEffect | undefined {
  const effect = effects.get(name)
  if (effect !== undefined) return typeof effect === 'string' ? undefined : effect
  return SPEAKS_OF_PRICE.test(name) ? asking('other', name.slice(0, LONGEST_WORD), {}) : undefined
}

/** Adds the priced ones among these fields of a request. `nameIn`: the table's spelling of a name. */
export function addPriced(
  priced: PricedField[],
  fields: Json,
  effects: Effects,
  nameIn: (name: string) => string = (name) => name,
): void {
  for (const field in fields) {
    const effect = effectOf(effects, nameIn(field))
    if (effect === undefined) continue
    const value = fields[field]
    const remove: PassThroughEdits | undefined = effect.isForced ? undefined : { remove: [field] }
    const most = effect.most(value)
    for (const word of effect.words(value))
      priced.push({ kind: effect.kind, field, word, ...(most === undefined ? {} : { most }), remove })
  }
}

/** A hosted tool that a vendor bills by itself: where it stands and the price it needs. */
export type BilledTool = { at: string; word: string; kind: PriceKind; most: number | undefined }

/** What a tool costs, by its type. Types have versions, so a type is what the longest name of the table says that it is. */
export function effectOfType(effects: Effects, type: unknown): PricedEffect | undefined {
  if (typeof type !== 'string') return undefined
  const known = effects.get(type)
  if (known !== undefined) return typeof known === 'string' ? undefined : known
  let longest = ''
  for (const name of effects.keys()) if (name.length > longest.length && type.startsWith(`${name}_`)) longest = name
  if (longest !== '') return effectOf(effects, longest)
  return RUN_BY_VENDORS.test(type) ? asking('other', type.slice(0, LONGEST_WORD), {}) : undefined
}

/** Unknown tools that callers do not run themselves. */
const RUN_BY_VENDORS = /search|retriev|interpreter|execution|generation|browse/i

/** The tools of a list that need a price. `most`: the most calls of all of them together, where the request says it. */
export function billedTools(tools: unknown, effects: Effects, most?: number): readonly BilledTool[] {
  if (!Array.isArray(tools)) return NONE_BILLED
  const billed: BilledTool[] = []
  for (let index = 0; index < tools.length; index++) {
    const tool: unknown = tools[index]
    const effect = isObject(tool) ? effectOfType(effects, tool.type) : undefined
    const word = effect?.words(tool)[0]
    if (effect === undefined || word === undefined) continue
    billed.push({ at: `tools[${index}]`, word, kind: kindOf(effect, word), most: least(effect.most(tool), most) })
  }
  return billed
}

const NONE_BILLED: readonly BilledTool[] = []

/** The word of a tool that needs a price. */
export const billedWord = (effects: Effects, tool: Json): string | undefined =>
  effectOfType(effects, tool.type)?.words(tool)[0]

/** A tool that may need something beyond its row, such as a larger container, then needs what no row can say. */
const kindOf = ({ kind }: PricedEffect, word: string): PriceKind => (word === LARGE_CONTAINER ? 'other' : kind)

const LARGE_CONTAINER = 'container_memory'

const least = (one: number | undefined, another: number | undefined): number | undefined =>
  one === undefined || another === undefined ? (one ?? another) : Math.min(one, another)

/**
 * `others`: how many tools are left when all of these are taken out. An answer without the only tool, or without one
 * that the caller insists on, is not the answer that was asked for; without a web search it still is.
 */
export function pricedTools(
  billed: readonly BilledTool[],
  others: number,
  isForced: (word: string) => boolean,
): PricedField[] {
  if (billed.length === 0) return []
  const priced = new Map<string, PricedField>()
  const isOnly = others === 0 && billed.every(({ word }) => word === WEB_SEARCH)
  for (const { at, word, kind, most } of billed) {
    const known = priced.get(word)
    if (known === undefined) {
      const isNeeded = isForced(word) || (others === 0 && word !== WEB_SEARCH)
      const remove = isNeeded ? undefined : isOnly ? WITHOUT_ANY : { withoutTools: [word] }
      priced.set(word, { kind, field: at, word, ...(most === undefined ? {} : { most }), remove })
    } else if (known.most !== undefined) {
      // Two of a kind: what one of them does not limit has no limit, and limits add up.
      const { most: first, ...rest } = known
      priced.set(word, most === undefined ? rest : { ...known, most: first + most })
    }
  }
  return [...priced.values()]
}

const WEB_SEARCH = 'web_search'

/** Fields that say something of tools, which services reject where there are none. */
const WITHOUT_ANY: PassThroughEdits = { remove: ['tools', 'tool_choice', 'parallel_tool_calls'] }

/** Larger containers cost more by the session, which is all that a row can say. */
export function containerWord(place: unknown, word: string): string {
  const memory = isObject(place) ? place.memory_limit : undefined
  return memory === undefined || memory === null || memory === '1g' ? word : LARGE_CONTAINER
}
