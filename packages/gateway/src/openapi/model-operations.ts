// The endpoints of models and of the gateway itself, from the table of all routes.
import { parametersOf, ROUTES, type Route, type RouteId } from '@trivium/protocol/routes.ts'
import type { EndpointRoute } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import {
  CLIENT_SECURITY,
  type DescribedOperation,
  GENERATE_CONTENT_SECURITY,
  jsonContent,
  NO_SECURITY,
  parameter,
  responseHeaders,
} from './components.ts'
import { ERROR_OF_DIALECT, type Errors } from './errors.ts'
import { MODEL_ENDPOINTS } from './model-endpoints.ts'
import { camelCase, type Json, mapped, pascalCase } from './schemas.ts'

/** The console and the admin API have tables of their own below such a path, and pages are no part of an API. */
const OTHERS = ['console', 'admin']

export const describeModels = (errors: Errors): DescribedOperation[] =>
  (Object.entries(ROUTES) as [RouteId, Route][])
    .filter(([, { kind }]) => !OTHERS.includes(kind))
    .map(([id, route]) => describe(id, route, errors))

function describe(id: RouteId, route: Route, errors: Errors): DescribedOperation {
  const { method, path, kind, modality, summary, dialect, credential } = route
  const endpoint = MODEL_ENDPOINTS[id] ?? {}
  const isPaid = modality === kind
  const isPlain = credential === 'none' && kind !== 'media'
  const traits = { hasBody: method === 'POST', isChange: method !== 'GET', callsUpstreams: method === 'POST' }
  const keyed = dialect === 'generate-content' ? GENERATE_CONTENT_SECURITY : CLIENT_SECURITY
  const operation = {
    operationId: camelCase(id),
    tags: [tagOf(route)],
    summary,
    security: credential === 'none' ? NO_SECURITY : keyed,
    parameters: [...parametersFor(path, endpoint), ...(isPaid ? [parameter('Idempotency-Key')] : [])],
    ...(endpoint.body === undefined ? {} : { requestBody: requestBody(endpoint.body) }),
    responses: {
      // The headers of a request decide on the dialect of an error where the path does not.
      ...(isPlain ? {} : errors.of(dialect === undefined ? 'AnyError' : ERROR_OF_DIALECT[dialect], traits)),
      ...mapped(endpoint.responses ?? { 200: {} }, (response) => success(response, isPaid)),
    },
  }
  return { method, path, operation }
}

/** Routes that no model is called by. */
const TAGS: Readonly<Record<string, string>> = {
  models: 'Models',
  usage: 'Usage',
  media: 'Media',
  status: 'Gateway',
  docs: 'Gateway',
}

const tagOf = ({ modality, kind }: Route): string =>
  modality === undefined ? (TAGS[kind] ?? pascalCase(kind)) : ENDPOINTS[modality].tag

function parametersFor(path: string, { parameters = {} }: EndpointRoute): Json[] {
  const inPath = parametersOf(path)
  return [...new Set([...inPath, ...Object.keys(parameters)])].map((name) => {
    const known = parameters[name] ?? { type: 'string' }
    const isInPath = inPath.includes(name)
    const { example, required = isInPath, description, in: place = isInPath ? 'path' : 'query', ...schema } = known
    const more = {
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example }),
    }
    return { name, in: place, required, schema, ...more }
  })
}

function requestBody({ schema, example, files }: NonNullable<EndpointRoute['body']>): Json {
  const form = files && { 'multipart/form-data': { schema, example, encoding: files } }
  return { required: true, content: form ?? jsonContent(schema, example) }
}

type Success = NonNullable<EndpointRoute['responses']>[number]

function success({ schema, stream, types = [] }: Success, isPaid: boolean): Json {
  const content = {
    ...(schema === undefined ? {} : jsonContent(schema)),
    ...Object.fromEntries(
      [...types, ...(stream ? ['text/event-stream'] : [])].map((type) => [type, { schema: { type: 'string' } }]),
    ),
  }
  return {
    description: 'Done.',
    headers: responseHeaders(...(isPaid ? ['x-trivium-warnings', 'Idempotent-Replayed'] : [])),
    ...(Object.keys(content).length === 0 ? {} : { content }),
  }
}
