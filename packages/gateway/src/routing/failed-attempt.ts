// What a failed attempt means for the upstream's health, and whether another may follow: only if this one was certainly not
// billed.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { UpstreamWords } from '@trivium/protocol/dialects/shared/errors/upstream-error.ts'
import type { Outcome } from '../paid-call/outcome.ts'
import type { Failure } from '../request/failure.ts'
import { CredentialUnavailable } from '../upstreams/credentials/credential.ts'
import { withoutCredential } from '../upstreams/health/follow-credentials.ts'
import { FAILURE, UNKNOWN, type Verdict } from '../upstreams/health/key-health.ts'

export type FailedAttempt = {
  /** For the client, if no other attempt follows. */
  failure: Failure
  outcome: Outcome
  verdict: Verdict
  unbilled: boolean
  /** There is no connection to this address, whatever the key: the host is down, or its name or certificate is wrong. */
  noConnection?: true
  /** Nothing was sent, for a reason that says nothing of other keys at this address. */
  notSent?: true
  /** In a word, for the receipt. */
  reason: string
  /** What the upstream said. Absent: nothing. */
  words?: UpstreamWords
}

export type Meaning = Pick<FailedAttempt, 'verdict' | 'unbilled' | 'noConnection' | 'notSent' | 'reason'>

/** With these statuses a service has not begun to work. */
const NOT_BEGUN = [503, 529]

/** An error of the upstream. `status` 200: within a response, before any output. */
export function meaningOf(status: number, said: ErrorInfo, retryAfter: number | undefined): Meaning {
  const meaning = meaningWithoutUsage(status, said, retryAfter)
  return said.billed ? { ...meaning, unbilled: false } : meaning
}

function meaningWithoutUsage(status: number, said: ErrorInfo, retryAfter: number | undefined): Meaning {
  const inside = status >= 200 && status < 300
  const reason = inside ? `error: ${said.code}` : String(status)
  // Some services call it overload. It is a rate limit all the same, and nothing has begun.
  const code = status === 429 && said.code === 'service_unavailable' ? 'rate_limit_exceeded' : said.code
  switch (code) {
    case 'rate_limit_exceeded': {
      const waitMs = retryAfter === undefined ? undefined : retryAfter * 1_000
      return { verdict: { is: 'limited', waitMs, all: false }, unbilled: true, reason }
    }
    case 'service_unavailable':
      return { verdict: failed(retryAfter), unbilled: inside || NOT_BEGUN.includes(status), reason }
    case 'upstream_model_not_found':
      return { verdict: { is: 'absent' }, unbilled: true, reason }
    case 'upstream_unknown_url':
      return { verdict: { is: 'failure', ofUrl: true }, unbilled: true, reason }
    case 'upstream_no_credit':
    case 'upstream_auth_error':
      return { verdict: { is: 'rejected', reason: said.detail ?? reason }, unbilled: true, reason }
    case 'upstream_error':
      // It is about an object that only this request names.
      if (status === 404) return { verdict: UNKNOWN, unbilled: true, reason }
      return { verdict: FAILURE, unbilled: inside && said.detail !== undefined, reason }
    case 'upstream_timeout':
    case 'internal_error':
      // A response that cannot be read may have been billed; only a reported error was not.
      return { verdict: FAILURE, unbilled: inside && said.detail !== undefined, reason }
    default:
      return { verdict: UNKNOWN, unbilled: false, reason }
  }
}

const failed = (retryAfter: number | undefined): Verdict =>
  retryAfter === undefined ? FAILURE : { is: 'failure', restMs: retryAfter * 1_000 }

/** The connection was not established: not a byte of the request has been sent. */
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ConnectionRefused',
  'ConnectTimeout',
  'FailedToOpenSocket',
  'MetadataHost',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  // Not EPROTO: TLS that breaks in the middle of a call is called that, too.
  'TlsHandshakeFailed',
])
/** The upstream reports over a working connection that it has not begun. */
const NOT_TAKEN = new Set(['HTTP2RefusedStream', 'HTTP2Unsupported'])

export function meaningOfBreak(error: unknown): Meaning {
  if (error instanceof CredentialUnavailable)
    return { verdict: withoutCredential(error.message), unbilled: true, notSent: true, reason: 'no credential' }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = code === '' ? 'broken' : code
  if (NO_CONNECTION.has(code)) return { verdict: FAILURE, unbilled: true, noConnection: true, reason }
  return { verdict: FAILURE, unbilled: NOT_TAKEN.has(code), reason }
}

/** Ended without a response, and perhaps billed. */
export const CUT: Meaning = { verdict: FAILURE, unbilled: false, reason: 'cut' }
