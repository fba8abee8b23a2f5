// Errors: their bodies by dialect, the closed tables of their codes, and which statuses an operation can have.
import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { TSchema } from 'typebox'
import { ADMIN_ERROR, API_ERRORS, CONSOLE_ERROR } from '../http-api/errors.ts'
import { either, fields, integer, listOf, nullable, optional, string, word } from '../request/schema/schema.ts'
import { jsonContent, responseHeaders } from './components.ts'
import { type Json, mapped, type Schemas } from './schemas.ts'

const CHAT_ERROR = fields({
  error: fields({
    message: string(),
    type: string(),
    param: nullable(string('The field that is wrong, such as `messages[2].content`.')),
    code: nullable(string('One of ErrorCode, a code of the vendor, or null for a bad request.')),
  }),
})
const MESSAGES_ERROR = fields({
  type: word('error'),
  error: fields({ type: string(), message: string() }),
  request_id: string(),
})
const GENERATE_CONTENT_ERROR = fields({
  error: fields({
    code: integer({ min: 400, max: 599 }),
    message: string(),
    status: string(),
    details: optional(listOf({ type: 'object' } as unknown as TSchema)),
  }),
})
const VIDEO_TASKS_ERROR = fields({
  error: fields({ code: string(), message: string(), param: string(), type: string() }),
})
const ANY_ERROR = either(CHAT_ERROR, MESSAGES_ERROR, GENERATE_CONTENT_ERROR, VIDEO_TASKS_ERROR)

/** All of both APIs. */
const API_ERROR_CODE = described(API_ERRORS)
const consoleError = CONSOLE_ERROR.properties.error.properties
const adminError = ADMIN_ERROR.properties.error.properties

const BODIES = {
  ChatError: CHAT_ERROR,
  MessagesError: MESSAGES_ERROR,
  GenerateContentError: GENERATE_CONTENT_ERROR,
  VideoTasksError: VIDEO_TASKS_ERROR,
  AnyError: ANY_ERROR,
  ConsoleError: fields({ error: fields({ ...consoleError, code: API_ERROR_CODE }) }),
  AdminError: fields({ error: fields({ ...adminError, code: API_ERROR_CODE }) }),
} as const satisfies Record<string, TSchema>
export type ErrorBody = keyof typeof BODIES

/** By the dialect of the path. */
export const ERROR_OF_DIALECT: Readonly<Record<DialectId, ErrorBody>> = {
  chat: 'ChatError',
  responses: 'ChatError',
  images: 'ChatError',
  messages: 'MessagesError',
  'generate-content': 'GenerateContentError',
  'video-tasks': 'VideoTasksError',
}

const CONSOLE_ONLY = [
  'not_signed_in',
  'wrong_credentials',
  'wrong_code',
  'owners_only',
  'wrong_password',
  'registration_closed',
  'mail_not_configured',
  'account_switched',
  'account_disabled',
  'link_expired',
  'too_many_accounts',
]
const ADMIN_ONLY = [
  'second_factor_needed',
  'invalid_admin_key',
  'precondition_failed',
  'idempotency_mismatch',
  'address_not_allowed',
  'upstream_failed',
]

/** The status of each code. */
function codesOf(body: ErrorBody): Readonly<Record<string, number>> {
  const others = body === 'AdminError' ? CONSOLE_ONLY : ADMIN_ONLY
  if (body === 'AdminError' || body === 'ConsoleError')
    return Object.fromEntries(Object.entries(API_ERRORS).filter(([code]) => !others.includes(code)))
  return mapped(ERRORS, ({ status }) => status)
}

/** Nobody who calls an operation gets these: another method, a WebSocket, a client that has left. */
const NEVER = [405, 426, 499]
const OF_BODIES = [402, 408, 413, 415, 422]
const OF_UPSTREAMS = [502, 504]
const OF_CHANGES = [409, 410]
const OF_VALIDATORS = [412]
const RETRIED = [409, 429, 503]

/** What an operation does, as far as it decides on its errors. */
export type ErrorTraits = { hasBody: boolean; isChange: boolean; callsUpstreams: boolean; takesIfMatch?: boolean }

/** `of`: the responses of an operation for its errors. */
export function createErrors(schemas: Schemas) {
  const responses: Record<string, Json> = {}
  schemas.named('ErrorCode', described(codesOf('ChatError')))
  schemas.named('ApiErrorCode', API_ERROR_CODE)
  // The last one consists of the others.
  for (const name of [...new Set(Object.values(ERROR_OF_DIALECT)), 'AnyError'] as const)
    schemas.named(name, BODIES[name])

  function response(body: ErrorBody, status: number, codes: readonly [string, number][]): Json {
    const name = `${body}${status}`
    responses[name] ??= {
      description: codes.map(([code]) => `\`${code}\``).join(', '),
      headers: responseHeaders(...(RETRIED.includes(status) ? ['Retry-After'] : [])),
      content: jsonContent(schemas.named(body, BODIES[body])),
    }
    return { $ref: `#/components/responses/${name}` }
  }

  function of(body: ErrorBody, { hasBody, isChange, callsUpstreams, takesIfMatch = false }: ErrorTraits): Json {
    const leftOut = [
      ...NEVER,
      ...(hasBody ? [] : OF_BODIES),
      ...(callsUpstreams ? [] : OF_UPSTREAMS),
      ...(isChange ? [] : OF_CHANGES),
      ...(takesIfMatch ? [] : OF_VALIDATORS),
    ]
    const listed = Object.entries(codesOf(body)).filter(([, status]) => !leftOut.includes(status))
    const byStatus = Map.groupBy(listed, ([, status]) => status)
    return Object.fromEntries([...byStatus].map(([status, codes]) => [status, response(body, status, codes)]))
  }

  return { of, responses }
}

export type Errors = ReturnType<typeof createErrors>

/** A closed table of codes. */
function described(table: Readonly<Record<string, number>>): TSchema {
  const lines = Object.entries(table).map(([code, status]) => `\`${code}\`: ${status}`)
  return { enum: Object.keys(table), description: `With their status: ${lines.join(', ')}.` } as unknown as TSchema
}
