// Section `groups`: which models a key may use, and at which multiple of the price.
import { addMistake, lineOf, type Value } from './document.ts'
import { nearest } from './nearest.ts'
import { readId, readMultiplier, readText } from './scalars.ts'
import type { Group } from './types.ts'
import { fieldsOf, itemsOf, listOf, quote } from './value.ts'

export const ALL_MODELS = '*'
export const MULTIPLIER_ONE = 1_000_000n

const GROUP_FIELDS = { id: true, models: true, multiplier: true } as const
const EXAMPLE = '{ id: default, models: ["*"], multiplier: 1 }'

/** Which models a group may name, and what to say about others. */
export type KnownModels = { ids: ReadonlySet<string>; advice(id: string): string | undefined }

export function readGroups(value: Value | undefined, models: KnownModels): Map<string, Group> {
  const groups = new Map<string, Group>()
  const lines = new Map<string, number>()
  const readNames = listOf((item) => knownModel(item, models), '["*"]', 'write ["*"] for all models')
  for (const item of (value && itemsOf(value, `- ${EXAMPLE}`)) ?? []) {
    const fields = fieldsOf(item, GROUP_FIELDS, EXAMPLE)
    if (!fields) continue
    const id = fields.required('id', readId)
    const names = fields.required('models', readNames, 'write models: ["*"] for all') ?? []
    const multiplierMillionths = fields.optional('multiplier', readMultiplier, MULTIPLIER_ONE)
    if (id === undefined) continue
    const first = lines.get(id)
    if (first !== undefined) addMistake(item, `a second group with this id; the first is on line ${first}`)
    lines.set(id, first ?? lineOf(item))
    groups.set(id, { id, models: [...new Set(names)].sort(), multiplierMillionths })
  }
  return groups
}

function knownModel(value: Value, { ids, advice }: KnownModels): string | undefined {
  const id = readText(value)
  if (id === undefined || id === ALL_MODELS || ids.has(id)) return id
  const guess = nearest(id, ids)
  const hint = advice(id) ?? (guess ? `did you mean ${guess}?` : 'define it under models')
  addMistake(value, `there is no model ${quote(id)}; ${hint}`)
  return undefined
}
