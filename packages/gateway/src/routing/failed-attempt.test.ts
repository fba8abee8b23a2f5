import { expect, test } from 'bun:test'
import type { ErrorCode } from '@trivium/protocol/canonical/error.ts'
import { meaningOf, meaningOfBreak } from './failed-attempt.ts'

const said = (code: ErrorCode, detail?: string) => ({ code, message: '', ...(detail ? { detail } : {}) })

test.each<[number, ErrorCode, string | undefined, string, boolean]>([
  [429, 'rate_limit_exceeded', undefined, 'limited', true],
  [429, 'service_unavailable', '429 overloaded_error', 'limited', true],
  [503, 'service_unavailable', undefined, 'failure', true],
  [529, 'service_unavailable', undefined, 'failure', true],
  [500, 'upstream_error', undefined, 'failure', false],
  [502, 'upstream_error', undefined, 'failure', false],
  [504, 'upstream_timeout', undefined, 'failure', false],
  [401, 'upstream_auth_error', '401', 'rejected', true],
  [403, 'upstream_auth_error', '403', 'rejected', true],
  [404, 'upstream_model_not_found', '404 model_not_found', 'absent', true],
  [400, 'upstream_model_not_found', '400 model_not_found', 'absent', true],
  [404, 'upstream_error', '404 No endpoints found that support image input', 'unknown', true],
  [404, 'upstream_unknown_url', '404', 'failure', true],
  [405, 'upstream_unknown_url', '405', 'failure', true],
  [429, 'upstream_no_credit', '429 insufficient_quota', 'rejected', true],
  [400, 'bad_request', undefined, 'unknown', false],
  [400, 'context_length_exceeded', undefined, 'unknown', false],
  // Within a 200: an error that was told, and an answer that cannot be read.
  [200, 'service_unavailable', '200 overloaded', 'failure', true],
  [200, 'upstream_error', '200 server_error', 'failure', true],
  [200, 'upstream_error', undefined, 'failure', false],
  [200, 'content_policy_violation', undefined, 'unknown', false],
])('%p %s %s: %s, unbilled %p', (status, code, detail, is, unbilled) => {
  expect(meaningOf(status, said(code, detail), undefined)).toMatchObject({ verdict: { is }, unbilled })
})

test('the retry-after is kept', () => {
  expect(meaningOf(429, said('rate_limit_exceeded'), 7)).toMatchObject({ verdict: { is: 'limited', waitMs: 7_000 } })
})

test.each([
  ['ECONNREFUSED', true],
  ['ENOTFOUND', true],
  ['CERT_HAS_EXPIRED', true],
  ['HTTP2RefusedStream', true],
  ['ECONNRESET', false],
  ['EPROTO', false],
  ['HTTP2StreamReset', false],
])('a connection that ends with %s: unbilled %p', (code, unbilled) => {
  expect(meaningOfBreak(Object.assign(new Error(code), { code }))).toMatchObject({ unbilled, reason: code })
})

test.each([200, 429, 503])('%p with usage may have been billed', (status) => {
  const error = {
    ...said(status === 429 ? 'rate_limit_exceeded' : 'service_unavailable', 'why'),
    billed: true as const,
  }
  expect(meaningOf(status, error, undefined).unbilled).toBe(false)
})
