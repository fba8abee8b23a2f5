// Spans in the JSON encoding of OTLP. Contents of requests and responses are not part of a record, so none can get here.

import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import { formatUsd } from '../../money/amount.ts'
import type { RequestRecord, UpstreamAttempt } from '../request-record.ts'
import { VERSION } from '../version.ts'
import { callAttributes, fixedPart } from './call-attributes.ts'
import type { Span } from './context.ts'
import { SCHEMA_URL } from './names.ts'
import { fixedPartOfRoute, requestAttributes } from './request-attributes.ts'

const SERVER = 2
const CLIENT = 3

/** The spans of a request that has ended now, separated by commas. `now`: milliseconds since 1970. */
export function encodeRequest(record: RequestRecord, own: Span, now: number): string {
  // Times of the monotonic clock, shown by the other one as it is now.
  const offset = now - record.startedAt - record.totalMs
  const { trace, status, charged } = record
  const { parent } = trace ?? {}
  const { name, attributes } = fixedPartOfRoute(record)
  const cost = charged === undefined ? undefined : formatUsd(charged)
  let spans = begin(own.traceId, own.spanId, parent?.spanId, SERVER, name, record.startedAt + offset, now)
  if (parent?.state !== undefined) spans += `,"traceState":${jsonText(parent.state)}`
  spans += `,"attributes":[${attributes}${requestAttributes(record, cost)}]`
  spans += `${status >= 500 ? ERROR_STATUS : ''}}`
  for (const attempt of record.attempts) spans += `,${encodeAttempt(attempt, record, own, cost, offset)}`
  return spans
}

/** The spans of calls for a task, some time after the request that began it. `own`: the span of that request. */
export function encodeCalls(record: RequestRecord, own: Span, now: number): string {
  const offset = now - performance.now()
  return record.attempts.map((attempt) => encodeAttempt(attempt, record, own, undefined, offset)).join(',')
}

function encodeAttempt(
  attempt: UpstreamAttempt,
  record: RequestRecord,
  own: Span,
  cost: string | undefined,
  offset: number,
): string {
  const { startedAt, endedAt = startedAt, error, spanId = '' } = attempt
  const part = fixedPart(attempt, record.route)
  const before = begin(own.traceId, spanId, own.spanId, CLIENT, part.name, startedAt + offset, endedAt + offset)
  const attributes = callAttributes(attempt, part, record, cost, offset)
  return `${before},"attributes":[${part.attributes}${attributes}]${error === undefined ? '' : ERROR_STATUS}}`
}

const ERROR_STATUS = ',"status":{"code":2}'

function begin(
  trace: string,
  span: string,
  parent: string | undefined,
  kind: number,
  /** In JSON. */
  name: string,
  start: number,
  end: number,
): string {
  const above = parent === undefined ? '' : `"parentSpanId":"${parent}",`
  return `{"traceId":"${trace}","spanId":"${span}",${above}"kind":${kind},"name":${name},"startTimeUnixNano":"${micros(start)}000","endTimeUnixNano":"${micros(end)}000"`
}

/** Microseconds since 1970: a double has room for no more. Nanoseconds are these with zeros. */
const micros = (ms: number): number => Math.round(ms * 1_000)

/** What stands before and after the spans of a batch. `resource`: what the spans are of. */
export function frameOf(resource: Readonly<Record<string, string>>): [before: string, after: string] {
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const scope = JSON.stringify({ name: 'trivium', version: VERSION })
  const before = `{"resourceSpans":[{"resource":${JSON.stringify({ attributes })},"scopeSpans":[{"scope":${scope},"spans":[`
  return [before, `],"schemaUrl":"${SCHEMA_URL}"}]}]}`]
}
