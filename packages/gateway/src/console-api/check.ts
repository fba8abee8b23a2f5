// Checks what a route of the console API takes against its schema. Unknown fields are rejected by their name, the first error wins, and
// no message repeats a value, which may be a secret.
import type { Static, TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { badRequest, ConsoleRejection } from './rejection.ts'

/** Returns the value if it fits the schema, or throws a ConsoleRejection. Compiled at its first use. */
export function checkerOf<S extends TObject>(schema: S): (value: unknown) => Static<S> {
  let compiled: ReturnType<typeof Compile<S>> | undefined
  return (value) => {
    compiled ??= Compile(schema)
    if (compiled.Check(value)) return value as Static<S>
    throw mistakeIn(value, schema, '')
  }
}

/** The parameters that the schema lists; others are ignored. */
export function queryCheckerOf<S extends TObject>(schema: S): (query: URLSearchParams) => Static<S> {
  const check = checkerOf(schema)
  const names = Object.keys(schema.properties)
  return (query) => check(Object.fromEntries([...query].filter(([name]) => names.includes(name)).toReversed()))
}

/** What the walk over a schema looks at. */
type Node = TSchema & {
  properties?: Record<string, Node>
  required?: readonly string[]
  anyOf?: readonly Node[]
  items?: Node
  maxItems?: number
  enum?: readonly string[]
  type?: string
  minimum?: number
  maximum?: number
  '~refine'?: readonly { check(value: unknown): boolean; error(value: unknown): string }[]
}

/** The first mistake in a value that does not fit. `name`: of the field; empty for the body. */
function mistakeIn(value: unknown, schema: Node, name: string): ConsoleRejection {
  const { properties, anyOf, items, maxItems = 0 } = schema
  if (properties) return mistakeInObject(value, properties, schema.required ?? [], name)
  const present = anyOf?.find(({ type }) => type !== 'null')
  if (present) return mistakeIn(value, present, name)
  if (items && Array.isArray(value) && value.length <= maxItems) {
    const index = value.findIndex((each) => !Value.Check(items, each))
    return mistakeIn(value[index], items, `${name}[${index}]`)
  }
  return badRequest(name, `${name} ${ruleOf(value, schema)}`)
}

function mistakeInObject(
  value: unknown,
  properties: Record<string, Node>,
  required: readonly string[],
  name: string,
): ConsoleRejection {
  const names = Object.keys(properties)
  const path = (field: string) => (name === '' ? field : `${name}.${field}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const listed = names.length === 0 ? '' : ` with ${names.join(', ')}`
    return name === ''
      ? new ConsoleRejection({ code: 'bad_request', message: `The body must be a JSON object${listed}.` })
      : badRequest(name, `${name} must be an object.`)
  }
  const unknown = Object.keys(value).find((field) => !names.includes(field))
  if (unknown !== undefined) {
    const shown = path(unknown).slice(0, 100)
    return badRequest(shown, `Unknown field '${shown}'. The request takes ${names.join(', ') || 'no fields'}.`)
  }
  const written = (field: string): unknown => (Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined)
  for (const [field, schema] of Object.entries(properties)) {
    const isAbsent = written(field) === undefined && !required.includes(field)
    if (!isAbsent && !Value.Check(schema, written(field))) return mistakeIn(written(field), schema, path(field))
  }
  throw new Error(`no field of ${names.join(', ')} is wrong`)
}

/** The end of a sentence that begins with the field's name. */
function ruleOf(value: unknown, schema: Node): string {
  const rules = schema['~refine']
  if (rules) {
    const broken = typeof value === 'string' ? rules.find(({ check }) => !check(value)) : undefined
    return (broken ?? rules[0])?.error(value) ?? ''
  }
  if (schema.enum) return `must be one of ${schema.enum.join(', ')}.`
  if (schema.items) return `must be a list of at most ${schema.maxItems} entries.`
  if (schema.type === 'integer') return `must be a whole number from ${schema.minimum} to ${schema.maximum}.`
  if (schema.type === 'boolean') return 'must be true or false.'
  return 'has a wrong value.'
}
