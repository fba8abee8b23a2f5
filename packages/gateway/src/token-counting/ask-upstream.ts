// Asks the upstream that a request would be sent to for the number of its tokens: it knows best what it will bill.
import type { RequestHeaders } from '@trivium/http/request.ts'
import { type Json, RequestError } from '@trivium/protocol/canonical/reading.ts'
import { TEXT_DIALECTS, type TextDialect, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { applyOperatorEdits } from '@trivium/protocol/dialects/shared/pass-through/operator-edits.ts'
import type { Target } from '@trivium/protocol/dialects/text-dialect.ts'
import type { CountRequest, TokenCounting } from '@trivium/protocol/dialects/token-counting.ts'
import { withCandidates } from '../access/urls/url-policy.ts'
import { codec } from '../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import type { FreeCallLimit } from '../overload/free-call-limit.ts'
import { routeToHealthy } from '../routing/find-candidate.ts'
import type { Caller } from '../storage/storage.ts'
import type { TextCallDependencies } from '../text/dependencies.ts'
import { dialectOf } from '../text/translation/outbound.ts'
import { hasForeignReasoning } from '../text/translation/seals.ts'
import { endpointOf } from '../upstreams/endpoint.ts'
import type { AbsentEndpoints } from './absent-endpoints.ts'
import type { Tokenizer } from './tokenizer.ts'

export type CountDependencies = TextCallDependencies & {
  freeCallLimit: FreeCallLimit
  tokenizer: Tokenizer
  absentEndpoints: AbsentEndpoints
}

/** A request to count, of this caller. */
export type Counting = {
  caller: Caller
  record: RequestRecord
  dialect: TextDialect
  headers: RequestHeaders
  /** As it was sent. */
  bytes: Uint8Array
  request: CountRequest
}

/** A count that takes longer is made here. */
const TIMEOUT_MS = 5_000

/** undefined: no upstream can be asked, or it did not answer with a count. */
export async function askUpstream(
  counting: Counting,
  offer: OfferOf<'text'>,
  deps: CountDependencies,
): Promise<{ tokens: number; upstream: string } | undefined> {
  const { caller, request } = counting
  // Others are not called as long as these work, and may be other models.
  const first = Math.min(...offer.candidates.map(({ priority }) => priority))
  const canCount = (candidate: CandidateOf<'text'>): boolean =>
    candidate.priority === first &&
    countingDialectOf(candidate, counting.dialect.id) !== undefined &&
    !deps.absentEndpoints.has(candidate.upstream.id) &&
    (request.objects.length === 0 || candidate.upstream.sharedObjects)
  const candidate = routeToHealthy(withCandidates(offer, canCount, []), { caller }, deps)
  const dialect = candidate && countingDialectOf(candidate, counting.dialect.id)
  if (!candidate || !dialect) return undefined
  const model = upstreamModel(request.model, offer, candidate)
  const body = countBody(counting, dialect, candidate, model, deps)
  const tokens = body && (await ask(counting, dialect, candidate, model, body, deps))
  return tokens === undefined ? undefined : { tokens, upstream: candidate.upstream.id }
}

/** In the caller's dialect if the upstream has an endpoint for it, else in another one that counts. undefined: none does. */
function countingDialectOf(candidate: CandidateOf<'text'>, caller: TextDialectId): TextDialectId | undefined {
  const own = dialectOf(candidate, caller)
  const asked = candidate.upstream.endpoints.filter(({ models }) => !models)
  const all = [own, ...asked.map(({ dialect }) => dialect)]
  return all.find((id) => TEXT_DIALECTS[id].tokenCounting !== undefined)
}

/** The embedded model's fault switches follow its name. */
function upstreamModel(
  asked: string,
  { model: { id } }: OfferOf<'text'>,
  { upstream, route }: CandidateOf<'text'>,
): string {
  return upstream.embedded && asked.startsWith(`${id}:`) ? route.model + asked.slice(id.length) : route.model
}

/** undefined: the upstream's dialect cannot express the request. */
function countBody(
  { caller, dialect, bytes, request }: Counting,
  asked: TextDialectId,
  { upstream, route }: CandidateOf<'text'>,
  model: string,
  { seals }: CountDependencies,
): Record<string, unknown> | undefined {
  const { countBody } = TEXT_DIALECTS[asked].tokenCounting as TokenCounting
  const edited = (body: Json) => withSystem(body, asked, route)
  if (asked === dialect.id && !hasForeignReasoning(bytes, asked)) return countBody(edited(request.body), model)
  const target: Target = {
    model,
    baseModel: route.baseModel,
    maxOutput: undefined,
    service: upstream.service,
    warn: () => {},
    unseal: (signature) => seals.unseal(caller.account, upstream.id, signature) || undefined,
    fetched(url) {
      throw new RequestError('unsupported_parameter', undefined, `not fetched to be counted: ${url}`)
    },
  }
  try {
    return countBody(edited(TEXT_DIALECTS[asked].encodeRequest(request.canonical, target).body), model)
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}

/** With the text that the operator of the route puts around the caller's system prompt. */
function withSystem(body: Json, asked: TextDialectId, { edits }: CandidateOf<'text'>['route']): Json {
  const system = edits?.byDialect[asked]?.body.system
  const { editable } = TEXT_DIALECTS[asked]
  if (!system || !editable) return body
  const edited = applyOperatorEdits(codec.encode(JSON.stringify(body)), { system }, editable, codec)
  return JSON.parse(codec.decode(edited, 0, edited.length)) as Json
}

async function ask(
  { caller, record, headers, dialect: callers }: Counting,
  dialect: TextDialectId,
  { upstream, key }: CandidateOf<'text'>,
  model: string,
  body: Record<string, unknown>,
  { upstreamCalls, send, absentEndpoints }: CountDependencies,
): Promise<number | undefined> {
  const { endpoint, tokenCounting } = TEXT_DIALECTS[dialect]
  const path = endpoint.countPath?.(endpointOf(upstream, dialect).path, model) ?? ''
  const call = upstreamCalls.start(upstream, caller.account)
  call.endWithin(TIMEOUT_MS, 'timeout')
  try {
    const response = await send(upstream, {
      path,
      dialect,
      key,
      stream: false,
      cancel: call.cancellation,
      origin: { record, model, operation: 'count_tokens' },
      headers: dialect === callers.id ? carried(headers, callers, upstream.embedded === true) : {},
      body: [codec.encode(JSON.stringify(body))],
    })
    if (response.status !== 200) {
      if (ABSENT.includes(response.status)) absentEndpoints.note(upstream.id)
      response.cancel()
      return undefined
    }
    return tokenCounting?.decodeCount(JSON.parse(await textOf(response)))
  } catch {
    // Not reached, timed out, or no JSON: the tokens are counted here.
    return undefined
  } finally {
    call.cancel()
    call.stop()
  }
}

/** What services answer that do not have the endpoint. */
const ABSENT: readonly number[] = [404, 405, 501]
const SANDBOX_HEADERS = ['x-sandbox-fault']

function carried(headers: RequestHeaders, dialect: TextDialect, embedded: boolean): Record<string, string> {
  const { betaHeader } = dialect
  const own = [...dialect.carriedHeaders, ...(betaHeader === undefined ? [] : [betaHeader])]
  const names = embedded ? SANDBOX_HEADERS : own
  return Object.fromEntries(names.flatMap((name) => [[name, headers.get(name)]]).filter(([, value]) => value !== null))
}

const MOST_BYTES = 64 * 1024

async function textOf(response: { read(): Uint8Array | undefined | Promise<Uint8Array | undefined> }): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for (let piece = await response.read(); piece; piece = await response.read()) {
    bytes += piece.length
    if (bytes > MOST_BYTES) throw new Error('too long for a count')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
