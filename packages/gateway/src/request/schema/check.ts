// What is wrong with JSON, by its schema. The value is never reported: it may be a secret.
import type { TSchema } from 'typebox'
import type { Rule } from './schema.ts'

/**
 * `field`: such as `limits.rpm` or `models[0]`; empty: the whole input. `must`: how its sentence goes on. `isNullable`: null would do, too.
 * `known`: the field is unknown, and these are the known ones.
 */
export type InputError =
  | { field: string; must: string; isNullable: boolean }
  | { field: string; known: readonly string[] }

export const fits = (schema: TSchema, value: unknown): boolean => inputError(schema, value) === undefined

export const inputError = (schema: TSchema, value: unknown): InputError | undefined => inputErrors(schema, value)[0]

/** All of them, up to a number that a person would read. */
export const inputErrors = (schema: TSchema, value: unknown): readonly InputError[] =>
  errorsAt('', schema, value).slice(0, MOST_ERRORS)

/** What the schemas of schema.ts consist of. */
type Node = {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Node[]
  properties?: Readonly<Record<string, Node>>
  required?: readonly string[]
  items?: Node
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  '~refine'?: readonly Rule[]
}

const LONGEST_NAME = 100
const MOST_ERRORS = 50

function errorsAt(field: string, schema: Node, value: unknown): readonly InputError[] {
  const { anyOf, properties, items } = schema
  if (anyOf) return errorsInUnion(field, anyOf, value)
  const wrong = (must: string): readonly InputError[] => [{ field, must, isNullable: false }]
  if (!hasType(schema, value)) return wrong(demandOf(schema, field))
  // PostgreSQL stores no text with a NUL.
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'))) return wrong('be well-formed text')
  if (properties) return errorsInObject(field, properties, schema.required ?? [], value as object)
  if (items) {
    const errors = (value as unknown[]).flatMap((each, index) => errorsAt(`${field}[${index}]`, items, each))
    if (errors.length > 0) return errors
  }
  const broken = schema['~refine']?.find(({ check }) => !check(value))
  return broken ? wrong(broken.error(value)) : []
}

/** The errors of the first schema that is not null: null is only an alternative. */
function errorsInUnion(field: string, anyOf: readonly Node[], value: unknown): readonly InputError[] {
  const present = anyOf.filter(({ type }) => type !== 'null')
  const isNullable = present.length < anyOf.length
  if (isNullable && value === null) return []
  const errors = present.map((each) => errorsAt(field, each, value))
  const [first = []] = errors
  if (errors.some(({ length }) => length === 0)) return []
  return first.map((error) => ('must' in error && error.field === field ? { ...error, isNullable } : error))
}

function errorsInObject(
  field: string,
  properties: Readonly<Record<string, Node>>,
  required: readonly string[],
  value: object,
): readonly InputError[] {
  const nested = (name: string): string => (field === '' ? name : `${field}.${name}`)
  const known = Object.keys(properties)
  const unknown = Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => ({ field: nested(name).slice(0, LONGEST_NAME), known }))
  const wrong = Object.entries(properties).flatMap(([name, schema]) => {
    const written: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
    return written === undefined && !required.includes(name) ? [] : errorsAt(nested(name), schema, written)
  })
  return [...unknown.slice(0, MOST_ERRORS), ...wrong]
}

function hasType(schema: Node, value: unknown): boolean {
  if (schema.const !== undefined) return value === schema.const
  if (schema.enum) return schema.enum.includes(value)
  switch (schema.type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value) && value.length <= (schema.maxItems ?? Number.POSITIVE_INFINITY)
    case 'string':
      return typeof value === 'string' && isWithin(value.length, schema.minLength, schema.maxLength)
    case 'integer':
      return Number.isInteger(value) && isWithin(value as number, schema.minimum, schema.maximum)
    case undefined:
      return true
    default:
      return typeof value === schema.type
  }
}

const isWithin = (number: number, least = 0, most = Number.POSITIVE_INFINITY): boolean =>
  number >= least && number <= most

/** What a value of another type is told. */
function demandOf(schema: Node, field: string): string {
  const [rule] = schema['~refine'] ?? []
  if (rule) return rule.error(undefined)
  if (schema.enum) return `be one of ${schema.enum.join(', ')}`
  switch (schema.type) {
    case 'object':
      return field === ''
        ? `be a JSON object with ${Object.keys(schema.properties ?? {}).join(', ') || 'no fields'}`
        : 'be an object'
    case 'array':
      return `be a list of at most ${schema.maxItems} entries`
    case 'string':
      return schema.maxLength === undefined
        ? 'be text'
        : `be text of ${schema.minLength} to ${schema.maxLength} characters`
    case 'integer':
      return `be a whole number from ${schema.minimum} to ${schema.maximum}`
    default:
      return 'be true or false'
  }
}
