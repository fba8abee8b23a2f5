// What operations share besides schemas: headers, parameters, and how callers say who they are.
import type { Json } from './schemas.ts'

const STRING = { type: 'string' }

export const HEADERS: Json = {
  'x-request-id': {
    description: 'The id of the request: for the log, for the receipt, and for questions to the operator.',
    schema: STRING,
    example: 'req_0123456789abcdef',
  },
  'x-trivium-warnings': {
    description: 'What was dropped or changed for the model that answers. Absent: nothing.',
    schema: STRING,
  },
  'Idempotent-Replayed': {
    description: 'The response is that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'Stands for the content, and is sent back as If-Match or If-None-Match.', schema: STRING },
  Location: { description: 'Where the browser goes on.', schema: STRING },
  'Retry-After': { description: 'Seconds after which the request may succeed.', schema: STRING },
}

export const PARAMETERS: Json = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same request, sent again with the same key, is performed once and has the same response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the resource as it was read; 412 if it has changed since.',
    schema: STRING,
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of what the client has; 304 if it is the same.',
    schema: STRING,
  },
}

export const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  clientKey: { type: 'http', scheme: 'bearer', description: 'A key that calls models: `Authorization: Bearer sk-...`' },
  clientKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same key in another header.' },
  clientKeyGenerateContent: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'The same key as SDKs of generateContent send it.',
  },
  adminKey: { type: 'http', scheme: 'bearer', description: 'An admin key: `Authorization: Bearer ak-...`' },
  adminKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An admin key in another header.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'trivium_session',
    description:
      'Set by a sign-in to the console; over HTTPS its name is `__Host-trivium_session`. Changes need the Origin of the gateway.',
  },
}

const anyOf = (...names: readonly string[]): Json[] => names.map((name) => ({ [name]: [] }))
export const CLIENT_SECURITY = anyOf('clientKey', 'clientKeyHeader')
export const GENERATE_CONTENT_SECURITY = anyOf('clientKeyGenerateContent', 'clientKey', 'clientKeyHeader')
export const ADMIN_SECURITY = anyOf('adminKey', 'adminKeyHeader', 'session')
export const SESSION_SECURITY = anyOf('session')
export const NO_SECURITY: Json[] = []

export type DescribedOperation = { method: string; path: string; operation: Json }

/** A header of requests or responses, by its key in the document's components. */
const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` })
export const parameter = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

/** Every response has its request id. */
export const responseHeaders = (...names: readonly string[]): Json =>
  Object.fromEntries(['x-request-id', ...names].map((name) => [name, header(name)]))

export const jsonContent = (schema: Json, example?: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})
