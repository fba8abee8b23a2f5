// The console's own API, from its tables.
import { type ListedRoute, listConsoleRoutes } from '../console-api/list-routes.ts'
import { NO_SECURITY, SESSION_SECURITY } from './components.ts'
import type { Errors } from './errors.ts'
import {
  type DescribedOperation,
  jsonContent,
  parameter,
  pathParameters,
  plainPath,
  queryParameters,
  responseHeaders,
} from './operation.ts'
import { type Json, pascalCase, type Schemas } from './schemas.ts'

export const describeConsole = (schemas: Schemas, errors: Errors): DescribedOperation[] =>
  listConsoleRoutes().map((route) => describe(route, schemas, errors))

function describe(route: ListedRoute, schemas: Schemas, errors: Errors): DescribedOperation {
  const { method, path, summary, policy, query, body } = route
  const isForwarded = path.startsWith('playground/{')
  const isFound = method === 'GET' && typeof route.output === 'object'
  const operation = {
    operationId: operationIdOf(route),
    tags: ['Console'],
    summary,
    description: NEEDS[policy],
    security: policy === 'public' ? NO_SECURITY : SESSION_SECURITY,
    parameters: [
      ...pathParameters(path, schemas),
      ...(query === undefined ? [] : queryParameters(query, schemas)),
      ...(isFound ? [parameter('If-None-Match')] : []),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(route, schemas) }),
    responses: {
      ...successOf(route, isFound, schemas),
      // The gateway's own endpoints answer in the dialect of their path.
      ...errors.of(isForwarded ? 'AnyError' : 'ConsoleError', {
        hasBody: body !== undefined,
        isChange: method !== 'GET',
        callsUpstreams: isForwarded,
      }),
    },
  }
  return { method, path: `/console/api/${plainPath(path)}`, operation }
}

const NEEDS = {
  public: 'Needs no sign-in.',
  session: 'Needs a session.',
  member: 'Needs a session of a member of the account.',
  owner: 'Needs a session of an owner of the account.',
}

/** `GET keys/{id}` -> `consoleGetKeysId`. */
const operationIdOf = ({ name }: ListedRoute): string => `console${pascalCase(name.toLowerCase())}`

function requestBody({ body, example }: ListedRoute, schemas: Schemas): Json {
  if (body === undefined || body === 'bytes')
    return { required: true, content: { 'application/json': { schema: {}, ...shown(example) } } }
  const required = body.required.length > 0
  return { required, content: jsonContent(schemas.of(body), example ?? (required ? undefined : {})) }
}

const shown = (example: unknown): Json => (example === undefined ? {} : { example })

function successOf({ status, output, path }: ListedRoute, isFound: boolean, schemas: Schemas): Json {
  const headers = responseHeaders(...(isFound ? ['ETag'] : []))
  const done = { description: 'Done.', headers }
  if (status === 303)
    return { 303: { description: 'The browser goes on to a page.', headers: responseHeaders('Location') } }
  if (output === undefined || status === 204) return { [status]: done }
  if (output !== 'bytes')
    return {
      [status]: { ...done, content: jsonContent(schemas.of(output)) },
      ...(isFound ? { 304: { description: 'The client has it already.', headers } } : {}),
    }
  const type = path.startsWith('playground/') ? '*/*' : 'text/csv'
  return { [status]: { ...done, content: { [type]: { schema: { type: 'string' } } } } }
}
