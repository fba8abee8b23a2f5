// The admin API, from its own tables.
import { type CompiledRoute, compileAdminRoutes } from '../admin-api/compile-routes.ts'
import { DRY_RUN } from '../admin-api/list-routes.ts'
import type { Operation } from '../administration/operation.ts'
import { either } from '../request/schema/schema.ts'
import { ADMIN_SECURITY } from './components.ts'
import type { Errors } from './errors.ts'
import {
  type DescribedOperation,
  jsonContent,
  parameter,
  pathParameters,
  queryParameters,
  responseHeaders,
} from './operation.ts'
import { camelCase, type Json, pascalCase, type Schemas } from './schemas.ts'

export const describeAdmin = (schemas: Schemas, errors: Errors): DescribedOperation[] => {
  const routes = compileAdminRoutes()
  // What a route shows by itself has the plain name; what another one returns beside it, such as a secret, a longer one.
  for (const { route, method } of routes) if (method === 'GET') nameOutput(route, schemas)
  return routes.map((route) => describe(route, schemas, errors))
}

function describe(route: CompiledRoute, schemas: Schemas, errors: Errors): DescribedOperation {
  const { method, path, parameters, query, body, summary, permission, route: declared, shownBy } = route
  const isChange = method !== 'GET'
  const required = (body?.required ?? []).length > 0
  const example = declared.example?.body ?? (required ? undefined : {})
  const operation = {
    operationId: operationIdOf(route),
    tags: [tagOf(path)],
    summary,
    description: `Needs the permission \`${permission}\`.${freshness(route.operation)}`,
    security: ADMIN_SECURITY,
    parameters: [
      ...pathParameters(path, schemas, parameters),
      ...queryParameters(query, schemas, declared.example?.query),
      ...(method === 'POST' ? [parameter('Idempotency-Key')] : []),
      ...(shownBy === undefined ? [] : [parameter('If-Match')]),
    ],
    ...(body === undefined ? {} : { requestBody: { required, content: jsonContent(schemas.of(body), example) } }),
    responses: {
      ...successOf(route, schemas),
      ...errors.of('AdminError', {
        hasBody: body !== undefined,
        isChange,
        callsUpstreams: /^upstream(s|-drafts)\//.test(path),
        takesIfMatch: shownBy !== undefined,
      }),
    },
  }
  return { method, path: `/admin/v1/${path}`, operation }
}

const freshness = ({ isDangerous }: Operation): string =>
  isDangerous
    ? ` A person with a second factor needs a proof of it from the last 10 minutes${isDangerous === true ? '' : `, if \`${isDangerous.with}\` is given`}.`
    : ''

const operationIdOf = ({ route }: Pick<CompiledRoute, 'route'>): string => camelCase(route.operation.name)

const tagOf = (path: string): string => `Admin: ${path.split('/')[0]}`

function nameOutput({ output, operation }: CompiledRoute['route'], schemas: Schemas): Json {
  const [object = ''] = (output.properties.object as unknown as { enum: readonly string[] }).enum
  return schemas.named(pascalCase(object), output, `${pascalCase(operation.name)}Result`)
}

function successOf(route: CompiledRoute, schemas: Schemas): Json {
  const { method, status, output, route: declared } = route
  const shown = nameOutput(declared, schemas)
  if (method === 'GET') {
    const headers = responseHeaders(...(declared.list ? [] : ['ETag']))
    return {
      [status]: { description: 'Done.', headers, content: jsonContent(declared.list ? schemas.of(output) : shown) },
    }
  }
  const headers = responseHeaders(...(method === 'POST' ? ['Idempotent-Replayed'] : []))
  const done = (schema: Json, description: string): Json => ({ description, headers, content: jsonContent(schema) })
  schemas.named('DryRun', DRY_RUN)
  if (status !== 200)
    return { 200: done(schemas.of(DRY_RUN), 'A dry run: nothing was written.'), [status]: done(shown, 'Done.') }
  return { 200: done(schemas.of(either(declared.output, DRY_RUN)), 'Done; a dry run says what would change.') }
}
