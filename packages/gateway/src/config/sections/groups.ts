// Section `groups`: the models that keys of a group may use, and a multiplier or the group's own prices.

import { type ModelType, modalityOf } from '../../modalities/index.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { addMistake, lineOf, type YamlValue } from '../../yaml/document.ts'
import { entriesOf, fieldsOf, listOf, quote } from '../../yaml/fields.ts'
import { readBoolean, readId, readMultiplier, readText } from '../../yaml/scalars.ts'
import { priceVersion } from '../price-version.ts'
import type { Group, GroupPrice } from '../types.ts'

export const ALL_MODELS = '*'
/** The group of keys that are created without one. */
export const DEFAULT_GROUP = 'default'
export const MULTIPLIER_ONE = 1_000_000n

export const GROUP_FIELDS = {
  id: true,
  models: true,
  multiplier: true,
  prices: true,
  console: true,
  accounts: true,
} as const
const EXAMPLE = '{ id: default, models: ["*"], multiplier: 1 }'
const PRICES_EXAMPLE = 'prices: { my-model: { input: 1.50, output: 6.00 } }'

/** The models that a group may name, and advice about others. */
export type KnownModels = {
  types: ReadonlyMap<string, ModelType>
  /** What `openai/*` stands for. */
  wildcards: ReadonlyMap<string, readonly string[]>
  advice(id: string): string | undefined
  /** What routes of the model need that this price lacks: the end of a sentence. */
  lackedBy(id: string, price: unknown): string | undefined
}

export type ReadGroups = {
  groups: Map<string, Group>
  /** Entries whose ids are taken by an entry of the file. */
  shadowed: YamlValue[]
}

export const GROUPS_EXAMPLE = `- ${EXAMPLE}`

/** Where ids are equal, the first entry counts. */
export function readGroups(items: readonly YamlValue[], models: KnownModels): ReadGroups {
  const groups = new Map<string, Group>()
  const shadowed: YamlValue[] = []
  const lines = new Map<string, number>()
  const readNames = listOf((item) => knownModel(item, models), '["*"]', 'write ["*"] for all models')
  for (const item of items) {
    const fields = fieldsOf(item, GROUP_FIELDS, EXAMPLE)
    if (!fields) continue
    const id = fields.required('id', readId)
    const first = id === undefined ? undefined : lines.get(id)
    if (first !== undefined && item.context.isLiteral) {
      shadowed.push(item)
      continue
    }
    const names = fields.required('models', readNames, 'write models: ["*"] for all') ?? []
    const multiplierMillionths = fields.optional('multiplier', readMultiplier, MULTIPLIER_ONE)
    const prices = readPrices(
      fields.get('prices'),
      names.flatMap((name) => models.wildcards.get(name) ?? [name]),
      models,
    )
    const isOffered = fields.optional('console', readBoolean, false)
    const accounts = fields.optional('accounts', readAccounts, undefined)
    if (id === undefined) continue
    if (first !== undefined) addMistake(item, `duplicate group id; the first is on line ${first}`)
    lines.set(id, first ?? lineOf(item))
    item.context.lines.set(`group ${id}`, lineOf(item))
    const offered = { ...(isOffered ? { console: true } : {}), ...(accounts ? { accounts } : {}) }
    const all = names.flatMap((name) => models.wildcards.get(name) ?? [name])
    groups.set(id, { id, models: [...new Set(all)].sort(), multiplierMillionths, ...offered, ...prices })
  }
  return { groups, shadowed }
}

const readAccounts = listOf(readAddress, '[ada@example.com]', 'without it, no account is named')

function readAddress(value: YamlValue): string | undefined {
  const address = readText(value)
  if (address === undefined || /^[^\s@]+@[^\s@]+$/.test(address)) return address?.toLowerCase().normalize('NFC')
  addMistake(value, `${quote(address)} is not an email address such as ada@example.com`)
  return undefined
}

/** The group's own prices, to which its multiplier does not apply. */
function readPrices(value: YamlValue | undefined, names: readonly string[], models: KnownModels) {
  const prices = new Map<string, GroupPrice>()
  for (const [id, field] of value ? entriesOf(value, PRICES_EXAMPLE) : []) {
    const type = models.types.get(id)
    if (type === undefined) {
      addMistake(field, noSuchModel(id, models))
    } else if (!names.includes(ALL_MODELS) && !names.includes(id)) {
      addMistake(field, `the group does not include the model ${quote(id)}; add it to models, or remove its price`)
    } else {
      const price = modalityOf(type).readPrice(field)
      const lack = price ? models.lackedBy(id, price) : undefined
      if (lack !== undefined) addMistake(field, lack)
      if (price) prices.set(id, { type, price, priceVersion: priceVersion(type, price) } as GroupPrice)
    }
  }
  return prices.size > 0 ? { prices } : {}
}

function knownModel(value: YamlValue, models: KnownModels): string | undefined {
  const id = readText(value)
  if (id === undefined || id === ALL_MODELS || models.types.has(id) || models.wildcards.has(id)) return id
  addMistake(value, noSuchModel(id, models))
  return undefined
}

function noSuchModel(id: string, { types, advice }: KnownModels): string {
  const guess = closestMatch(id, types.keys())
  const hint = advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under models')
  return `unknown model ${quote(id)}; ${hint}`
}
