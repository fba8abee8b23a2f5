// A deterministic value that fits a JSON schema: for tool arguments and structured answers.
import { sampleNumber, sampleString } from './schema-scalars.ts'

type Schema = { readonly [keyword: string]: unknown }

/** `room` bounds the number of nodes, for schemas that expand exponentially; `index` makes the items of a list differ. */
type Context = { root: unknown; depth: number; index: number; room: { left: number } }

/** Below this depth only required properties are generated, and recursion ends as soon as possible. */
const GENEROUS_DEPTH = 5
const MOST_DEPTH = 100
const MOST_NODES = 2_000
const MOST_ITEMS = 1_000

export function sampleOf(schema: unknown): unknown {
  const value = sample(schema, { root: schema, depth: 0, index: 0, room: { left: MOST_NODES } })
  return value === undefined ? {} : value
}

function sample(schema: unknown, context: Context): unknown {
  if (!isSchema(schema)) return schema === undefined ? undefined : 'sample'
  if (context.depth > MOST_DEPTH || context.room.left < -MOST_NODES) return null
  context.room.left--
  const { root, index } = context
  const target = resolved(schema, root)
  if (target !== schema) return sample(target, deeper(context))
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[index % schema.enum.length]
  const variants = schema.anyOf ?? schema.oneOf
  if (Array.isArray(variants) && variants.length > 0) {
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema
    return sample(merged([rest, pickVariant(variants, context)], root), deeper(context))
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema
    return sample(merged([rest, ...schema.allOf], root), deeper(context))
  }
  return sampleOfType(typeOf(schema), schema, context)
}

function sampleOfType(type: string, schema: Schema, context: Context): unknown {
  if (type === 'object') return sampleObject(schema, context)
  if (type === 'array') return sampleArray(schema, context)
  if (type === 'boolean') return context.index % 2 === 0
  if (type === 'null') return null
  if (type === 'number' || type === 'integer') return sampleNumber(schema, type === 'integer', context.index)
  return sampleString(schema, context.index)
}

function sampleObject(schema: Schema, context: Context): unknown {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const required = new Set(
    Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [],
  )
  const chosen = Object.keys(properties).filter((name) => required.has(name) || generous(context))
  const names = [...new Set([...chosen, ...required])]
  const extra = isSchema(schema.additionalProperties) ? schema.additionalProperties : {}
  const wanted = Math.min(Number(schema.minProperties ?? 0) || 0, MOST_ITEMS)
  for (let number = 1; names.length < wanted; number++) names.push(`property${number}`)
  const inner = deeper(context)
  // fromEntries defines properties one by one: a property called __proto__ stays an ordinary property.
  return Object.fromEntries(
    names.map((name) => [name, sample(Object.hasOwn(properties, name) ? properties[name] : extra, inner)]),
  )
}

function sampleArray(schema: Schema, context: Context): unknown {
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const least = Number(schema.minItems ?? 0) || 0
  const most = Number(schema.maxItems ?? MOST_ITEMS)
  const liked = generous(context) ? Math.max(prefix.length, schema.items === false ? 0 : 1) : 0
  const length = Math.min(Math.max(least, liked), most, MOST_ITEMS)
  return Array.from({ length }, (_, index) =>
    sample(prefix[index] ?? schema.items ?? {}, { ...deeper(context), index }),
  )
}

/** The first alternative; at the depth limit, one that does not recurse. */
function pickVariant(variants: readonly unknown[], context: Context): unknown {
  if (generous(context)) return variants[0]
  const weight = (variant: unknown) => {
    if (!isSchema(variant)) return 1
    if ('$ref' in variant) return 4
    const type = typeOf(variant)
    return type === 'null' ? 0 : type === 'object' ? 3 : type === 'array' ? 2 : 1
  }
  return [...variants].sort((a, b) => weight(a) - weight(b))[0]
}

function typeOf(schema: Schema): string {
  const { type } = schema
  const named = Array.isArray(type) ? (type.find((name) => name !== 'null') ?? 'null') : type
  if (typeof named === 'string') return named.toLowerCase()
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object'
  if ('items' in schema || 'prefixItems' in schema || 'minItems' in schema) return 'array'
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number'
  return 'string'
}

/** Keywords of later schemas win, except that properties and required lists add up. */
function merged(schemas: readonly unknown[], root: unknown): Schema {
  const result: Record<string, unknown> = {}
  for (const candidate of schemas) {
    const schema = resolved(candidate, root)
    if (!isSchema(schema)) continue
    const properties = isSchema(schema.properties)
      ? { ...asSchema(result.properties), ...schema.properties }
      : undefined
    const required = Array.isArray(schema.required) ? [...asList(result.required), ...schema.required] : undefined
    Object.assign(result, schema, properties && { properties }, required && { required })
  }
  return result
}

function resolved(schema: unknown, root: unknown): unknown {
  if (!isSchema(schema) || typeof schema.$ref !== 'string') return schema
  const { $ref, ...siblings } = schema
  let target: unknown = $ref.startsWith('#') ? root : {}
  for (const step of $ref.split('/').slice(1)) {
    const name = unescaped(step)
    target =
      isSchema(target) && Object.hasOwn(target, name) ? target[name] : Array.isArray(target) ? target[Number(name)] : {}
  }
  return isSchema(target) ? { ...target, ...siblings } : {}
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

const deeper = (context: Context): Context => ({ ...context, depth: context.depth + 1 })
const generous = (context: Context) => context.depth < GENEROUS_DEPTH && context.room.left > 0
const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {})
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
