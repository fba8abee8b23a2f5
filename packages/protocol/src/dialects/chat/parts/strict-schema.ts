// Whether a schema already is what this dialect's strict mode demands: then it may be asked for, and the answer has the
// same keys either way. A schema that is not is never bent to fit: the caller would get keys that it did not describe.

import { isObject } from '../../../canonical/reading.ts'
import type { JsonSchema } from '../../../canonical/request.ts'

const REFUSED = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'prefixItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'default',
]

/** Deeper than any vendor allows; a schema that goes on is not worth following. */
const DEEPEST = 12

export function fitsStrict(schema: JsonSchema): boolean {
  return schema.type === 'object' && schema.anyOf === undefined && fits(schema, 0)
}

function fits(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > DEEPEST) return false
  if (REFUSED.some((keyword) => keyword in schema)) return false
  const isOfObjects = schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'))
  if (isOfObjects && !isClosed(schema)) return false
  const within = [schema.properties, schema.$defs, schema.definitions].flatMap((group) =>
    isObject(group) ? Object.values(group) : [],
  )
  if (Array.isArray(schema.anyOf)) within.push(...schema.anyOf)
  if (schema.items !== undefined) within.push(schema.items)
  return within.every((inner) => fits(inner, depth + 1))
}

/** No other keys than those described, and all of those always there. */
function isClosed(schema: JsonSchema): boolean {
  if (schema.additionalProperties !== false) return false
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  return names.every((name) => required.includes(name))
}
