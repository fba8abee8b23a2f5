// An OpenAPI document as tests read it: nothing but the document is known.
import { Value } from 'typebox/value'

export type Node = Readonly<Record<string, unknown>>
export type Content = Readonly<Record<string, { schema: Node; example?: unknown; encoding?: Node }>>
export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Node
  example?: unknown
  'x-slashes'?: true
}
export type Response = { description: string; headers?: Record<string, Node>; content?: Content }
export type Operation = {
  method: string
  path: string
  operationId: string
  tags: string[]
  summary: string
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
}

/** Follows a reference, which must lead somewhere. */
export function resolve<T>(document: Node, value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const [root, ...names] = String(value.$ref).split('/')
  const found = names.reduce<unknown>((within, name) => (within as Node | undefined)?.[name], document)
  if (root !== '#' || found === undefined) throw new Error(`${value.$ref} leads nowhere`)
  return found as T
}

/** Everything with what its references lead to. */
export function inlined<T>(document: Node, value: T): T {
  if (Array.isArray(value)) return value.map((each) => inlined(document, each)) as T
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return inlined(document, resolve(document, value as { $ref: string })) as T
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inlined(document, each)])) as T
}

export const operationsOf = (document: Node): Operation[] =>
  Object.entries(document.paths as Record<string, Record<string, Node>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        ({ method: method.toUpperCase(), path, ...inlined(document, operation) }) as unknown as Operation,
    ),
  )

/** What is wrong with a value, by a schema without references. */
export const errorsIn = (schema: Node, value: unknown): string[] =>
  Value.Check(schema, value)
    ? []
    : [...Value.Errors(schema, value)].map((each) => `${each.instancePath || '/'} ${each.message}`)
