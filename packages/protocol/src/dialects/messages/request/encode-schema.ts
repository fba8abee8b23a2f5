// JSON schemas for structured output. This dialect takes a part of the language; what it would reject is told to the
// model in words instead, in the description of the place where it stood.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { JsonSchema } from '../../../canonical/request.ts'

const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

const AS_IT_IS = new Set(['type', 'required', 'enum', 'const', '$ref', 'title', 'description'])
const SCHEMAS_BY_NAME = new Set(['properties', '$defs', 'definitions'])
/** Says nothing about values, or is said anew by us. */
const UNSPOKEN = new Set(['$schema', '$id', '$comment', 'additionalProperties'])

export function narrowedSchema(schema: JsonSchema): Record<string, unknown> {
  const narrowed: Record<string, unknown> = {}
  const leftOver: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (AS_IT_IS.has(keyword)) narrowed[keyword] = value
    else if (SCHEMAS_BY_NAME.has(keyword) && isObject(value)) narrowed[keyword] = eachNarrowed(value)
    else if (keyword === 'items' && isObject(value)) narrowed.items = narrowedSchema(value)
    else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) narrowed.anyOf = allNarrowed(value)
    else if (keyword === 'allOf' && Array.isArray(value)) narrowed.allOf = allNarrowed(value)
    else if (keyword === 'format' && typeof value === 'string' && FORMATS.has(value)) narrowed.format = value
    else if (keyword === 'minItems' && (value === 0 || value === 1)) narrowed.minItems = value
    else if (!UNSPOKEN.has(keyword)) leftOver[keyword] = value
  }
  if (isObjectSchema(narrowed)) narrowed.additionalProperties = false
  if (Object.keys(leftOver).length === 0) return narrowed
  const said =
    typeof narrowed.description === 'string' && narrowed.description !== '' ? `${narrowed.description}\n\n` : ''
  return { ...narrowed, description: `${said}${JSON.stringify(leftOver)}` }
}

const eachNarrowed = (schemas: Json): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? narrowedSchema(schema) : schema]),
  )

const allNarrowed = (schemas: readonly unknown[]): unknown[] =>
  schemas.map((schema) => (isObject(schema) ? narrowedSchema(schema) : schema))

function isObjectSchema({ type, properties }: Record<string, unknown>): boolean {
  return (
    type === 'object' ||
    (Array.isArray(type) && type.includes('object')) ||
    (type === undefined && isObject(properties))
  )
}
