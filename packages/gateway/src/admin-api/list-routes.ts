// Every route of the admin API as data: for the dispatcher, for tests, and for what describes the API to others.
import { parametersOf } from '@trivium/protocol/routes.ts'
import type { TObject, TSchema } from 'typebox'
import type { AdminMethod, AdminRoute, AdminRouteName, ExportFormat } from '../administration/admin-route.ts'
import { OPERATIONS } from '../administration/index.ts'
import { REASON } from '../administration/inputs/schemas.ts'
import type { Operation } from '../administration/operation.ts'
import type { Permission } from '../administration/permissions.ts'
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

type Served = AdminRoute & { operation: Operation }

/** The schemas are JSON schemas. */
export type ListedAdminRoute = {
  name: AdminRouteName
  method: AdminMethod
  /** Below /admin/v1/. */
  path: string
  route: Served
  permission: Permission
  summary: string
  status: number
  /** What the path, the query and the body take; together, the operation's input, and what every change takes. */
  parameters: TObject
  query: TObject
  body: TObject | undefined
  output: TSchema
  /** The body of every other status. */
  error: TSchema
}

export const ADMIN_ERROR = fields({
  error: fields({
    message: string(),
    type: string(),
    param: nullable(string()),
    code: string(),
    details: listOf(fields({ param: nullable(string()), message: string() })),
  }),
})

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

const METHODS: readonly AdminMethod[] = ['GET', 'POST', 'PATCH', 'DELETE']

/** By path. */
export const listAdminRoutes = (): ListedAdminRoute[] =>
  [...OPERATIONS.values()]
    .flatMap((operation) => (operation.route ? [listed({ ...operation.route, operation })] : []))
    .toSorted(
      (one, other) => order(one.path, other.path) || METHODS.indexOf(one.method) - METHODS.indexOf(other.method),
    )

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function listed(route: Served): ListedAdminRoute {
  const { at: name } = route
  const [method, path] = name.split(' ') as [AdminMethod, string]
  const { operation, summary, status = 200, list, output } = route
  const { properties } = operation.input as TObject
  const inPath = parametersOf(path)
  const some = (isWanted: (field: string) => boolean) =>
    fields(Object.fromEntries(Object.entries(properties).filter(([field]) => isWanted(field))))
  const hasBody = method === 'POST' || method === 'PATCH'
  // An operation may describe a reason of its own.
  const general = method === 'GET' ? {} : { reason: REASON }
  const rest = { ...general, ...some((field) => !inPath.includes(field)).properties }
  const query = hasBody ? {} : rest
  return {
    name,
    method,
    path,
    route,
    permission: operation.permission,
    summary,
    status,
    parameters: some((field) => inPath.includes(field)),
    query: fields({ ...query, ...(method === 'GET' ? formatParameter(route) : DRY_RUN_PARAMETER) }),
    body: hasBody ? fields(rest) : undefined,
    output: list ? listSchema(output) : output,
    error: ADMIN_ERROR,
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
