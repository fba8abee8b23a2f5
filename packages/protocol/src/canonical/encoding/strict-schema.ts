// The schemas that the strict mode of chat and responses takes: objects that are closed and whose properties are all required.

import { isObject } from '../reading.ts'
import type { JsonSchema } from '../request.ts'

const UNSUPPORTED = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'oneOf',
  'patternProperties',
  'prefixItems',
  'uniqueItems',
  'contains',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'default',
]

/** No handwritten schema nests this deep; the limit prevents a stack overflow. */
const MAX_DEPTH = 100

/** The schema, closed where it was left open; undefined when strict mode would change what it allows. */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  const isObjectSchema = schema.type === 'object' && schema.anyOf === undefined
  return isObjectSchema ? closed(schema, 0) : undefined
}

function closed(schema: unknown, depth: number): JsonSchema | undefined {
  if (!isObject(schema) || depth > MAX_DEPTH) return undefined
  if (UNSUPPORTED.some((keyword) => schema[keyword] !== undefined)) return undefined
  const changed: Record<string, unknown> = { ...schema }
  if (schema.type === 'object' || schema.properties !== undefined) {
    if (!isClosed(schema)) return undefined
    changed.additionalProperties = false
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    if (schema[keyword] === undefined) continue
    const inner = closedMembers(schema[keyword], depth)
    if (inner === undefined) return undefined
    changed[keyword] = inner
  }
  if (schema.items !== undefined) changed.items = closed(schema.items, depth + 1)
  if (Array.isArray(schema.anyOf)) {
    const branches = schema.anyOf.map((branch) => closed(branch, depth + 1))
    if (branches.includes(undefined)) return undefined
    changed.anyOf = branches
  }
  return schema.items !== undefined && changed.items === undefined ? undefined : changed
}

/** All properties required, and none besides them allowed or spoken of. */
function isClosed({ properties, required, additionalProperties }: JsonSchema): boolean {
  if (additionalProperties !== undefined && additionalProperties !== false) return false
  const names = isObject(properties) ? Object.keys(properties) : []
  // An object without properties takes anything, unless it says otherwise.
  if (names.length === 0) return additionalProperties === false
  return Array.isArray(required) && names.every((name) => required.includes(name))
}

function closedMembers(members: unknown, depth: number): JsonSchema | undefined {
  if (!isObject(members)) return undefined
  const entries = Object.entries(members).map(([name, inner]) => [name, closed(inner, depth + 1)] as const)
  return entries.some(([, inner]) => inner === undefined) ? undefined : Object.fromEntries(entries)
}
