// The admin API and the console API, from their routes.
import { parametersOf } from '@trivium/protocol/routes.ts'
import type { TObject, TSchema } from 'typebox'
import { adminRoutes, DRY_RUN, type ServedRoute } from '../admin-api/routes.ts'
import { CONSOLE_ROUTES } from '../console-api/routes.ts'
import type { ApiRoute, HoldersPolicy } from '../http-api/route.ts'
import type { Operation } from '../operate/operation.ts'
import { either } from '../request/schema/schema.ts'
import {
  ADMIN_SECURITY,
  type DescribedOperation,
  jsonContent,
  NO_SECURITY,
  parameter,
  responseHeaders,
  SESSION_SECURITY,
} from './components.ts'
import type { ErrorBody, Errors, ErrorTraits } from './errors.ts'
import { camelCase, type Json, pascalCase, type Schemas } from './schemas.ts'

/** What differs between the two. `headers`: those that it takes. */
type Described = Pick<ErrorTraits, 'callsUpstreams' | 'takesIfMatch'> & {
  operation: { operationId: string; tags: readonly string[]; description: string; security: readonly Json[] }
  headers: readonly string[]
  success: Json
  errors: ErrorBody
}

export function describeAdmin(schemas: Schemas, errors: Errors): DescribedOperation[] {
  const routes = adminRoutes()
  // What a route shows by itself has the plain name; what another one returns beside it, such as a secret, a longer one.
  for (const route of routes) if (route.method === 'GET') nameOutput(route, schemas)
  return routes.map((route) => describe('/admin/v1/', route, ofAdmin(route, schemas), schemas, errors))
}

export const describeConsole = (schemas: Schemas, errors: Errors): DescribedOperation[] =>
  CONSOLE_ROUTES.map((route) => describe('/console/api/', route, ofConsole(route, schemas), schemas, errors))

function describe(
  prefix: string,
  { method, path, parameters, query, body, summary, example }: ApiRoute,
  { operation, headers, success, errors: errorBody, ...traits }: Described,
  schemas: Schemas,
  errors: Errors,
): DescribedOperation {
  const described = {
    ...operation,
    summary,
    parameters: [
      ...pathParameters(path, parameters, schemas),
      ...queryParameters(query, schemas, example?.query),
      ...headers.map(parameter),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, example?.body, schemas) }),
    responses: {
      ...success,
      ...errors.of(errorBody, { hasBody: body !== undefined, isChange: method !== 'GET', ...traits }),
    },
  }
  // `{path...}` takes all that remains of a path.
  return { method, path: prefix + path.replace('...}', '}'), operation: described }
}

function pathParameters(path: string, { properties }: TObject, schemas: Schemas): Json[] {
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
function queryParameters(query: TObject, schemas: Schemas, example = ''): Json[] {
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

function requestBody(body: NonNullable<ApiRoute['body']>, example: object | undefined, schemas: Schemas): Json {
  if (body === 'bytes') return { required: true, content: jsonContent({}, example) }
  const required = body.required.length > 0
  return { required, content: jsonContent(schemas.of(body), example ?? (required ? undefined : {})) }
}

function ofAdmin(route: ServedRoute, schemas: Schemas): Described {
  const { method, path, policy, operation, shownBy } = route
  return {
    operation: {
      operationId: camelCase(operation.name),
      tags: [`Admin: ${path.split('/')[0]}`],
      description: `Needs the permission \`${policy}\`.${freshness(operation)}`,
      security: ADMIN_SECURITY,
    },
    headers: [...(method === 'POST' ? ['Idempotency-Key'] : []), ...(shownBy === undefined ? [] : ['If-Match'])],
    success: successOfAdmin(route, schemas),
    errors: 'AdminError',
    callsUpstreams: /^upstream(s|-drafts)\//.test(path),
    takesIfMatch: shownBy !== undefined,
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
    operation: {
      // `GET keys/{id}` -> `consoleGetKeysId`.
      operationId: `console${pascalCase(name.toLowerCase())}`,
      tags: ['Console'],
      description: NEEDS[policy],
      security: policy === 'public' ? NO_SECURITY : SESSION_SECURITY,
    },
    headers: isFound ? ['If-None-Match'] : [],
    success: successOfConsole(route, isFound, schemas),
    // The gateway's own endpoints answer in the dialect of their path.
    errors: isForwarded ? 'AnyError' : 'ConsoleError',
    callsUpstreams: isForwarded,
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
  const unchanged = { ...done(undefined, 'ETag'), description: 'The client has it already.' }
  return { [status]: done(content, 'ETag'), 304: unchanged }
}

const done = (content?: Json, ...headers: readonly string[]): Json => ({
  description: 'Done.',
  headers: responseHeaders(...headers),
  ...(content === undefined ? {} : { content }),
})
