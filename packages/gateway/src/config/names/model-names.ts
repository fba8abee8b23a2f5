// Names of models besides their ids: aliases, and ids that are retired, with what replaces them.
import type { ModelType } from '../../modalities/index.ts'
import type { ModelNames } from '../../modalities/modality.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { type Fields, itemsOf, quote, scalarText } from '../../yaml/fields.ts'
import { readBoolean, readModelId } from '../../yaml/scalars.ts'

export const NAME_FIELDS = { aliases: true, hidden: true, retires: true, replaced_by: true } as const

const MOST_ALIASES = 100

/** A name that an entry gives, checked once all models are read. */
type Given = { value: YamlValue; name: string; of: string; type: ModelType }
export type GivenNames = { aliases: Given[]; replacements: Given[] }
export const noNames = (): GivenNames => ({ aliases: [], replacements: [] })

export function readNames(fields: Fields, of: string, type: ModelType, given: GivenNames): ModelNames {
  const aliases = readAliases(fields.get('aliases')).map((each) => ({ ...each, of, type }))
  given.aliases.push(...aliases)
  const replacedBy = fields.optional<string | undefined>('replaced_by', readModelId, undefined)
  const value = fields.get('replaced_by')
  if (value && replacedBy !== undefined) given.replacements.push({ value, name: replacedBy, of, type })
  const date = fields.optional<string | undefined>('retires', readDate, undefined)
  const isRetiring = date !== undefined || replacedBy !== undefined
  return {
    ...(aliases.length > 0 ? { aliases: [...new Set(aliases.map(({ name }) => name))] } : {}),
    ...(fields.optional('hidden', readBoolean, false) ? { hidden: true } : {}),
    ...(isRetiring ? { retirement: { at: date === undefined ? 0 : Date.parse(date), date, replacedBy } } : {}),
  }
}

function readAliases(value: YamlValue | undefined): { value: YamlValue; name: string }[] {
  const items = (value && itemsOf(value, '[another-name]')) ?? []
  if (value && items.length > MOST_ALIASES) addMistake(value, `has more than ${MOST_ALIASES} names`)
  return items.slice(0, MOST_ALIASES).flatMap((item) => {
    const name = readModelId(item)
    return name === undefined ? [] : [{ value: item, name }]
  })
}

function readDate(value: YamlValue): string | undefined {
  const text = scalarText(value, 'a date, such as 2026-12-01')
  if (text === undefined) return undefined
  const isDate = /^20\d\d-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)
  if (isDate) return text
  addMistake(value, `${quote(text)} is not a date; write one such as 2026-12-01`)
  return undefined
}

/** Every name leads to one model, and every retired id to one that is not retired for good. */
export function checkNames({ aliases, replacements }: GivenNames, types: ReadonlyMap<string, ModelType>): void {
  const known = new Map<string, string>()
  for (const { value, name, of } of aliases) {
    const first = known.get(name)
    if (name === of) addMistake(value, 'is the id of the model itself; remove it')
    else if (types.has(name)) addMistake(value, `${quote(name)} is the id of a model; an alias needs a name of its own`)
    else if (first !== undefined && first !== of)
      addMistake(value, `${quote(name)} is an alias of model ${first} already`)
    known.set(name, first ?? of)
  }
  const next = new Map(replacements.map(({ of, name }) => [of, name]))
  for (const { value, name, of, type } of replacements) {
    const found = types.get(name)
    const alias = known.get(name)
    const guess = closestMatch(name, types.keys())
    const hint =
      alias !== undefined
        ? `it is an alias: write ${alias}`
        : guess
          ? `did you mean ${guess}?`
          : 'define it under models'
    if (found === undefined) addMistake(value, `unknown model ${quote(name)}; ${hint}`)
    else if (found !== type) addMistake(value, `${quote(name)} is of type ${found}, and ${quote(of)} of type ${type}`)
    else {
      const path = pathFrom(of, next)
      if (path.at(-1) === of) addMistake(value, `leads back to the model: ${path.join(' -> ')}`)
    }
  }
}

/** The models that replace each other, up to the first that comes twice. */
function pathFrom(id: string, next: ReadonlyMap<string, string>): string[] {
  const path = [id]
  for (let at = next.get(id); at !== undefined; at = next.get(at)) {
    path.push(at)
    if (at === id || path.indexOf(at) < path.length - 1) break
  }
  return path
}
