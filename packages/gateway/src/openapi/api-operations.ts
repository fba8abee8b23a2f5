// The admin API and the console API, from their routes.
import { adminRoutes, DRY_RUN, type ServedRoute } from '../admin-api/routes.ts'
import type { Operation } from '../administration/operation.ts'
import { CONSOLE_ROUTES } from '../console-api/routes.ts'
import type { ApiRoute, HoldersPolicy } from '../http-api/route.ts'
import { either } from '../request/schema/schema.ts'
import { ADMIN_SECURITY, NO_SECURITY, SESSION_SECURITY } from './components.ts'
import type { ErrorBody, Errors, ErrorTraits } from './errors.ts'
import {
  type DescribedOperation,
  jsonContent,
  parameter,
  pathParameters,
  queryParameters,
  responseHeaders,
} from './operation.ts'
import { camelCase, type Json, pascalCase, type Schemas } from './schemas.ts'

/** What differs between the two. */
type Described = {
  at: string
  operationId: string
  tag: string
  description: string
  security: readonly Json[]
  /** Headers that it takes. */
  headers: readonly string[]
  success: Json
  errors: ErrorBody
  traits: Pick<ErrorTraits, 'callsUpstreams' | 'takesIfMatch'>
}

export function describeAdmin(schemas: Schemas, errors: Errors): DescribedOperation[] {
  const routes = adminRoutes()
  // What a route shows by itself has the plain name; what another one returns beside it, such as a secret, a longer one.
  for (const route of routes) if (route.method === 'GET') nameOutput(route, schemas)
  return routes.map((route) => describe(route, ofAdmin(route, schemas), schemas, errors))
}

export const describeConsole = (schemas: Schemas, errors: Errors): DescribedOperation[] =>
  CONSOLE_ROUTES.map((route) => describe(route, ofConsole(route, schemas), schemas, errors))

function describe(route: ApiRoute, own: Described, schemas: Schemas, errors: Errors): DescribedOperation {
  const { method, path, parameters, query, body, summary, example } = route
  const operation = {
    operationId: own.operationId,
    tags: [own.tag],
    summary,
    description: own.description,
    security: own.security,
    parameters: [
      ...pathParameters(path, parameters, schemas),
      ...queryParameters(query, schemas, example?.query),
      ...own.headers.map(parameter),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, example?.body, schemas) }),
    responses: {
      ...own.success,
      ...errors.of(own.errors, { hasBody: body !== undefined, isChange: method !== 'GET', ...own.traits }),
    },
  }
  return { method, path: own.at + plainPath(path), operation }
}

/** `{path...}` takes all that remains of a path. */
const plainPath = (path: string): string => path.replace('...}', '}')

function requestBody(body: NonNullable<ApiRoute['body']>, example: object | undefined, schemas: Schemas): Json {
  if (body === 'bytes') return { required: true, content: jsonContent({}, example) }
  const required = body.required.length > 0
  return { required, content: jsonContent(schemas.of(body), example ?? (required ? undefined : {})) }
}

function ofAdmin(route: ServedRoute, schemas: Schemas): Described {
  const { method, path, policy, operation, shownBy } = route
  return {
    at: '/admin/v1/',
    operationId: camelCase(operation.name),
    tag: `Admin: ${path.split('/')[0]}`,
    description: `Needs the permission \`${policy}\`.${freshness(operation)}`,
    security: ADMIN_SECURITY,
    headers: [...(method === 'POST' ? ['Idempotency-Key'] : []), ...(shownBy === undefined ? [] : ['If-Match'])],
    success: successOfAdmin(route, schemas),
    errors: 'AdminError',
    traits: { callsUpstreams: /^upstream(s|-drafts)\//.test(path), takesIfMatch: shownBy !== undefined },
  }
}

const freshness = ({ isDangerous }: Operation): string =>
  isDangerous
    ? ` A person with a second factor needs a proof of it from the last 10 minutes${isDangerous === true ? '' : `, if \`${isDangerous.with}\` is given`}.`
    : ''

function nameOutput({ declared: { output }, operation }: ServedRoute, schemas: Schemas): Json {
  const [object = ''] = (output.properties.object as unknown as { enum: readonly string[] }).enum
  return schemas.named(pascalCase(object), output, `${pascalCase(operation.name)}Result`)
}

function successOfAdmin(route: ServedRoute, schemas: Schemas): Json {
  const { method, status, output, declared } = route
  const shown = nameOutput(route, schemas)
  if (method === 'GET')
    return declared.list
      ? { [status]: done(jsonContent(schemas.of(output))) }
      : { [status]: done(jsonContent(shown), 'ETag') }
  const replayed = method === 'POST' ? ['Idempotent-Replayed'] : []
  const changed = (schema: Json, description: string) => ({ ...done(jsonContent(schema), ...replayed), description })
  schemas.named('DryRun', DRY_RUN)
  if (status !== 200)
    return { 200: changed(schemas.of(DRY_RUN), 'A dry run: nothing was written.'), [status]: changed(shown, 'Done.') }
  return { 200: changed(schemas.of(either(declared.output, DRY_RUN)), 'Done; a dry run says what would change.') }
}

const NEEDS: Readonly<Record<HoldersPolicy, string>> = {
  public: 'Needs no sign-in.',
  session: 'Needs a session.',
  member: 'Needs a session of a member of the account.',
  owner: 'Needs a session of an owner of the account.',
}

function ofConsole(route: ApiRoute<HoldersPolicy>, schemas: Schemas): Described {
  const { name, method, path, policy, output } = route
  const isForwarded = path.startsWith('playground/{')
  const isFound = method === 'GET' && typeof output === 'object'
  return {
    at: '/console/api/',
    // `GET keys/{id}` -> `consoleGetKeysId`.
    operationId: `console${pascalCase(name.toLowerCase())}`,
    tag: 'Console',
    description: NEEDS[policy],
    security: policy === 'public' ? NO_SECURITY : SESSION_SECURITY,
    headers: isFound ? ['If-None-Match'] : [],
    success: successOfConsole(route, isFound, schemas),
    // The gateway's own endpoints answer in the dialect of their path.
    errors: isForwarded ? 'AnyError' : 'ConsoleError',
    traits: { callsUpstreams: isForwarded },
  }
}

function successOfConsole({ status, output, path }: ApiRoute, isFound: boolean, schemas: Schemas): Json {
  if (status === 303) return { 303: { ...done(undefined, 'Location'), description: 'The browser goes on to a page.' } }
  if (output === undefined || status === 204) return { [status]: done() }
  if (output === 'bytes') {
    const type = path.startsWith('playground/') ? '*/*' : 'text/csv'
    return { [status]: done({ [type]: { schema: { type: 'string' } } }) }
  }
  const content = jsonContent(schemas.of(output))
  if (!isFound) return { [status]: done(content) }
  return {
    [status]: done(content, 'ETag'),
    304: { ...done(undefined, 'ETag'), description: 'The client has it already.' },
  }
}

const done = (content?: Json, ...headers: readonly string[]): Json => ({
  description: 'Done.',
  headers: responseHeaders(...headers),
  ...(content === undefined ? {} : { content }),
})
