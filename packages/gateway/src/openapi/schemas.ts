// The schemas of the route tables as an OpenAPI document has them. Those with a name stand once, under components.
import type { TSchema } from 'typebox'
import type { Rule } from '../request/schema/schema.ts'

export type Json = Readonly<Record<string, unknown>>

export type Schemas = {
  /** In its place: itself, or a reference. */
  of(schema: TSchema): Json
  /** A reference. The first schema of a name has it; others get `otherwise`. */
  named(name: string, schema: TSchema, otherwise?: string): Json
  readonly components: Readonly<Record<string, Json>>
}

type Node = Json & {
  '~refine'?: readonly Rule[]
  properties?: Readonly<Record<string, Node>>
  additionalProperties?: boolean | Node
  anyOf?: readonly Node[]
  items?: Node
  enum?: readonly unknown[]
}

export function createSchemas(): Schemas {
  const components: Record<string, Json> = {}
  const names = new Map<TSchema, string>()

  const of = (schema: TSchema): Json => {
    const name = names.get(schema)
    return name === undefined ? copy(schema as unknown as Node) : reference(name)
  }

  function copy(node: Node): Json {
    const { properties, additionalProperties, anyOf, items } = node
    const written: Record<string, unknown> = { ...node }
    if (isWords(node)) written.type = 'string'
    // What only a rule checks is said in its words.
    const [rule] = node['~refine'] ?? []
    if (rule && node.description === undefined) written.description = `Must ${rule.error(undefined)}.`
    if (properties) written.properties = mapped(properties, of)
    if (typeof additionalProperties === 'object') written.additionalProperties = of(additionalProperties)
    if (anyOf) written.anyOf = anyOf.map(of)
    if (items) written.items = of(items)
    return written
  }

  return {
    of,
    named(name, schema, otherwise = name) {
      const known = names.get(schema)
      if (known !== undefined) return reference(known)
      const free = Object.hasOwn(components, name) ? otherwise : name
      if (Object.hasOwn(components, free)) throw new Error(`two schemas have the name ${free}`)
      components[free] = copy(schema as unknown as Node)
      names.set(schema, free)
      return reference(free)
    },
    components,
  }
}

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const isWords = (node: Node): boolean =>
  node.type === undefined && node.enum?.every((value) => typeof value === 'string') === true

export const mapped = <V, W>(values: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

/** `sign-in-link` -> `signInLink`. */
export const camelCase = (text: string): string =>
  text.replace(/[^A-Za-z0-9]+(\w|$)/g, (_, letter: string) => letter.toUpperCase())

export const pascalCase = (text: string): string => camelCase(` ${text}`)
