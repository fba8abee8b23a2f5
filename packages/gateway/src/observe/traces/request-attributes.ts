// What the span of a request says of it. Contents of requests and responses are not part of a record, so none can get here.

import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import { ROUTES } from '@trivium/protocol/routes.ts'
import type { RequestRecord } from '../request-record.ts'
import { safeText } from '../safe-text.ts'
import { OPEN_INFERENCE_REQUEST, REQUEST_NAMES } from './names.ts'
import {
  BARE_END,
  flat,
  integer,
  joined,
  list,
  plain,
  prefixes,
  prefixesTo,
  QUOTED_END,
  rareText,
  tenths,
  text,
} from './values.ts'

/** Callers may invent others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER_METHOD = '_OTHER'

const REQUEST = prefixes(REQUEST_NAMES)
const TEXT = prefixesTo(REQUEST_NAMES, 'stringValue')
const DOUBLE = prefixesTo(REQUEST_NAMES, 'doubleValue')

/** `name`: in JSON. */
export type FixedPart = { name: string; attributes: string }

/** What all requests of one route have in common; those of no route share one of each method. */
const routeParts = new Map<string, FixedPart>()

export function fixedPartOfRoute({ method: sent, route }: RequestRecord): FixedPart {
  const method = METHODS.has(sent) ? sent : OTHER_METHOD
  const id = `${method} ${route}`
  const known = routeParts.get(id)
  if (known) return known
  const path = route && ROUTES[route].path
  const name = `${method === OTHER_METHOD ? 'HTTP' : method}${path === undefined ? '' : ` ${path}`}`
  const attributes = joined([
    text(REQUEST.method, method),
    plain(REQUEST.openInferenceKind, OPEN_INFERENCE_REQUEST),
    ...(path === undefined ? [] : [text(REQUEST.route, path)]),
  ])
  const part = { name: flat(jsonText(name)), attributes: flat(attributes) }
  routeParts.set(id, part)
  return part
}

/** Each after a comma. `cost`: in USD. */
export function requestAttributes(record: RequestRecord, cost: string | undefined): string {
  const { id, path, clientRequestId, error, queuedMs, firstTokenMs, attribution } = record
  let all = `${text(REQUEST.path, path)}${callerPart(record)}${resultPart(record)}${TEXT.requestId}${id}${QUOTED_END}`
  if (cost !== undefined) all = `${all}${TEXT.cost}${cost}${QUOTED_END}`
  if (queuedMs > 0) all = `${all}${DOUBLE.queueMs}${tenths(queuedMs)}${BARE_END}`
  if (firstTokenMs !== undefined) all = `${all}${DOUBLE.firstTokenMs}${tenths(firstTokenMs)}${BARE_END}`
  if (clientRequestId !== undefined) all += rareText(REQUEST.clientRequestId, safeText(clientRequestId))
  if (error !== undefined) all += plain(REQUEST.errorType, error)
  if (attribution === undefined) return all
  const { tags, endUser, session } = attribution
  if (endUser !== '') all += rareText(REQUEST.endUser, endUser)
  if (session !== '') all += rareText(REQUEST.session, session)
  if (tags.length > 0) all += list(REQUEST.tags, tags) + list(REQUEST.openInferenceTags, tags)
  return all
}

/** What the last request of a key said of its caller: the next one mostly says the same, in a text that exists already. */
type CallerPart = Pick<RequestRecord, 'client' | 'userAgent'> & { attributes: string }
type ResultPart = Pick<RequestRecord, 'status' | 'upstream' | 'outcome'> & { attributes: string }

const callerParts = new Map<bigint | undefined, CallerPart>()
const resultParts = new Map<string | undefined, ResultPart>()
/** Each map has at most so many. Names of models are the callers'. */
const MOST_PARTS = 1_000

function callerPart({ key, account, client, userAgent }: RequestRecord): string {
  const known = callerParts.get(key)
  if (known && known.client === client && known.userAgent === userAgent) return known.attributes
  let attributes = ''
  if (client !== undefined) attributes += text(REQUEST.client, client)
  if (userAgent !== undefined) attributes += text(REQUEST.userAgent, userAgent)
  if (account !== undefined && key !== undefined)
    attributes += plain(REQUEST.account, account) + plain(REQUEST.key, key)
  attributes = flat(attributes)
  if (callerParts.size >= MOST_PARTS) callerParts.clear()
  callerParts.set(key, { client, userAgent, attributes })
  return attributes
}

function resultPart({ model, status, upstream, outcome }: RequestRecord): string {
  const known = resultParts.get(model)
  if (known && known.status === status && known.upstream === upstream && known.outcome === outcome)
    return known.attributes
  let attributes = integer(REQUEST.status, status)
  if (model !== undefined) attributes += text(REQUEST.model, model)
  if (upstream !== undefined) attributes += text(REQUEST.upstream, upstream)
  if (outcome !== undefined) attributes += plain(REQUEST.outcome, outcome)
  attributes = flat(attributes)
  if (resultParts.size >= MOST_PARTS) resultParts.clear()
  resultParts.set(model, { status, upstream, outcome, attributes })
  return attributes
}
