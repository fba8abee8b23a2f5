// The calls of upstreams for a request, in its record: for its log line, its receipt and its trace.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { UpstreamWords } from '@trivium/protocol/dialects/shared/errors/upstream-error.ts'
import type { Called, RequestRecord, UpstreamAttempt } from './request-record.ts'
import { newSpanId } from './traces/context.ts'

/** The one before has ended: a request calls one upstream after the other. */
export function beginAttempt(record: RequestRecord, called: Called): UpstreamAttempt {
  endAttempt(record)
  record.attemptError = undefined
  record.attemptMessage = undefined
  const attempt: UpstreamAttempt = {
    upstream: called.upstream,
    model: called.model,
    dialect: called.dialect,
    startedAt: performance.now(),
    endedAt: undefined,
    status: undefined,
    requestId: undefined,
    error: undefined,
    spanId: record.trace?.own && newSpanId(),
  }
  if (called.key !== undefined) attempt.key = called.key
  if (called.operation) attempt.operation = called.operation
  record.attempts.push(attempt)
  return attempt
}

/** By what vendors, clouds and proxies call it; the first that is there counts. */
const ID_HEADERS = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'x-ms-request-id', 'x-log-id']
const SAFE_ID = /^[\x21-\x7e]{1,128}$/

/** The headers of its response have arrived. */
export function attemptAnswered(attempt: UpstreamAttempt, reply: Pick<UpstreamResponse, 'status' | 'header'>): void {
  attempt.status = reply.status
  for (const name of ID_HEADERS) {
    const value = reply.header(name)
    if (value === null) continue
    if (SAFE_ID.test(value)) attempt.requestId = value
    return
  }
}

/** The last call has ended. `error`: its code, if it failed; that of a later step, which knows more, replaces it. */
export function endAttempt(record: RequestRecord, error?: string, message?: string, words?: UpstreamWords): void {
  if (error !== undefined) record.attemptError = error
  if (message !== undefined) record.attemptMessage = message
  const last = record.attempts.at(-1)
  if (!last) return
  if (error !== undefined) last.error = error
  if (words !== undefined) last.words = words
  last.endedAt ??= performance.now()
}

/** What a receipt keeps of a call that failed: the status and the words of the upstream, and how long it took. */
export type AttemptFacts = { status?: number; vendor_code?: string; vendor_message?: string; ms?: number }

/** Tells of the last call, which has ended. */
export function attemptFacts({ attempts }: RequestRecord): AttemptFacts {
  const last = attempts.at(-1)
  if (!last) return {}
  const { status, words, startedAt, endedAt } = last
  return {
    ...(status === undefined ? {} : { status }),
    ...(words?.code === undefined ? {} : { vendor_code: words.code }),
    ...(words?.message === undefined ? {} : { vendor_message: words.message }),
    ...(endedAt === undefined ? {} : { ms: Math.round(endedAt - startedAt) }),
  }
}
