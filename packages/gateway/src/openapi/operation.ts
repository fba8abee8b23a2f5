// What every operation of the document consists of, whatever table it comes from.
import { parametersOf } from '@trivium/protocol/routes.ts'
import type { TObject, TSchema } from 'typebox'
import type { Json, Schemas } from './schemas.ts'

export type DescribedOperation = { method: string; path: string; operation: Json }

/** A header of requests or responses, by its key in the document's components. */
export const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` })
export const parameter = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

/** Every response has its request id. */
export const responseHeaders = (...names: readonly string[]): Json =>
  Object.fromEntries(['x-request-id', ...names].map((name) => [name, header(name)]))

export const jsonContent = (schema: Json, example?: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

export function pathParameters(path: string, { properties }: TObject, schemas: Schemas): Json[] {
  return parametersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas.of(properties[name] as TSchema),
    ...(path.includes(`{${name}...}`) ? REST : {}),
  }))
}

/** Tools that percent-encode slashes in it cannot call such a path. */
const REST: Json = { description: 'All that remains of the path, with its slashes.', 'x-slashes': true }

const exampleOf = (schema: Json, written: string): unknown => {
  if (isList(schema)) return written.split(',')
  return schema.type === 'integer' || schema.type === 'number' ? Number(written) : written
}

/** `example`: a query such as `group_by=account,day`. */
export function queryParameters(query: TObject, schemas: Schemas, example = ''): Json[] {
  const examples = new URLSearchParams(example)
  return Object.entries(query.properties).map(([name, property]) => {
    const { description, ...schema } = schemas.of(property as TSchema)
    const isRequired = query.required?.includes(name) === true
    const written = examples.get(name)
    return {
      name,
      in: 'query',
      ...(isRequired ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(isList(schema) ? { style: 'form', explode: false } : {}),
      ...(written === null ? {} : { example: exampleOf(schema, written) }),
    }
  })
}

const isList = ({ type, anyOf }: Json): boolean =>
  type === 'array' || (Array.isArray(anyOf) && anyOf.some((each: Json) => each.type === 'array'))
