// JSON Schema as callers write it -> the part of JSON Schema that the vendor takes. Whatever it does not know it
// rejects, so nothing else may be left in: see ANNOTATIONS for what means nothing, the rest is reported as lost.

import { isObject, type Json } from '../../../../canonical/reading.ts'
import type { JsonSchema } from '../../../../canonical/request.ts'

const KEPT = new Set([
  '$id',
  '$anchor',
  'title',
  'description',
  'format',
  'enum',
  'required',
  'propertyOrdering',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
])

/** These do not limit what a value may be. */
const ANNOTATIONS = new Set([
  '$schema',
  '$comment',
  '$vocabulary',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'strict',
  'cache_control',
  'contentMediaType',
  'contentEncoding',
  'nullable',
])

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** Deeper than any real schema: what is below is left open. */
const DEEPEST = 64

/** References that are followed can grow a small schema without end: so many pieces, and no more. */
export const MOST_PIECES = 20_000

type Writing = { root: Json; lost(): void; pieces: number }

/** `lost` is called when something that limits values could not be said. */
export function vendorSchema(schema: JsonSchema, lost: () => void): Record<string, unknown> {
  return written(schema, { root: schema, lost, pieces: 0 }, 0)
}

/** The same for the parameters of a function, which are always an object. */
export function parametersSchema(schema: JsonSchema, lost: () => void): Record<string, unknown> {
  const parameters = vendorSchema(schema, lost)
  const isOpen = ['type', 'anyOf', '$ref'].every((keyword) => parameters[keyword] === undefined)
  return isOpen ? { type: 'object', ...parameters } : parameters
}

function written(value: unknown, writing: Writing, depth: number): Record<string, unknown> {
  if (typeof value === 'string' && TYPES.has(value)) return { type: value }
  if (!isObject(value)) {
    if (value !== true && value !== undefined) writing.lost()
    return {}
  }
  if (depth > DEEPEST || ++writing.pieces > MOST_PIECES) {
    writing.lost()
    return {}
  }
  const schema = Array.isArray(value.allOf) ? merged(value, value.allOf, writing, depth) : value
  const inner = (one: unknown): Record<string, unknown> => written(one, writing, depth + 1)
  if (typeof schema.$ref === 'string') return referring(schema, inner)

  const out: Record<string, unknown> = {}
  for (const [keyword, held] of Object.entries(schema)) {
    if (KEPT.has(keyword)) out[keyword] = held
    else if (keyword === 'type') {
      if (typeof held === 'string') out.type = held.toLowerCase()
    } else if (keyword === 'const') out.enum = [held]
    else if (keyword === 'properties' && isObject(held)) out.properties = mapped(held, inner)
    else if ((keyword === '$defs' || keyword === 'definitions') && isObject(held)) out.$defs = mapped(held, inner)
    else if (keyword === 'items' && Array.isArray(held)) out.prefixItems = held.map(inner)
    else if (keyword === 'items') out.items = inner(held)
    else if (keyword === 'prefixItems' && Array.isArray(held)) out.prefixItems = held.map(inner)
    else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(held) && out.anyOf === undefined)
      out.anyOf = held.map(inner)
    else if (keyword === 'additionalProperties')
      out.additionalProperties = typeof held === 'boolean' ? held : inner(held)
    else if (keyword === 'exclusiveMinimum' || keyword === 'exclusiveMaximum') assignBound(out, schema, keyword, held)
    else if (!ANNOTATIONS.has(keyword)) writing.lost()
  }
  return schema.nullable === true || Array.isArray(schema.type) ? oneOfTypes(out, schema) : out
}

const mapped = (held: Json, inner: (one: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(held).map(([name, one]) => [name, inner(one)]))

/** Beside a reference the vendor takes nothing. Only at the root its definitions have to stay. */
function referring(schema: Json, inner: (one: unknown) => unknown): Record<string, unknown> {
  const $ref = String(schema.$ref).replace('#/definitions/', '#/$defs/')
  const definitions = schema.$defs ?? schema.definitions
  return isObject(definitions) ? { $ref, $defs: mapped(definitions, inner) } : { $ref }
}

function assignBound(out: Record<string, unknown>, schema: Json, keyword: string, held: unknown): void {
  if (typeof held !== 'number') return
  const step = schema.type === 'integer' ? 1 : 0
  if (keyword === 'exclusiveMinimum') out.minimum ??= held + step
  else out.maximum ??= held - step
}

/** `["string","null"]` -> any of the two: a list of types is rejected by older models. */
function oneOfTypes(out: Record<string, unknown>, schema: Json): Record<string, unknown> {
  const listed = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => typeof type === 'string')
  const types = new Set(listed.map((type) => type.toLowerCase()))
  if (schema.nullable === true) types.add('null')
  const { title, description, enum: words, $defs, type: _, ...limits } = out
  const said = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...($defs === undefined ? {} : { $defs }),
  }
  if (out.anyOf !== undefined) {
    const anyOf = Array.isArray(out.anyOf) ? out.anyOf : []
    return types.has('null') && !anyOf.some((one) => isObject(one) && one.type === 'null')
      ? { ...out, anyOf: [...anyOf, { type: 'null' }] }
      : out
  }
  if (types.size <= 1) return { ...out, ...(types.size === 1 ? { type: [...types][0] } : {}) }
  const allowed = Array.isArray(words) ? words.filter((word) => word !== null) : undefined
  const anyOf = [...types].map((type) =>
    type === 'null' ? { type } : { type, ...limits, ...(allowed === undefined ? {} : { enum: allowed }) },
  )
  return { ...said, anyOf }
}

/** All of several schemas as one: their properties together. References are followed, once each. */
function merged(schema: Json, all: readonly unknown[], writing: Writing, depth: number): Json {
  const { allOf: _, ...own } = schema
  const first = all[0]
  if (all.length === 1 && isObject(first) && typeof first.$ref === 'string' && !('properties' in own)) {
    return { ...own, ...first }
  }
  let together: Record<string, unknown> = { ...own }
  for (const one of all) {
    const part = isObject(one) ? resolved(one, writing.root) : undefined
    if (part === undefined || depth > DEEPEST || ++writing.pieces > MOST_PIECES) {
      writing.lost()
      continue
    }
    const flat = Array.isArray(part.allOf) ? merged(part, part.allOf, writing, depth + 1) : part
    together = joined(together, flat)
  }
  return together
}

function joined(left: Json, right: Json): Record<string, unknown> {
  const both = { ...right, ...left }
  if (isObject(left.properties) && isObject(right.properties)) {
    both.properties = { ...left.properties, ...right.properties }
  }
  if (Array.isArray(left.required) && Array.isArray(right.required)) {
    both.required = [...new Set([...left.required, ...right.required])]
  }
  return both
}

function resolved(schema: Json, root: Json): Json | undefined {
  if (typeof schema.$ref !== 'string') return schema
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(schema.$ref) ?? []
  const definitions = place === undefined ? undefined : root[place]
  const found = isObject(definitions) && name !== undefined ? definitions[name] : undefined
  return isObject(found) && typeof found.$ref !== 'string' ? found : undefined
}
