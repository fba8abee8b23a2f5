// What an attempt that brought nothing means: for the upstream's standing, and whether another may be asked. Another one
// may be asked only where this one has provably billed nothing.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { Failure } from '../../access/failure.ts'
import type { Ending } from '../../paid-call/settle.ts'
import { FAILURE, UNKNOWN, type Verdict } from '../../upstreams/health/key-health.ts'

export type FailedAttempt = {
  /** For the client, if nobody else can be asked. */
  failure: Failure
  ending: Ending
  verdict: Verdict
  unbilled: boolean
  /** There is no connection to this address, whatever the key: the machine is down, or its name or certificate is wrong. */
  noConnection?: true
  /** In a word, for the receipt. */
  outcome: string
}

export type Meaning = Pick<FailedAttempt, 'verdict' | 'unbilled' | 'noConnection' | 'outcome'>

/** A service that says so has not begun. */
const NOT_BEGUN = [503, 529]

/** What an upstream said instead of an answer. `status` 200: within an answer, before any output. */
export function meaningOf(status: number, said: ErrorInfo, retryAfter: number | undefined): Meaning {
  const meaning = meaningWithoutUsage(status, said, retryAfter)
  return said.billed ? { ...meaning, unbilled: false } : meaning
}

function meaningWithoutUsage(status: number, said: ErrorInfo, retryAfter: number | undefined): Meaning {
  const inside = status >= 200 && status < 300
  const outcome = inside ? `error: ${said.code}` : String(status)
  // Some call it overload; it is a limit all the same, and nothing has begun.
  const code = status === 429 && said.code === 'unavailable' ? 'rate_limited' : said.code
  switch (code) {
    case 'rate_limited': {
      const waitMs = retryAfter === undefined ? undefined : retryAfter * 1_000
      return { verdict: { is: 'limited', waitMs, all: false }, unbilled: true, outcome }
    }
    case 'unavailable':
      return { verdict: failed(retryAfter), unbilled: inside || NOT_BEGUN.includes(status), outcome }
    case 'upstream_rejected_us':
      if (status === 404) return { verdict: isOfModel(said) ? { is: 'absent' } : UNKNOWN, unbilled: true, outcome }
      return { verdict: { is: 'rejected', reason: said.detail ?? outcome }, unbilled: true, outcome }
    case 'upstream_failed':
    case 'upstream_timeout':
    case 'internal':
      // An answer that cannot be read may well have been billed; only an error that was told is none.
      return { verdict: FAILURE, unbilled: inside && said.detail !== undefined, outcome }
    default:
      return { verdict: UNKNOWN, unbilled: false, outcome }
  }
}

/** A 404 may also be about something that one request names, and nobody else. */
const isOfModel = ({ detail = '' }: ErrorInfo): boolean => /model|deployment/i.test(detail)

const failed = (retryAfter: number | undefined): Verdict =>
  retryAfter === undefined ? FAILURE : { is: 'failure', restMs: retryAfter * 1_000 }

/** The connection did not come about: not a byte of the request has left. */
const NO_CONNECTION = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ConnectionRefused', 'ConnectTimeout'],
  ...['FailedToOpenSocket', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  // Not EPROTO: TLS that breaks in the middle of a call is called that, too.
  'TlsHandshakeFailed',
])
/** The other side says itself that it has not begun, over a connection that works. */
const NOT_TAKEN = new Set(['HTTP2RefusedStream', 'HTTP2Unsupported'])

export function meaningOfBreak(error: unknown): Meaning {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const outcome = code === '' ? 'broken' : code
  if (NO_CONNECTION.has(code)) return { verdict: FAILURE, unbilled: true, noConnection: true, outcome }
  return { verdict: FAILURE, unbilled: NOT_TAKEN.has(code), outcome }
}

/** Ended without an answer, and perhaps billed. */
export const CUT: Meaning = { verdict: FAILURE, unbilled: false, outcome: 'cut' }
