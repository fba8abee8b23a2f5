// A client's Schema (a subset of OpenAPI with types in capitals) as plain JSON Schema.

import { isObject, type Json, wrong } from '../../../../canonical/reading.ts'
import type { JsonSchema } from '../../../../canonical/request.ts'
import { camel } from '../fields.ts'

/** Deeper than any tool's parameters; beyond it a schema is an attempt on the stack. */
const DEEPEST = 100

const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']

export function fromSchema(value: unknown, at: string, depth = 0): JsonSchema {
  if (!isObject(value)) throw wrong(at, `${at} must be an object`)
  if (depth > DEEPEST) throw wrong(at, `${at} is nested too deeply`)
  const schema = camel(value)
  const inner = (one: unknown, name: string): JsonSchema => fromSchema(one, `${at}.${name}`, depth + 1)
  const read: Record<string, unknown> = {}
  for (const [name, held] of Object.entries(schema)) {
    if (held === undefined || held === null) continue
    if (name === 'type') assignType(read, held)
    else if (COUNTS.includes(name)) read[name] = typeof held === 'string' ? Number(held) : held
    else if (name === 'properties' || name === '$defs' || name === 'defs') {
      read[name === 'defs' ? '$defs' : name] = mapOf(held, `${at}.${name}`, (one, key) => inner(one, `${name}.${key}`))
    } else if (name === 'items' || (name === 'additionalProperties' && isObject(held))) read[name] = inner(held, name)
    else if (name === 'anyOf' && Array.isArray(held)) read[name] = held.map((one, n) => inner(one, `${name}[${n}]`))
    else if (name === 'example') read.examples = [held]
    else if (name === 'format' && held === 'enum') continue
    else if (name !== 'nullable' && name !== 'propertyOrdering') read[name] = held
  }
  orderProperties(read, schema.propertyOrdering)
  return schema.nullable === true ? orNull(read) : read
}

function mapOf(value: unknown, at: string, each: (one: unknown, key: string) => unknown): Record<string, unknown> {
  if (!isObject(value)) throw wrong(at, `${at} must be an object`)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, each(one, key)]))
}

function assignType(read: Record<string, unknown>, type: unknown): void {
  if (typeof type !== 'string') read.type = type
  else if (type !== 'TYPE_UNSPECIFIED') read.type = type.toLowerCase()
}

function orderProperties(read: Record<string, unknown>, ordering: unknown): void {
  if (!Array.isArray(ordering) || !isObject(read.properties)) return
  const properties: Json = read.properties
  const first = ordering.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
  const order = new Set<string>([...first, ...Object.keys(properties)])
  read.properties = Object.fromEntries([...order].map((name) => [name, properties[name]]))
}

function orNull(read: Record<string, unknown>): JsonSchema {
  if (Array.isArray(read.anyOf)) return { ...read, anyOf: [...read.anyOf, { type: 'null' }] }
  if (typeof read.type !== 'string' || read.type === 'null') return read
  const { enum: words } = read
  return { ...read, type: [read.type, 'null'], ...(Array.isArray(words) ? { enum: [...words, null] } : {}) }
}
