// Spans in the JSON encoding of OTLP. Written by hand: it is done for every request. Contents of requests and responses are not part
// of a record, so none can get here.

import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import { ROUTES } from '@trivium/protocol/routes.ts'
import { formatUsd } from '../../money/amount.ts'
import type { RequestRecord, UpstreamAttempt } from '../request-record.ts'
import { safeText } from '../safe-text.ts'
import { VERSION } from '../version.ts'
import type { Span } from './context.ts'
import { ATTEMPT_NAMES, OPERATIONS, providerOf, REQUEST_NAMES, SCHEMA_URL } from './names.ts'

const SERVER = 2
const CLIENT = 3
/** Callers may invent others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER_METHOD = '_OTHER'

/** The spans of a request that has ended now, separated by commas. `now`: milliseconds since 1970. */
export function encodeRequest(record: RequestRecord, own: Span, now: number): string {
  // Times of the monotonic clock, shown by the other one as it is now.
  const offset = now - record.startedAt - record.totalMs
  const { trace, status, route } = record
  const { parent } = trace ?? {}
  const method = METHODS.has(record.method) ? record.method : OTHER_METHOD
  const name = `${method === OTHER_METHOD ? 'HTTP' : method}${route ? ` ${ROUTES[route].path}` : ''}`
  let spans = begin(own.traceId, own.spanId, parent?.spanId, SERVER, name, record.startedAt + offset, now)
  if (parent?.state !== undefined) spans += `,"traceState":${jsonText(parent.state)}`
  spans += `,"attributes":[${requestAttributes(record, method)}]`
  spans += `${status >= 500 ? ERROR_STATUS : ''}}`
  for (const attempt of record.attempts) spans += `,${encodeAttempt(attempt, record, own, offset)}`
  return spans
}

function encodeAttempt(attempt: UpstreamAttempt, record: RequestRecord, own: Span, offset: number): string {
  const { startedAt, endedAt = startedAt, error, spanId = '' } = attempt
  const { name, attributes } = fixedPart(attempt)
  let span = begin(own.traceId, spanId, own.spanId, CLIENT, name, startedAt + offset, endedAt + offset)
  span += `,"attributes":[${attributes}`
  const { status, requestId } = attempt
  if (status !== undefined) span += `,${integer(ATTEMPT.status, status)}`
  if (requestId !== undefined) span += `,${text(ATTEMPT.upstreamRequestId, requestId)}`
  if (error !== undefined) span += `,${text(ATTEMPT.errorType, error)}`
  const { tokens } = record
  // The tokens of a request are those of the call that answered it.
  if (tokens && error === undefined && attempt === record.attempts.at(-1))
    span += `,${integer(ATTEMPT.inputTokens, tokens.input)},${integer(ATTEMPT.outputTokens, tokens.output)}`
  return `${span}]${error === undefined ? '' : ERROR_STATUS}}`
}

const ERROR_STATUS = ',"status":{"code":2}'

function begin(
  trace: string,
  span: string,
  parent: string | undefined,
  kind: number,
  name: string,
  start: number,
  end: number,
): string {
  const above = parent === undefined ? '' : `,"parentSpanId":"${parent}"`
  const times = `"startTimeUnixNano":"${nanos(start)}","endTimeUnixNano":"${nanos(end)}"`
  return `{"traceId":"${trace}","spanId":"${span}"${above},"kind":${kind},"name":${jsonText(name)},${times}`
}

/** Of milliseconds; a double has room for microseconds. */
const nanos = (ms: number): string => `${Math.round(ms * 1_000)}000`

type Prefixes<T> = { [K in keyof T]: string }
const prefixes = <T extends Record<string, string>>(names: T): Prefixes<T> =>
  Object.fromEntries(Object.entries(names).map(([id, name]) => [id, `{"key":"${name}","value":{`])) as Prefixes<T>
const REQUEST = prefixes(REQUEST_NAMES)
const ATTEMPT = prefixes(ATTEMPT_NAMES)

const text = (prefix: string, value: string): string => `${prefix}"stringValue":${jsonText(value)}}}`
const integer = (prefix: string, value: number): string => `${prefix}"intValue":"${value}"}}`
const double = (prefix: string, value: number): string =>
  `${prefix}"doubleValue":${Number.isFinite(value) ? Math.round(value * 10) / 10 : 0}}}`

function requestAttributes(record: RequestRecord, method: string): string {
  const { route, client, userAgent, clientRequestId, account, key, model, upstream, outcome, charged, status } = record
  let all = `${text(REQUEST.method, method)},${text(REQUEST.path, safeText(record.path))}`
  all += `,${integer(REQUEST.status, status)},${text(REQUEST.requestId, record.id)}`
  if (route) all += `,${text(REQUEST.route, ROUTES[route].path)}`
  if (client !== undefined) all += `,${text(REQUEST.client, client)}`
  if (userAgent !== undefined) all += `,${text(REQUEST.userAgent, safeText(userAgent))}`
  if (clientRequestId !== undefined) all += `,${text(REQUEST.clientRequestId, safeText(clientRequestId))}`
  if (account !== undefined) all += `,${text(REQUEST.account, `${account}`)},${text(REQUEST.key, `${key}`)}`
  if (model !== undefined) all += `,${text(REQUEST.model, safeText(model))}`
  if (upstream !== undefined) all += `,${text(REQUEST.upstream, upstream)}`
  if (outcome !== undefined) all += `,${text(REQUEST.outcome, outcome)}`
  if (record.error !== undefined) all += `,${text(REQUEST.errorType, record.error)}`
  if (charged !== undefined) all += `,${text(REQUEST.cost, formatUsd(charged))}`
  if (record.queuedMs > 0) all += `,${double(REQUEST.queueMs, record.queuedMs)}`
  if (record.firstTokenMs !== undefined) all += `,${double(REQUEST.firstTokenMs, record.firstTokenMs)}`
  return all
}

/** What all calls of one model at one upstream have in common. */
type FixedPart = { name: string; attributes: string }
const fixedParts = new WeakMap<UpstreamAttempt['upstream'], Map<string, FixedPart>>()
/** Callers can vary the names of embedded models. */
const MOST_PARTS = 1_000

function fixedPart({ upstream, model, dialect, operation: given }: UpstreamAttempt): FixedPart {
  const parts = fixedParts.get(upstream) ?? new Map<string, FixedPart>()
  const id = `${dialect} ${given ?? ''} ${model}`
  const known = parts.get(id)
  if (known) return known
  const { operation: usual, outputType } = OPERATIONS[dialect]
  const operation = given ?? usual
  const shown = safeText(model)
  const { hostname, port, protocol } = new URL(upstream.baseUrl)
  const attributes = [
    text(ATTEMPT.operation, operation),
    text(ATTEMPT.provider, providerOf(upstream.kind)),
    text(ATTEMPT.model, shown),
    text(ATTEMPT.upstream, upstream.id),
    text(ATTEMPT.server, hostname),
    integer(ATTEMPT.port, Number(port) || (protocol === 'http:' ? 80 : 443)),
    ...(outputType === undefined || given ? [] : [text(ATTEMPT.outputType, outputType)]),
  ]
  const part = { name: `${operation} ${shown}`, attributes: attributes.join(',') }
  if (parts.size >= MOST_PARTS) parts.clear()
  fixedParts.set(upstream, parts.set(id, part))
  return part
}

/** What stands before and after the spans of a batch. `resource`: what the spans are of. */
export function frameOf(resource: Readonly<Record<string, string>>): [before: string, after: string] {
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const scope = JSON.stringify({ name: 'trivium', version: VERSION })
  const before = `{"resourceSpans":[{"resource":${JSON.stringify({ attributes })},"scopeSpans":[{"scope":${scope},"spans":[`
  return [before, `],"schemaUrl":"${SCHEMA_URL}"}]}]}`]
}
