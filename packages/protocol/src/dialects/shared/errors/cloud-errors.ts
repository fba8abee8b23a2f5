// What clouds put around the errors of the dialects that they host.

import type { ErrorCode } from '../../../canonical/error.ts'
import { isObject } from '../../../canonical/reading.ts'

/** Names of Amazon's errors whose status says something else, or that come in a stream, where there is none. */
const AMAZON = {
  ThrottlingException: 'rate_limit_exceeded',
  ServiceQuotaExceededException: 'rate_limit_exceeded',
  ModelNotReadyException: 'service_unavailable',
  ServiceUnavailableException: 'service_unavailable',
  ModelTimeoutException: 'upstream_timeout',
  ModelErrorException: 'upstream_error',
  ModelStreamErrorException: 'upstream_error',
  InternalServerException: 'upstream_error',
  AccessDeniedException: 'upstream_auth_error',
  UnrecognizedClientException: 'upstream_auth_error',
  ExpiredTokenException: 'upstream_auth_error',
  InvalidSignatureException: 'upstream_auth_error',
} as const satisfies Record<string, ErrorCode>

export const amazonCode = (word: string) =>
  Object.hasOwn(AMAZON, word) ? AMAZON[word as keyof typeof AMAZON] : undefined

/** Amazon names an error in the header `x-amzn-errortype`, with more behind a colon. The body has only the message. */
export function withErrorType(body: unknown, header: string | null): unknown {
  const name = /^\w{1,64}/.exec(header ?? '')?.[0]
  const isBare = isObject(body) && body.error === undefined && body.code === undefined && body.type === undefined
  return name !== undefined && isBare ? { ...body, code: name } : body
}

/** Google puts the error of a hosted model into its own, as text. undefined: this message is none. */
export function errorWithin(message: string | undefined): Record<string, unknown> | undefined {
  if (!message?.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(message)
    return isObject(value) && isObject(value.error) ? value : undefined
  } catch {
    return undefined
  }
}

const MOST_FILTERS = 16

/** Azure says which of its filters rejected a request: ` (filtered: violence, jailbreak)`. Empty: it says nothing. */
export function filtersIn(error: Record<string, unknown>): string {
  const inner = [error.innererror, error.inner_error].find(isObject)
  const results = [inner?.content_filter_result, inner?.content_filter_results].find(isObject) ?? {}
  const names = Object.entries(results).flatMap(([name, result]) =>
    isObject(result) && (result.filtered === true || result.detected === true) && /^\w{1,64}$/.test(name) ? [name] : [],
  )
  return names.length === 0 ? '' : ` (filtered: ${names.slice(0, MOST_FILTERS).join(', ')})`
}
