import { ERRORS, type ErrorCode, type ErrorInfo } from '../../../canonical/error.ts'

/**
 * Clients sleep as long as they are told, inside one call. A limit per minute has room again after 61 s at the latest; a
 * longer wait is told as it is, together with `x-should-retry: false`, so that no SDK sleeps through it.
 */
const LONGEST_SLEEP = 61
/** Whatever an upstream says: a day, in seconds. */
const LONGEST_WAIT = 86_400
const USUAL_WAIT = 5
/** Key, money, permission: nothing that time heals. Claude Code would ask for minutes with a wrong key. */
const FINAL: readonly number[] = [401, 402, 403]

/** Only the operator can change these. */
const FINAL_CODES: readonly string[] = [
  'upstream_auth_error',
  'upstream_model_not_found',
  'upstream_unknown_url',
  'upstream_no_credit',
] satisfies ErrorCode[]

/** The whole seconds to wait that a caller is told: at least 1, and never less than the wait. */
export function secondsToWait(error: ErrorInfo): number {
  const wanted = Math.ceil(error.retryAfter ?? USUAL_WAIT)
  return Number.isNaN(wanted) ? USUAL_WAIT : Math.min(Math.max(wanted, 1), LONGEST_WAIT)
}

/** Our own limits are known to the millisecond, so clients that read this header need not wait a whole second. */
function millisecondsToWait({ limit }: ErrorInfo, seconds: number): number {
  const known = typeof limit?.reset === 'object' ? Math.ceil(limit.reset.afterMs) : seconds * 1_000
  return Math.min(Math.max(known, 1), seconds * 1_000)
}

/** The headers of an error, the same in every dialect: each SDK family reads its own and ignores the others. */
export function errorHeaders(error: ErrorInfo, requestId: string): Record<string, string> {
  const { status, retry } = ERRORS[error.code]
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'request-id': requestId,
  }
  if (status === 429 || status === 503 || (retry && error.retryAfter !== undefined)) {
    const seconds = secondsToWait(error)
    headers['retry-after'] = String(seconds)
    headers['retry-after-ms'] = String(millisecondsToWait(error, seconds))
    if (seconds > LONGEST_SLEEP) headers['x-should-retry'] = 'false'
  }
  // SDKs retry every 5xx by themselves, and some clients retry what they cannot name.
  const isFinal = FINAL.includes(status) || FINAL_CODES.includes(error.code) || error.limit?.reset === 'never'
  if (isFinal) headers['x-should-retry'] = 'false'
  if (error.code === 'method_not_allowed' && error.allow !== undefined) headers.allow = error.allow
  return headers
}
