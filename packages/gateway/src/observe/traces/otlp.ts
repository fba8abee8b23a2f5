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
  const { trace, status } = record
  const { parent } = trace ?? {}
  const { name, attributes } = fixedPartOfRoute(record)
  let spans = begin(own.traceId, own.spanId, parent?.spanId, SERVER, name, record.startedAt + offset, now)
  if (parent?.state !== undefined) spans += `,"traceState":${jsonText(parent.state)}`
  spans += `,"attributes":[${attributes}${requestAttributes(record)}]`
  spans += `${status >= 500 ? ERROR_STATUS : ''}}`
  for (const attempt of record.attempts) spans += `,${encodeAttempt(attempt, record, own, offset)}`
  return spans
}

/** The spans of calls for a task, some time after the request that began it. `own`: the span of that request. */
export function encodeCalls(record: RequestRecord, own: Span, now: number): string {
  const offset = now - performance.now()
  return record.attempts.map((attempt) => encodeAttempt(attempt, record, own, offset)).join(',')
}

function encodeAttempt(attempt: UpstreamAttempt, record: RequestRecord, own: Span, offset: number): string {
  const { startedAt, endedAt = startedAt, error, spanId = '' } = attempt
  const { name, attributes } = fixedPart(attempt)
  let span = begin(own.traceId, spanId, own.spanId, CLIENT, name, startedAt + offset, endedAt + offset)
  span += `,"attributes":[${attributes}`
  const { status, requestId } = attempt
  if (status !== undefined) span += `,${integer(ATTEMPT.status, status)}`
  if (requestId !== undefined) span += `,${ATTEMPT.upstreamRequestId}"stringValue":${jsonText(requestId)}}}`
  if (error !== undefined) span += `,${plain(ATTEMPT.errorType, error)}`
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
  /** In JSON. */
  name: string,
  start: number,
  end: number,
): string {
  const above = parent === undefined ? '' : `,"parentSpanId":"${parent}"`
  const times = `"startTimeUnixNano":"${nanos(start)}","endTimeUnixNano":"${nanos(end)}"`
  return `{"traceId":"${trace}","spanId":"${span}"${above},"kind":${kind},"name":${name},${times}`
}

/** Nanoseconds as text, exact to the microsecond: a double has room for no more. */
const nanos = (ms: number): string => `${Math.round(ms * 1_000)}000`

type Prefixes<T> = { [K in keyof T]: string }
const prefixes = <T extends Record<string, string>>(names: T): Prefixes<T> =>
  Object.fromEntries(Object.entries(names).map(([id, name]) => [id, `{"key":"${name}","value":{`])) as Prefixes<T>
const REQUEST = prefixes(REQUEST_NAMES)
const ATTEMPT = prefixes(ATTEMPT_NAMES)

const text = (prefix: string, value: string): string => `${prefix}"stringValue":${quoted(value)}}}`
/** For values without a character that JSON escapes. */
const plain = (prefix: string, value: string | bigint): string => `${prefix}"stringValue":"${value}"}}`
const integer = (prefix: string, value: number): string => `${prefix}"intValue":"${value}"}}`
const double = (prefix: string, value: number): string =>
  `${prefix}"doubleValue":${Number.isFinite(value) ? Math.round(value * 10) / 10 : 0}}}`

/** Safe texts in JSON. Nearly all of them come again, and making one costs more than the rest of an attribute. */
const quotedTexts = new Map<string, string>()
const MOST_TEXTS = 1_000
const LONGEST_KEPT = 256

function quoted(value: string): string {
  const known = quotedTexts.get(value)
  if (known !== undefined) return known
  const made = jsonText(safeText(value))
  if (value.length > LONGEST_KEPT) return made
  if (quotedTexts.size >= MOST_TEXTS) quotedTexts.clear()
  quotedTexts.set(value, made)
  return made
}

/** Each after a comma. */
function requestAttributes(record: RequestRecord): string {
  const { client, userAgent, clientRequestId, account, key, model, upstream, outcome, charged, status } = record
  let all = `,${integer(REQUEST.status, status)},${plain(REQUEST.requestId, record.id)},${text(REQUEST.path, record.path)}`
  if (client !== undefined) all += `,${text(REQUEST.client, client)}`
  if (userAgent !== undefined) all += `,${text(REQUEST.userAgent, userAgent)}`
  if (clientRequestId !== undefined)
    all += `,${REQUEST.clientRequestId}"stringValue":${jsonText(safeText(clientRequestId))}}}`
  if (account !== undefined && key !== undefined)
    all += `,${plain(REQUEST.account, account)},${plain(REQUEST.key, key)}`
  if (model !== undefined) all += `,${text(REQUEST.model, model)}`
  if (upstream !== undefined) all += `,${text(REQUEST.upstream, upstream)}`
  if (outcome !== undefined) all += `,${plain(REQUEST.outcome, outcome)}`
  if (record.error !== undefined) all += `,${plain(REQUEST.errorType, record.error)}`
  if (charged !== undefined) all += `,${plain(REQUEST.cost, formatUsd(charged))}`
  if (record.queuedMs > 0) all += `,${double(REQUEST.queueMs, record.queuedMs)}`
  if (record.firstTokenMs !== undefined) all += `,${double(REQUEST.firstTokenMs, record.firstTokenMs)}`
  return all
}

/** `name`: in JSON. */
type FixedPart = { name: string; attributes: string }

/** What all requests of one route have in common; those of no route share one of each method. */
const routeParts = new Map<string, FixedPart>()

function fixedPartOfRoute({ method: sent, route }: RequestRecord): FixedPart {
  const method = METHODS.has(sent) ? sent : OTHER_METHOD
  const id = `${method} ${route}`
  const known = routeParts.get(id)
  if (known) return known
  const path = route && ROUTES[route].path
  const name = `${method === OTHER_METHOD ? 'HTTP' : method}${path === undefined ? '' : ` ${path}`}`
  const attributes = `${text(REQUEST.method, method)}${path === undefined ? '' : `,${text(REQUEST.route, path)}`}`
  const part = { name: jsonText(name), attributes }
  routeParts.set(id, part)
  return part
}

/** What all calls of one model at one upstream have in common. */
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
  const part = { name: jsonText(`${operation} ${shown}`), attributes: attributes.join(',') }
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
