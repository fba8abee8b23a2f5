// For models that know no JSON Schema: the vendor's own Schema, with types in capitals and without references.

import { isObject, type Json, unsupported } from '../../../../canonical/reading.ts'
import { MOST_PIECES } from './encode-schema.ts'

/** Takes what `vendorSchema` gives. Throws RequestError for a schema that holds itself. `lost`: see there. */
export function ownSchema(schema: Json, lost: () => void): Record<string, unknown> {
  return written(schema, { root: schema, lost, within: [], count: { pieces: 0 } })
}

type Writing = { root: Json; lost(): void; within: readonly string[]; count: { pieces: number } }

function written(schema: Json, writing: Writing): Record<string, unknown> {
  if (++writing.count.pieces > MOST_PIECES) throw unsupported(undefined, 'A schema is too large for this model.')
  if (typeof schema.$ref === 'string') return followed(schema.$ref, writing)
  const inner = (one: unknown): Record<string, unknown> => (isObject(one) ? written(one, writing) : {})
  const out: Record<string, unknown> = {}
  for (const [keyword, held] of Object.entries(schema)) {
    if (keyword === 'type') out.type = String(held).toUpperCase()
    else if (keyword === 'properties' && isObject(held))
      out.properties = Object.fromEntries(Object.entries(held).map(([name, one]) => [name, inner(one)]))
    else if (keyword === 'items') out.items = inner(held)
    else if (keyword === 'anyOf' && Array.isArray(held)) Object.assign(out, alternatives(held, inner))
    else if (keyword === 'enum' && Array.isArray(held)) Object.assign(out, words(held))
    else if (SAME.has(keyword)) out[keyword] = held
    else if (!WITHOUT_LOSS.has(keyword)) writing.lost()
  }
  return out
}

const SAME = new Set([
  'title',
  'description',
  'format',
  'required',
  'propertyOrdering',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
])

/** Definitions stand where they were referred to; more properties than named are not forbidden by any model's habit. */
const WITHOUT_LOSS = new Set(['$defs', '$id', '$anchor', 'additionalProperties'])

/** Null is no type of its own here but a mark on the others. */
function alternatives(given: readonly unknown[], inner: (one: unknown) => Record<string, unknown>): object {
  const others = given.filter((one) => !(isObject(one) && one.type === 'null'))
  const mark = others.length < given.length ? { nullable: true } : {}
  const only = others.length === 1 ? others[0] : undefined
  return only === undefined ? { anyOf: others.map(inner), ...mark } : { ...inner(only), ...mark }
}

/** Only words can be listed. */
const words = (given: readonly unknown[]): object => ({
  type: 'STRING',
  format: 'enum',
  enum: given.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))),
})

function followed(reference: string, writing: Writing): Record<string, unknown> {
  const name = reference.replace('#/$defs/', '')
  if (writing.within.includes(name)) {
    throw unsupported(undefined, `The schema '${name}' refers to itself, which this model does not understand.`)
  }
  const definitions = writing.root.$defs
  const found = isObject(definitions) ? definitions[name] : undefined
  if (!isObject(found)) {
    writing.lost()
    return {}
  }
  return written(found, { ...writing, within: [...writing.within, name] })
}
