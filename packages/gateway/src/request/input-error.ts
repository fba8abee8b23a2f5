// What is wrong with JSON input, by its TypeBox schema. The first error is reported, and never the value, which may be a secret.
import type { TSchema } from 'typebox'
import Value from 'typebox/value'

/** `field`: such as `limits.rpm` or `models[0]`; empty: the whole input. `known`: the field is unknown, and these are the known ones. */
export type InputError = { field: string; wanted: string } | { field: string; known: readonly string[] }

export function inputError(schema: TSchema, value: unknown): InputError | undefined {
  if (!Value.Check(schema, value)) return firstError(schema, value)
  const field = malformedText(value, '')
  return field === undefined ? undefined : { field, wanted: 'well-formed text' }
}

/** A schema as this file reads it. */
type Node = {
  type?: string
  const?: unknown
  anyOf?: readonly Node[]
  properties?: Readonly<Record<string, Node>>
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

const LONGEST_NAME = 100

function firstError(schema: TSchema, value: unknown): InputError {
  const errors = Value.Errors(schema, value)
  // An unknown field gives two errors; the second one has its name as a parameter.
  const error = errors.find(({ keyword }) => keyword !== 'boolean') ?? errors[0]
  if (!error) throw new Error('a value that does not fit its schema has no error')
  const at = fieldAt(error.instancePath)
  const node = nodeAt(schema as Node, error.schemaPath)
  if (error.keyword === 'additionalProperties') {
    const [name = ''] = error.params.additionalProperties
    return { field: nested(at, name).slice(0, LONGEST_NAME), known: Object.keys(node.properties ?? {}) }
  }
  if (error.keyword !== 'required') return { field: at, wanted: describe(node) }
  const [name = ''] = error.params.requiredProperties
  return { field: nested(at, name), wanted: describe(node.properties?.[name] ?? {}) }
}

const nested = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const fieldAt = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : nested(path, part)), '')

/** A word of a list is described by the list. */
function nodeAt(schema: Node, pointer: string): Node {
  let [node, parent] = [schema, schema]
  for (const part of pointer.split('/').slice(1)) {
    const next: Node | undefined = Reflect.get(node, part)
    if (next === undefined) break
    if (node.anyOf !== undefined) parent = node
    node = next
  }
  return node.const === undefined ? node : parent
}

export function describe({ type, anyOf, minimum, maximum, minLength = 0, maxLength, maxItems }: Node): string {
  const words = anyOf?.flatMap((each) => (each.const === undefined ? [] : [String(each.const)])) ?? []
  if (words.length > 0) return `one of ${words.join(', ')}`
  const [first] = anyOf ?? []
  if (first) return describe(first)
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  if (type === 'string') return maxLength === undefined ? 'text' : `text of ${minLength} to ${maxLength} characters`
  if (type === 'array') return `a list of at most ${maxItems} entries`
  if (type === 'boolean') return 'true or false'
  return type === 'object' ? 'an object' : 'something else'
}

/** Half of a pair of code units cannot be stored. */
function malformedText(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, each] of Object.entries(value)) {
    const found = malformedText(each, Array.isArray(value) ? `${path}[${name}]` : nested(path, name))
    if (found !== undefined) return found
  }
  return undefined
}
