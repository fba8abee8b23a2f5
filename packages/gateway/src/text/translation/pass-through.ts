// Client and upstream have the same dialect: the bytes pass through, with the few edits that they need.

import type { RequestHeaders } from '@trivium/http/request.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type {
  MeterOptions,
  PassThroughEdits,
  PassThroughReply,
  ReplyQuirks,
} from '@trivium/protocol/dialects/pass-through.ts'
import { boundFor, pathOf } from '@trivium/protocol/dialects/shared/pass-through/output-fields.ts'
import { joinEdits } from '@trivium/protocol/dialects/shared/pass-through/request.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { codec } from '../../bytes/codec.ts'
import type { PricedOptions } from '../../money/prices/token-price.ts'
import { formatRequestId } from '../../request/ids.ts'
import { noteCap, quirksOf, upstreamPath } from '../../upstreams/endpoint.ts'
import { choiceCap, modelCap } from '../billing/bounds.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { collectFrom, collectorFor, collectWhole, type ReasoningCollector } from '../reasoning/collect-reasoning.ts'
import { warnOfLostReasoning } from '../reasoning/lost-reasoning.ts'
import { hasToolCalls, wantedBy } from '../reasoning/recall-reasoning.ts'
import type { PlannedAttempt } from '../request.ts'
import { hidingEncrypted } from './hide-encrypted.ts'
import { echoOfEdits } from './operator-edits.ts'
import type { Answerer, Outbound, StreamMeter } from './outbound.ts'
import { pseudonymOf, type TenantPolicy, tenantPolicy, withoutPricedBetas } from './tenant-policy.ts'
import { isAbout, isNamed } from './unsupported-fields.ts'

export function passThrough(planned: PlannedAttempt, deps: TextCallDependencies): Outbound {
  const policy = tenantPolicy(planned, deps)
  for (const field of policy.unpriced) addWarning(planned.warnings, field, 'no-price')
  return new PassingOutbound(planned, policy, deps)
}

/** Classes, not closures as elsewhere: there is one of each for every request, and most methods are never called. */
class PassingOutbound implements Outbound {
  readonly dialect: TextDialect['id']
  readonly path: string
  readonly headers: Record<string, string>
  readonly maxOutput = undefined
  readonly options: PricedOptions
  readonly answerer: Answerer
  readonly #planned: PlannedAttempt
  readonly #deps: TextCallDependencies
  readonly #edits: PassThroughEdits
  /** Filled when the body is made, which knows the cap. */
  readonly #quirks: ReplyQuirks | undefined
  /** The field in which the gateway names the end user, if it does. */
  readonly #named: string | undefined
  #isEdited = false

  constructor(planned: PlannedAttempt, policy: TenantPolicy, deps: TextCallDependencies) {
    const { request, offer, candidate } = planned
    const { dialect, parsed } = request
    const { upstream, route } = candidate
    const model = upstreamModel(planned)
    this.#named = fieldToName(planned, deps)
    this.dialect = dialect.id
    const path = request.servicePath ?? upstreamPath(upstream, dialect.id, model, parsed.stream)
    this.path = dialect.carriedQuery ? path + carriedQuery(planned, dialect.carriedQuery) : path
    this.headers = carriedHeaders(planned)
    this.options = policy.options
    this.#quirks = quirksOf(upstream, dialect.id)
    const options: MeterOptions = {
      quirks: this.#quirks,
      showUsage: parsed.showUsage,
      choices: parsed.choices,
      asArray: request.asArray,
      renameTo: route.model === offer.model.id ? undefined : offer.model.id,
      ...echoFor(planned, this.#named),
    }
    const answerer = new PassingAnswerer(dialect, request.id, options, passingCollector(planned, deps))
    this.answerer = request.conversation?.hidesEncrypted ? hidingEncrypted(answerer) : answerer
    this.#planned = planned
    this.#deps = deps
    this.#edits = editsFor(planned, policy, model, this.#named === undefined ? undefined : policy.endUser, deps)
  }

  body(maxOutput: number | undefined): Pieces {
    const { request, candidate } = this.#planned
    const { parsed, body } = request
    if (this.#quirks) noteCap(this.#quirks, candidate.upstream, this.dialect, [parsed.maxOutput, maxOutput])
    const pieces = parsed.edited(maxOutput === undefined ? this.#edits : { ...this.#edits, maxOutput })
    this.#isEdited = pieces[0] !== body
    return pieces
  }

  release(): void {
    if (this.#isEdited) freeMemory(this.#planned.request.body)
  }

  /** Only what the gateway added may be dropped: all other fields are the caller's. */
  without(rejection: ErrorInfo): Outbound | undefined {
    const field = this.#rejected(rejection)
    if (field === undefined) return undefined
    const { candidate } = this.#planned
    this.#deps.unsupportedFields.note(candidate.upstream.id, candidate.route.model, field)
    return passThrough(this.#planned, this.#deps)
  }

  /** Which field of those that the gateway added. */
  #rejected(rejection: ErrorInfo): string | undefined {
    if (this.#edits.reasoning && isNamed(rejection, REASONING)) return REASONING
    if (this.#edits.set?.include !== undefined && isAboutInclude(rejection)) return INCLUDE
    const field = this.#named
    // `user` occurs in many error messages.
    return field !== undefined && (field === 'user' ? isNamed(rejection, field) : isAbout(rejection, field))
      ? field
      : undefined
  }
}

const INCLUDE = 'include'
const isAboutInclude = (rejection: ErrorInfo): boolean =>
  isNamed(rejection, INCLUDE) || /encrypted[ _]content/i.test(rejection.message)

/** Smaller bodies are left to the garbage collector. */
const LARGE_BYTES = 16 * 1024

/**
 * Frees the memory of a large body at once, since an edited body was copied when it was sent: a few thousand streams that begin
 * together would otherwise keep all of theirs until the next garbage collection.
 */
function freeMemory(body: Uint8Array): void {
  // Reading the `buffer` of a small array would allocate one.
  if (body.byteLength <= LARGE_BYTES) return
  const { buffer, byteOffset, byteLength } = body
  // The same buffer may begin with the request's head, which has been read, and end with the next request, which has not.
  const isLast = byteOffset + byteLength === buffer.byteLength
  if (isLast && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** The field for an end user that the caller has not named. */
function fieldToName(
  { request: { dialect, parsed }, candidate }: PlannedAttempt,
  { unsupportedFields }: TextCallDependencies,
): string | undefined {
  const { upstream, route } = candidate
  if (parsed.endUser !== undefined || upstream.embedded) return undefined
  const field = dialect.endUserField(upstream.service)
  return field === undefined || unsupportedFields.has(upstream.id, route.model, field) ? undefined : field
}

/** The embedded model's fault switches follow its name: `sandbox-text:cut=3`. */
export function upstreamModel({ request: { parsed }, offer, candidate }: PlannedAttempt): string {
  const { route, upstream } = candidate
  const { id } = offer.model
  return upstream.embedded && parsed.model.startsWith(`${id}:`)
    ? route.model + parsed.model.slice(id.length)
    : route.model
}

/** The warning about dropped references to earlier reasoning. */
export const ITEM_REFERENCE = 'item_reference'

function editsFor(
  planned: PlannedAttempt,
  policy: TenantPolicy,
  model: string,
  endUser: string | undefined,
  deps: TextCallDependencies,
): PassThroughEdits {
  const { dialect, parsed, body } = planned.request
  const own: PassThroughEdits =
    dialect.passThrough.serviceEdits?.(planned.candidate.upstream.service, parsed.stream) ?? {}
  if (dialect.endpoint.fillPath === undefined && model !== parsed.model) own.model = model
  const { baseModel } = planned.candidate.route
  if (baseModel !== undefined) own.baseModel = baseModel
  if (endUser !== undefined) own.endUser = endUser
  if (parsed.endUserFields.length > 0) hideEndUsers(own, planned, deps)
  if (policy.cacheKey !== undefined) own.cacheKey = policy.cacheKey
  const include = includeFor(planned, deps)
  if (include !== undefined) own.set = { ...own.set, include }
  // Where callers share stored objects, the vendor can look them up.
  if (parsed.reasoningReferences && !planned.candidate.upstream.sharedObjects) {
    own.withoutReasoningReferences = true
    addWarning(planned.warnings, ITEM_REFERENCE, 'dropped')
  }
  if (parsed.storing && parsed.storing.length > 0 && !planned.candidate.upstream.sharedObjects) {
    own.remove = [...(own.remove ?? []), ...parsed.storing]
    for (const field of parsed.storing) addWarning(planned.warnings, field, 'dropped')
  }
  const ours = parsed.attribution?.own ?? NO_FIELDS
  if (ours.length > 0) own.remove = [...(own.remove ?? []), ...ours]
  if (parsed.foreignReasoning) own.withoutForeignReasoning = true
  if (parsed.outputFields.length > 0) boundOutput(own, planned, deps)
  const reasoning = parsed.calledMessages && hasToolCalls(body) && reasoningFor(planned, deps)
  if (reasoning) own.reasoning = reasoning
  return policy.edits.length === 0 ? own : joinEdits([...policy.edits, own])
}

/** Models that do not reason reject it. */
function includeFor(
  { request: { conversation }, candidate: { upstream, route } }: PlannedAttempt,
  { unsupportedFields }: TextCallDependencies,
): string | undefined {
  const isKnown = upstream.embedded || unsupportedFields.has(upstream.id, route.model, INCLUDE)
  return isKnown ? undefined : conversation?.include
}

const NO_FIELDS: readonly string[] = []
const REASONING = 'reasoning_content'

/** Reasoning for messages with tool calls that came back without it. A service that demands it takes empty text. */
function reasoningFor(
  { request: { parsed, dialect, recalled }, candidate, warnings }: PlannedAttempt,
  { unsupportedFields }: TextCallDependencies,
): ReadonlyMap<number, string> | undefined {
  const { upstream, route } = candidate
  const wanted = wantedBy(candidate, { dialect, parsed })
  if (!wanted || unsupportedFields.has(upstream.id, route.model, REASONING)) return undefined
  if (recalled?.isLostAt(upstream.id)) warnOfLostReasoning(dialect, warnings)
  if (!wanted.isDemanded && !recalled?.has(upstream.id)) return undefined
  const texts = (parsed.calledMessages?.() ?? []).flatMap((message): [number, string][] => {
    const text = message.hasReasoning ? undefined : (recalled?.textOf(message, upstream.id) ?? '')
    return text === undefined || (text === '' && !wanted.isDemanded) ? [] : [[message.index, text]]
  })
  return texts.length === 0 ? undefined : new Map(texts)
}

/** The vendor sees pseudonyms of the caller's end users, different for each account. */
function hideEndUsers(into: PassThroughEdits, planned: PlannedAttempt, deps: TextCallDependencies): void {
  const set: Record<string, string> = {}
  for (const { field, value } of planned.request.parsed.endUserFields) {
    const pseudonym = pseudonymOf(planned, value, deps)
    if (pseudonym === undefined) return
    // The dialect's own edit reaches a field inside another one.
    if (field.includes('.')) into.endUser = pseudonym
    else set[field] = JSON.stringify(pseudonym)
  }
  into.set = { ...into.set, ...set }
}

/** Responses of one dialect repeat the request: they show the caller's own values, and nothing that the gateway added. */
function echoFor(planned: PlannedAttempt, added: string | undefined): Pick<MeterOptions, 'echo'> {
  const { request, candidate } = planned
  const { dialect, parsed } = request
  if (!dialect.echoesRequest) return {}
  const echo = [...(request.conversation?.echo ?? []), ...echoOfEdits(planned, dialect.id)]
  if (candidate.upstream.sharedObjects) return { echo }
  const own = parsed.endUserFields.map(({ field, value }) => ({ name: field, json: JSON.stringify(value) }))
  return { echo: [...own, ...echo, ...(added === undefined ? [] : [{ name: added, json: 'null' }])] }
}

/** No field that the upstream may read as a cap exceeds what is held. */
function boundOutput(into: PassThroughEdits, planned: PlannedAttempt, { statistics }: TextCallDependencies): void {
  const { candidate, warnings } = planned
  const { parsed } = planned.request
  const { extraCapFields } = candidate.upstream
  const fields = parsed.outputFields.filter(({ name }) => extraCapFields === undefined || extraCapFields.includes(name))
  const bounds = { cap: choiceCap(parsed, modelCap(planned, statistics)), choices: parsed.choices }
  for (const field of fields) {
    const bound = boundFor(field, bounds)
    if (bound !== undefined) addWarning(warnings, pathOf(field), bound === 'removed' ? 'dropped' : 'lowered')
  }
  into.outputFields = { fields, bounds }
}

/** Fault switches of the embedded upstream. */
const SANDBOX_HEADERS = ['x-sandbox-fault', 'x-sandbox-pace']

export function sandboxHeaders({ request, candidate }: PlannedAttempt): Record<string, string> {
  return candidate.upstream.embedded ? pick(request.headers, SANDBOX_HEADERS) : {}
}

function carriedHeaders(planned: PlannedAttempt): Record<string, string> {
  if (planned.candidate.upstream.embedded) return sandboxHeaders(planned)
  const { request, warnings, offer } = planned
  const { headers, dialect } = request
  const carried = pick(headers, dialect.carriedHeaders)
  const { betaHeader } = dialect
  const betas = betaHeader === undefined ? null : headers.get(betaHeader)
  if (betaHeader === undefined || betas === null) return carried
  // Beta features need nothing but a long-context price.
  if (offer.rate.price.longContext) return { ...carried, [betaHeader]: betas }
  const { kept, removed } = withoutPricedBetas(betas)
  if (removed.length > 0) addWarning(warnings, betaHeader, 'no-price')
  return kept === '' ? carried : { ...carried, [betaHeader]: kept }
}

/** Behind the path, which has no query of its own in these dialects. */
function carriedQuery({ request: { query }, candidate }: PlannedAttempt, names: readonly string[]): string {
  if (query === '' || candidate.upstream.embedded) return ''
  const carried = query.split('&').filter((pair) => names.includes(pair))
  return carried.length === 0 ? '' : `?${[...new Set(carried)].join('&')}`
}

function pick(headers: RequestHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) picked[name] = value
  }
  return picked
}

/** Only messages of the chat dialect have reasoning that clients drop. */
function passingCollector(planned: PlannedAttempt, { seals }: TextCallDependencies): ReasoningCollector | undefined {
  const mayReason =
    planned.request.parsed.calledMessages &&
    planned.request.parsed.tools > 0 &&
    wantedBy(planned.candidate, planned.request)
  return mayReason ? collectorFor(planned, false, seals) : undefined
}

/** Lives as long as the response, so it keeps nothing else of the request. */
class PassingAnswerer implements Answerer {
  readonly streamType: string
  readonly heartbeat: Uint8Array
  readonly #dialect: TextDialect
  readonly #id: bigint
  readonly #options: MeterOptions
  readonly collector: ReasoningCollector | undefined

  constructor(dialect: TextDialect, id: bigint, options: MeterOptions, collector: ReasoningCollector | undefined) {
    this.collector = collector
    this.streamType = options.asArray ? 'application/json' : 'text/event-stream'
    this.heartbeat = heartbeatOf(dialect, options.asArray === true)
    this.#dialect = dialect
    this.#id = id
    this.#options = options
  }

  readReply(bytes: Uint8Array): PassThroughReply {
    if (this.collector && hasToolCalls(bytes)) collectWhole(bytes, this.#dialect, this.collector)
    const { renameTo, echo, quirks } = this.#options
    return this.#dialect.passThrough.readReply(bytes, codec, renameTo, echo, quirks)
  }

  openMeter(): StreamMeter {
    const [dialect, options] = [this.#dialect, this.#options]
    const meter = options.asArray ? openArrayMeter(dialect, options) : openEventMeter(dialect, options, this.#id)
    return this.collector ? collecting(meter, dialect, this.collector) : meter
  }
}

function openEventMeter(dialect: TextDialect, options: MeterOptions, id: bigint): StreamMeter {
  const meter = dialect.passThrough.openMeter(options, codec)
  const fail = (error: ErrorInfo) => {
    const requestId = formatRequestId(id)
    return meter.abandon?.(error, requestId) ?? Buffer.from(dialect.encodeStreamError(error, requestId))
  }
  return Object.assign(meter, { fail })
}

function collecting(meter: StreamMeter, dialect: TextDialect, collector: ReasoningCollector): StreamMeter {
  const collect = collectFrom(dialect, collector)
  const push = meter.push.bind(meter)
  return Object.assign(meter, {
    push(chunk: Uint8Array) {
      collect(chunk)
      return push(chunk)
    },
  })
}

/** An error within an array is its last element. */
function openArrayMeter(dialect: TextDialect, options: MeterOptions): StreamMeter {
  const meter = dialect.passThrough.openMeter(options, codec)
  let begun = false
  return {
    state: meter.state,
    end: meter.end,
    stop: meter.stop,
    push(chunk) {
      const bytes = meter.push(chunk)
      begun ||= bytes.length > 0
      return bytes
    },
    fail: (error) => Buffer.from(dialect.encodeArrayStreamError?.(error, begun) ?? ''),
  }
}

const heartbeats = new Map<string, Uint8Array>()

/** White space between the elements of a JSON array is ignored, as comments between events are. */
export function heartbeatOf(dialect: TextDialect, asArray: boolean): Uint8Array {
  const text = asArray ? '\n' : dialect.heartbeat
  const known = heartbeats.get(text)
  if (known) return known
  const bytes = Buffer.from(text)
  heartbeats.set(text, bytes)
  return bytes
}
