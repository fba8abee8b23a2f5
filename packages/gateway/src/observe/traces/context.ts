// The trace that a request belongs to, by the rules of W3C Trace Context: read from the caller's headers, and passed on.

import type { RequestHeaders } from '@trivium/http/request.ts'

/** The span of the caller. `header` and `state`: the headers as they came. */
export type Parent = { traceId: string; spanId: string; isSampled: boolean; header: string; state: string | undefined }

/** `own`: the span of the request; undefined where tracing is off. */
export type Trace = { parent: Parent | undefined; own: Span | undefined }
export type Span = { traceId: string; spanId: string; isSampled: boolean }

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/
/** The header in version 00. Later versions may append fields. */
const LENGTH = 55
const LONGEST = 256
const STATE = /^[\x20-\x7e]{1,512}$/

/** undefined: the caller sends none, or one that is not valid, which begins a new trace. */
export function parentIn(headers: RequestHeaders): Parent | undefined {
  const header = headers.get('traceparent')
  if (header === null || header.length < LENGTH || header.length > LONGEST) return undefined
  const [, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || (version === '00' && header.length !== LENGTH)) return undefined
  const state = headers.get('tracestate')
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, isSampled, header, state: state !== null && STATE.test(state) ? state : undefined }
}

/** Adds the headers of a call to an upstream. `spanId`: of that call; undefined: the caller's headers are passed on unchanged. */
export function passOn({ parent, own }: Trace, spanId: string | undefined, headers: Record<string, string>): void {
  if (own && spanId !== undefined) headers.traceparent = traceparent({ ...own, spanId })
  else if (parent) headers.traceparent = parent.header
  if (parent?.state !== undefined) headers.tracestate = parent.state
}

export const traceIdOf = ({ parent, own }: Trace): string | undefined => own?.traceId ?? parent?.traceId

export const traceparent = ({ traceId, spanId, isSampled }: Span): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** Random bytes are drawn in advance: a system call for each id would cost more than the rest of a span. */
const pool = Buffer.alloc(8_192)
let used = pool.length

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

/** All zeros are not valid, and do not happen. */
export const newTraceId = (): string => randomHex(16)
export const newSpanId = (): string => randomHex(8)
