// Every route of the admin API, from the operations: what it takes, and what is sent of a result.
import { parametersOf } from '@trivium/protocol/routes.ts'
import type { TObject } from 'typebox'
import type { RoutedCall } from '../http-api/dispatch.ts'
import { pickerOf } from '../http-api/pick-output.ts'
import { type ApiRoute, apiRoute, byPath } from '../http-api/route.ts'
import type { AdminRoute, ExportFormat } from '../operate/admin-route.ts'
import { OPERATIONS } from '../operate/index.ts'
import { REASON } from '../operate/inputs/schemas.ts'
import type { Operation } from '../operate/operation.ts'
import type { Permission } from '../operate/permissions.ts'
import { TRAFFIC_FIELDS } from '../operate/resources/resource.ts'
import {
  boolean,
  either,
  fields,
  listOf,
  mapOf,
  nullable,
  number,
  optional,
  string,
  unknown,
  word,
} from '../request/schema/schema.ts'

/** What the path, the query and the body take is together the operation's input, and what every change takes. */
export type ServedRoute = Omit<ApiRoute<Permission>, 'body' | 'output'> & {
  body: TObject | undefined
  output: TObject
  operation: Operation
  /** As the operation declares it. */
  declared: AdminRoute
  /** The result as it is sent. `isBackward`: of a list: the page before was asked for. */
  render(result: unknown, isBackward: boolean): Rendered
  /** The route that shows the resource which this one changes; undefined: it creates one, or belongs to none. */
  shownBy: ServedRoute | undefined
}
export type AdminCall = RoutedCall<ServedRoute>
export type Rendered = Readonly<Record<string, unknown>>

/** What a change returns with `?dry_run=true`. */
export const DRY_RUN = fields({
  object: word('dry_run'),
  action: string(),
  target: nullable(string()),
  before: unknown(),
  after: unknown(),
  effects: mapOf(either(number(), string())),
})

/** The formats in which a route returns its list as a file. */
export const formatsOf = (route: AdminRoute): ExportFormat[] =>
  (['csv', 'jsonl'] as const).filter((each) => route[each])

const FORMAT =
  'Other than json: the whole list as a file, at most 100,000 rows: csv as text/csv, jsonl as application/jsonl.'

const formatParameter = (route: AdminRoute) => {
  const formats = formatsOf(route)
  return formats.length === 0 ? {} : { format: optional({ ...word('json', ...formats), description: FORMAT }) }
}

const DRY_RUN_PARAMETER = { dry_run: optional(boolean('Nothing is written: the response says what would change.')) }

export function adminRoutes(): ServedRoute[] {
  const routes = byPath([...OPERATIONS.values()].flatMap((each) => (each.route ? [served(each, each.route)] : [])))
  for (const route of routes) route.shownBy = shownBy(route, routes)
  return routes
}

function served(operation: Operation, declared: AdminRoute): ServedRoute {
  const { at: name, summary, status = 200, list, output, resource, example } = declared
  const [method = '', path = ''] = name.split(' ')
  const { properties } = operation.input as TObject
  const inPath = parametersOf(path)
  const some = (isWanted: (field: string) => boolean) =>
    fields(Object.fromEntries(Object.entries(properties).filter(([field]) => isWanted(field))))
  const hasBody = method === 'POST' || method === 'PATCH'
  // An operation may describe a reason of its own.
  const general = method === 'GET' ? {} : { reason: REASON }
  const rest = { ...general, ...some((field) => !inPath.includes(field)).properties }
  const query = hasBody ? {} : rest
  const entry = entryOf(output, resource)
  const route = apiRoute({
    name,
    policy: operation.permission,
    summary,
    status,
    parameters: some((field) => inPath.includes(field)),
    query: fields({ ...query, ...(method === 'GET' ? formatParameter(declared) : DRY_RUN_PARAMETER) }),
    example,
  })
  return {
    ...route,
    body: hasBody ? fields(rest) : undefined,
    output: list ? listSchema(output) : output,
    operation,
    declared,
    render: (result, isBackward) => (list ? page(result as Page, entry, isBackward) : entry(result)),
    shownBy: undefined,
  }
}

const listSchema = (entry: TObject): TObject =>
  fields({
    object: word('list'),
    data: listOf(entry),
    has_more: boolean(),
    first_id: nullable(string('The cursor `before` of the page before.')),
    last_id: nullable(string('The cursor `after` of the next page.')),
  })

/** A change of `keys/{key}`, or below it, is one of what `GET keys/{key}` shows. */
function shownBy({ method, path, declared }: ServedRoute, routes: readonly ServedRoute[]): ServedRoute | undefined {
  if (method === 'GET' || declared.changesPerson) return undefined
  const segments = path.split('/')
  for (let length = segments.length; length > 0; length -= 1) {
    const above = segments.slice(0, length).join('/')
    const found = routes.find((each) => each.method === 'GET' && each.path === above && !each.declared.list)
    if (found) return found
  }
  return undefined
}

type Page = { items: readonly Readonly<Record<string, unknown>>[]; next: string | null }

/** A page may be short although there are more, so `next` is where the list goes on, whatever its last entry is. */
function page({ items, next }: Page, entry: (row: unknown) => Rendered, isBackward: boolean): Rendered {
  const [first = null, last = null] = [idOf(items[0]), idOf(items.at(-1))]
  return {
    object: 'list',
    data: items.map(entry),
    has_more: next !== null,
    first_id: (isBackward ? next : null) ?? first,
    last_id: (isBackward ? null : next) ?? last,
  }
}

const idOf = (row: Readonly<Record<string, unknown>> | undefined): string | undefined =>
  row === undefined ? undefined : String(row.id)

function entryOf(output: TObject, resource: string | undefined): (result: unknown) => Rendered {
  const pick = pickerOf(output)
  const [object] = (output.properties.object as unknown as { enum: readonly string[] }).enum
  return (result) => {
    const row = flat(result as Readonly<Record<string, unknown>>, resource)
    // What a row itself calls its object is what it is about.
    const target = typeof row.object === 'string' ? { target: row.object } : {}
    return pick({ ...row, ...target, object }) as Rendered
  }
}

function flat(result: Readonly<Record<string, unknown>>, resource: string | undefined) {
  if (resource === undefined) return result
  if (Array.isArray(result)) return { [resource]: result }
  const { [resource]: own, ...beside } = result
  return { ...(own as object), ...beside } as Readonly<Record<string, unknown>>
}

/** A strong validator of what an operator can change of the resource. */
export function tagOf(rendered: Rendered): string {
  const text = JSON.stringify(rendered, (name, value) => (TRAFFIC_FIELDS.has(name) ? undefined : value))
  return `"${Bun.SHA256.hash(text, 'base64').slice(0, 22).replaceAll('+', '-').replaceAll('/', '_')}"`
}
