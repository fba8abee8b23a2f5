// Client and upstream speak the same dialect: the bytes pass, with the few edits that they need.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { joinEdits } from '@trivium/protocol/dialects/passing-request.ts'
import type { MeterOptions, PassingEdits, TextDialect } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Upstream } from '../config/types.ts'
import { upstreamPath } from '../upstreams/spoken.ts'
import { type Care, careFor, withoutPricedBetas } from './care.ts'
import { codec } from './codec.ts'
import { formatRequestId } from './ids.ts'
import type { Answerer, Asked, Outbound, StreamMeter } from './outbound.ts'
import { isAbout, isNamed } from './refused.ts'

export function passThrough(asked: Asked): Outbound {
  const { dialect, request, offer, candidate, parts, warnings } = asked
  const { upstream, route } = candidate
  const care = careFor(asked)
  warnings.push(...care.warnings)
  const model = upstreamModel(asked)
  const field = endUserField(dialect.id, upstream)
  const hasOne = request.endUser !== undefined || upstream.kind === 'sandbox' || field === undefined
  const endUser = hasOne || parts.refused.has(upstream.id, route.model, field) ? undefined : care.endUser
  const edits = editsFor(asked, care, model, endUser)
  let sent = asked.body
  return {
    dialect: dialect.id,
    maxOutput: undefined,
    wishes: care.wishes,
    path: upstreamPath(upstream, dialect.id, model, request.stream),
    headers: carriedHeaders(asked),
    body(maxOutput) {
      sent = request.edited(maxOutput === undefined ? edits : { ...edits, maxOutput })
      return sent
    },
    release: () => sent !== asked.body && letGo(asked.body),
    answerer: createAnswerer(dialect, asked.id, {
      showUsage: request.showUsage,
      choices: request.choices,
      asArray: asked.asArray,
      renameTo: route.model === offer.model.id ? undefined : offer.model.id,
    }),
    // What the caller wrote is the caller's to take out. Ours is the name of the end user.
    without(refusal) {
      if (endUser === undefined || field === undefined) return undefined
      // `user` is a word of many refusals.
      if (!(field === 'user' ? isNamed(refusal, field) : isAbout(refusal, field))) return undefined
      parts.refused.note(upstream.id, route.model, field)
      return passThrough(asked)
    },
  }
}

/** Smaller ones are not worth it. */
const LARGE_BYTES = 16 * 1024

/**
 * Gives the memory of a large body back at once, since an edited copy of it has been sent: until the collector comes by,
 * a few thousand streams that begin together would otherwise hold everything twice.
 */
function letGo(body: Uint8Array): void {
  const { buffer } = body
  const isWhole = body.byteLength === buffer.byteLength && body.byteLength > LARGE_BYTES
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Where a dialect names the end user. */
export const END_USER: Readonly<Record<TextDialect['id'], string | undefined>> = {
  chat: 'safety_identifier',
  responses: 'safety_identifier',
  messages: 'metadata.user_id',
  'generate-content': undefined,
}

function endUserField(dialect: TextDialect['id'], { service }: Upstream): string | undefined {
  const known = dialect === 'chat' ? service?.endUser : undefined
  return known === 'none' ? undefined : (known ?? END_USER[dialect])
}

/** The embedded model's fault switches follow its name: `sandbox-text:cut=3`. */
export function upstreamModel({ request, offer, candidate }: Asked): string {
  const { route, upstream } = candidate
  const { id } = offer.model
  return upstream.kind === 'sandbox' && request.model.startsWith(`${id}:`)
    ? route.model + request.model.slice(id.length)
    : route.model
}

function editsFor(asked: Asked, care: Care, model: string, endUser: string | undefined): PassingEdits {
  const { dialect, request } = asked
  const own: PassingEdits = dialect.id === 'chat' ? chatEdits(asked) : {}
  if (dialect.id !== 'generate-content' && model !== request.model) own.model = model
  if (endUser !== undefined) own.endUser = endUser
  if (care.cacheKey !== undefined) own.cacheKey = care.cacheKey
  return care.edits.length === 0 ? own : joinEdits([...care.edits, own])
}

function chatEdits({ request, candidate: { upstream } }: Asked): PassingEdits {
  const { service } = upstream
  const edits: PassingEdits = service ? { service } : {}
  if (!request.stream) return edits
  // Where usage comes unasked, the question is a mistake: also the caller's own, who gets the answer all the same.
  if (service?.streamUsage === 'unasked') edits.remove = ['stream_options']
  else edits.includeUsage = true
  return edits
}

/** Client headers that may go on to an upstream of the same dialect. */
const CARRIED: Readonly<Record<TextDialect['id'], readonly string[]>> = {
  chat: ['openai-beta'],
  responses: ['openai-beta'],
  messages: ['anthropic-version'],
  'generate-content': [],
}

/** The embedded model's own switches. */
const SANDBOX_HEADERS = ['x-sandbox-fault', 'x-sandbox-pace']

export function sandboxHeaders({ headers, candidate }: Asked): Record<string, string> {
  return candidate.upstream.kind === 'sandbox' ? pick(headers, SANDBOX_HEADERS) : {}
}

function carriedHeaders(asked: Asked): Record<string, string> {
  if (asked.candidate.upstream.kind === 'sandbox') return sandboxHeaders(asked)
  const { headers, dialect, warnings, offer } = asked
  const carried = pick(headers, CARRIED[dialect.id])
  const betas = dialect.id === 'messages' ? headers.get('anthropic-beta') : null
  if (betas === null) return carried
  // A price of a long context is all that they need.
  if (offer.rate.price.longContext) return { ...carried, 'anthropic-beta': betas }
  const { kept, removed } = withoutPricedBetas(betas)
  if (removed.length > 0) warnings.push('anthropic-beta;no-price')
  return kept === '' ? carried : { ...carried, 'anthropic-beta': kept }
}

function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) picked[name] = value
  }
  return picked
}

/** A function of its own: what it returns lives as long as the answer, and must not hold on to the request. */
function createAnswerer(dialect: TextDialect, id: bigint, options: MeterOptions): Answerer {
  const { asArray } = options
  return {
    streamType: asArray ? 'application/json' : 'text/event-stream',
    heartbeat: heartbeatOf(dialect, asArray === true),
    readReply: (bytes) => dialect.passing.readReply(bytes, codec, options.renameTo),
    openMeter: () => (asArray ? openArrayMeter(dialect, options) : openEventMeter(dialect, options, id)),
  }
}

function openEventMeter(dialect: TextDialect, options: MeterOptions, id: bigint): StreamMeter {
  const meter = dialect.passing.openMeter(options, codec)
  const fail = (error: ErrorInfo) => {
    const requestId = formatRequestId(id)
    return meter.abandon?.(error, requestId) ?? Buffer.from(dialect.encodeStreamError(error, requestId))
  }
  return Object.assign(meter, { fail })
}

/** An error within an array is one more element of it, and ends it. */
function openArrayMeter(dialect: TextDialect, options: MeterOptions): StreamMeter {
  const meter = dialect.passing.openMeter(options, codec)
  let begun = false
  return {
    ...{ state: meter.state, end: meter.end, stop: meter.stop },
    push(chunk) {
      const bytes = meter.push(chunk)
      begun ||= bytes.length > 0
      return bytes
    },
    fail: (error) => Buffer.from(dialect.encodeArrayStreamError?.(error, begun) ?? ''),
  }
}

const heartbeats = new Map<string, Uint8Array>()

/** White space between the elements of a JSON array says as little as a comment between events. */
export function heartbeatOf(dialect: TextDialect, asArray: boolean): Uint8Array {
  const text = asArray ? '\n' : dialect.heartbeat
  const bytes = heartbeats.get(text) ?? Buffer.from(text)
  heartbeats.set(text, bytes)
  return bytes
}
