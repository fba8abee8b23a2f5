// The input of an operation from the path, the query and the body of a request. All mistakes are reported at once.
import type { TObject, TSchema } from 'typebox'
import { hasBody, parseJson, readSmallBody } from '../http-api/read-small-body.ts'
import type { ExportFormat } from '../operate/admin-route.ts'
import { REASON } from '../operate/inputs/schemas.ts'
import { mistakesIn, OperationRejected, type Rejection } from '../operate/rejections.ts'
import { fields, NOTHING } from '../request/schema/schema.ts'
import type { AdminDependencies } from './dependencies.ts'
import type { AdminCall } from './routes.ts'

/** Configurations are imported in one body. */
export const LARGEST_ADMIN_BODY = 1024 * 1024

/** `reason`: why, where the operation's own input has no such field. `format`: undefined for a page as JSON. */
export type Input = {
  input: Readonly<Record<string, unknown>>
  reason: string | undefined
  isDryRun: boolean
  format: ExportFormat | undefined
  bytes: Uint8Array
}

/** Each names all fields that are known: a body with many unknown ones must not become a response of many megabytes. */
const MOST_MISTAKES = 50

const NO_BYTES = new Uint8Array()

/** Throws 400, and what a body that cannot be read deserves. */
export async function readInput(call: AdminCall, deps: AdminDependencies): Promise<Input> {
  const { route, parameters, http } = call
  const hasBytes = route.body !== undefined && hasBody(http)
  const bytes = hasBytes ? await readSmallBody(call, deps, LARGEST_ADMIN_BODY) : NO_BYTES
  const written = bytes.length === 0 ? {} : parseJson(bytes)
  const query = queryOf(call.query, route.query)
  const { dry_run: dryRun = false, format = 'json', ...fromQuery } = query.values
  // A body that is no object is reported as such, by the schema.
  const isObject = typeof written === 'object' && written !== null && !Array.isArray(written)
  const fromBody = isObject ? (written as Record<string, unknown>) : {}
  const unknown = isObject ? unknownFields(Object.keys(fromBody), route.body ?? NOTHING) : []
  const known = Object.fromEntries(Object.entries(fromBody).filter(([name]) => isKnown(name, route.body ?? NOTHING)))
  const { input, reason } = apart({ ...known, ...fromQuery, ...parameters }, route.operation.input as TObject)
  const wrong = isObject
    ? [...mistakesIn(route.operation.input, input), ...mistakesIn(GENERAL, { reason })]
    : mistakesIn(route.body ?? NOTHING, written)
  const mistakes = [...query.mistakes, ...unknown, ...wrong].slice(0, MOST_MISTAKES)
  const [first] = mistakes
  if (first) throw new OperationRejected(first, mistakes)
  return {
    input,
    reason: reason as string | undefined,
    isDryRun: dryRun === true,
    format: format === 'json' ? undefined : (format as ExportFormat),
    bytes,
  }
}

const GENERAL = fields({ reason: REASON })

/** What the operation takes, and the reason of the change where that is no part of it. */
function apart(all: Readonly<Record<string, unknown>>, own: TObject) {
  if (isKnown('reason', own)) return { input: all, reason: undefined }
  const { reason, ...input } = all
  return { input, reason }
}

const isKnown = (name: string, { properties }: TObject): boolean => Object.hasOwn(properties, name)

const unknownFields = (names: readonly string[], schema: TObject): Rejection[] =>
  names
    .filter((name) => !isKnown(name, schema))
    .slice(0, MOST_MISTAKES)
    .map((field) => ({
      reason: 'unknown_field',
      details: { field: field.slice(0, 100), known: Object.keys(schema.properties).join(', ') },
    }))

function queryOf(query: URLSearchParams, schema: TObject) {
  const names = [...new Set(query.keys())]
  const mistakes = unknownFields(names, schema)
  const values: Record<string, unknown> = {}
  for (const name of names.filter((each) => isKnown(each, schema))) {
    const [value = '', ...others] = query.getAll(name)
    if (others.length > 0) mistakes.push({ reason: 'malformed', details: { field: name, must: 'be given once' } })
    else values[name] = parameterValue(value, schema.properties[name] ?? {})
  }
  const { dry_run } = values
  if (dry_run !== undefined && typeof dry_run !== 'boolean')
    mistakes.push({ reason: 'malformed', details: { field: 'dry_run', must: 'be true or false' } })
  const { format: formats } = schema.properties
  if (formats) mistakes.push(...mistakesIn(fields({ format: formats }), { format: values.format ?? 'json' }))
  return { values, mistakes }
}

type Node = TSchema & { type?: string; anyOf?: readonly Node[] }

/** Text in another form than the schema's is passed on as it is: the schema says what is wrong with it. */
function parameterValue(text: string, schema: Node): unknown {
  const { type } = schema.anyOf?.find((each) => each.type !== 'null') ?? schema
  if (type === 'integer' || type === 'number') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return type === 'array' ? text.split(',').map((entry) => entry.trim()) : text
}
