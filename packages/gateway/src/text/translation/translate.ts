// Client and upstream have different dialects: request and response are translated by way of the canonical model.

import { type AnswerOptions, translateRequest } from '@trivium/protocol'
import { effortOf } from '@trivium/protocol/canonical/encoding/effort.ts'
import { askedSearch } from '@trivium/protocol/canonical/encoding/web-search.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { parsedJson, unsupported } from '@trivium/protocol/canonical/reading.ts'
import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import { addWarning, type WarnedField } from '@trivium/protocol/canonical/warning.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { EncodedRequest, Target } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import {
  checkFetchable,
  type Fetched,
  type FetchMediaOptions,
  fetchMedia,
  type Inline,
} from '../../access/urls/fetch-media.ts'
import { codec } from '../../bytes/codec.ts'
import { baseModelOf } from '../../modalities/modality.ts'
import { NO_OPTIONS, type PricedOptions } from '../../money/prices/token-price.ts'
import { formatRequestId, timeOfId } from '../../request/ids.ts'
import { noteCap, quirksOf, upstreamPath } from '../../upstreams/endpoint.ts'
import { lesser, modelCap } from '../billing/bounds.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { warnOfLostReasoning } from '../reasoning/lost-reasoning.ts'
import { bodyOf, type PlannedAttempt, type TextRequest } from '../request.ts'
import { dropUnsupported, noteUnsupported, unsupportedBy, WEB_SEARCH } from './drop-unsupported.ts'
import { routeCap } from './operator-edits.ts'
import type { Outbound } from './outbound.ts'
import { limitIn } from './output-limit.ts'
import { ITEM_REFERENCE, sandboxHeaders, upstreamModel } from './pass-through.ts'
import {
  CALLS_EXPECTED,
  MOST_CALLS,
  pseudonymOf,
  shortEndUser,
  type TenantPolicy,
  tenantPolicy,
} from './tenant-policy.ts'
import { createTranslatingAnswerer } from './translate-response.ts'

/** `withReasoning`: earlier reasoning of the upstream is sent back to it. `most`: the largest output cap that it accepts here. */
type Encoding = { withReasoning: boolean; most: number | undefined }

const USUAL: Encoding = { withReasoning: true, most: undefined }

export function translate(
  planned: PlannedAttempt,
  upstream: TextDialect,
  deps: TextCallDependencies,
  as: Encoding = USUAL,
): Outbound {
  const { request, warnings, offer, candidate } = planned
  const { parsed, dialect } = request
  const policy = tenantPolicy(planned, deps, true)
  for (const field of policy.unpriced) addWarning(warnings, field, 'no-price')
  rejectStored(request)
  if (parsed.reasoningReferences) addWarning(warnings, ITEM_REFERENCE, 'dropped')
  let isTierSent = true
  const warn = (field: WarnedField) => {
    if (field === 'tier') isTierSent = false
  }
  const model = upstreamModel(planned)
  const requestId = formatRequestId(request.id)
  const { upstream: server } = candidate
  const quirks = quirksOf(server, upstream.id)
  const addresses = new Set<string>()
  const target = targetOf(planned, model, warn, standIn(addresses, fieldsOf(request)), as, deps)
  // Before the hold, so that what cannot be expressed is rejected at no cost. Media behind URLs is fetched only after it.
  const { body, canonical, translation } = translateRequest(bodyOf(request), {
    from: dialect,
    to: upstream,
    decoded: withRouteCap(recalledInto(planned, upstream), planned, upstream.id),
    target,
    takesImages: offer.model.capabilities?.includes('images') === true,
    adapt(decoded, warn) {
      if (upstream.imageTool !== undefined) rejectImages(planned, upstream.imageTool)
      return dropUnsupported(withPolicy(decoded, policy, upstream, planned, warn, deps), planned, warn, deps)
    },
    id: requestId.slice('req_'.length),
    now: timeOfId(request.id),
    answer: { ...answerFor(planned, deps), requestId },
    asArray: request.asArray,
    quirks,
    codec,
    warnings,
  })
  if (!as.withReasoning) addWarning(warnings, nameOf(dialect, 'reasoning'), 'dropped')
  if (request.recalled?.isLostAt(server.id)) warnOfLostReasoning(dialect, warnings)
  return {
    dialect: upstream.id,
    encoded: body,
    headers: sandboxHeaders(planned),
    path: upstreamPath(server, upstream.id, model, parsed.stream),
    maxOutput: capOf(body),
    options: optionsOf(canonical, isTierSent, maySearch(planned, deps), upstream, planned),
    body: (loweredCap, cancel, slot) => {
      if (quirks) noteCap(quirks, server, upstream.id, [canonical.sampling.maxOutput, loweredCap])
      if (addresses.size === 0 && loweredCap === undefined) return bytesOf(body)
      return encodeAgain(
        planned,
        upstream,
        canonical,
        addresses,
        loweredCap,
        { signal: cancel.signal, grow: (bytes) => slot.grow(bytes) },
        as,
        deps,
      )
    },
    answerer: createTranslatingAnswerer(planned, translation, deps),
    without(rejection) {
      const most = smallerCap(rejection, body, upstream, planned, deps)
      if (most !== undefined) return translate(planned, upstream, deps, { ...as, most })
      if (noteUnsupported(canonical, rejection, upstream, planned, deps)) return translate(planned, upstream, deps, as)
      const isAboutThoughts =
        as.withReasoning && target.unsealed() && /encrypted.content|signature/i.test(rejection.message)
      return isAboutThoughts ? translate(planned, upstream, deps, { ...as, withReasoning: false }) : undefined
    },
  }
}

/** What the client reads in the response. */
function answerFor(
  { request, caller, candidate, offer }: PlannedAttempt,
  { statistics: byModel, seals }: TextCallDependencies,
): AnswerOptions {
  const { parsed, conversation } = request
  const { account } = caller
  const upstream = candidate.upstream.id
  const statistics = byModel.of(offer.model.id)
  const input = Math.ceil(parsed.textBytes * statistics.inputTokensPerByte)
  return {
    model: offer.model.id,
    seal: (signature) => seals.seal(account, upstream, signature),
    estimate: (outputBytes) => ({ input, output: Math.ceil(outputBytes * statistics.outputTokensPerByte) }),
    // The client of a request that was expanded reads its own fields.
    ...(conversation && {
      echo: Object.fromEntries(conversation.echo.map(({ name, json }) => [name, parsedJson(json)])),
    }),
  }
}

/** The request with the reasoning that the client could not send back, if this upstream made it. */
function recalledInto({ request, candidate }: PlannedAttempt, upstream: TextDialect): CanonicalRequest {
  const { parsed, recalled } = request
  const wanted = recalled && upstream.wantsReasoning?.(baseModelOf(candidate.route), candidate.upstream.service)
  return wanted ? recalled.into(parsed.canonical(), candidate.upstream.id, wanted.form) : parsed.canonical()
}

/** The operator's cap is encoded as a caller's own, with room for its reasoning. */
function withRouteCap(request: CanonicalRequest, planned: PlannedAttempt, sent: TextDialect['id']): CanonicalRequest {
  const maxOutput = routeCap(planned, sent)
  return maxOutput === undefined ? request : { ...request, sampling: { ...request.sampling, maxOutput } }
}

/** The largest output cap that the upstream takes, where it rejected one that the gateway chose. A caller's own cap is never changed. */
function smallerCap(
  rejection: ErrorInfo,
  body: Body,
  upstream: TextDialect,
  { request: { parsed }, candidate }: PlannedAttempt,
  { statistics }: TextCallDependencies,
) {
  const sent = body.max_tokens
  if (!upstream.requiresOutputCap || typeof sent !== 'number' || sent === parsed.maxOutput) return undefined
  const limit = limitIn(rejection, sent)
  if (limit?.isOfModel) statistics.noteMaxOutput(candidate.upstream.id, candidate.route.model, limit.cap)
  return limit?.cap
}

/** Stored objects that only the caller's dialect can look up are rejected, also where callers may share them. */
function rejectStored(request: TextRequest): void {
  const { dialect, parsed } = request
  const isSuspect = parsed.objects.length > 0 || parsed.state?.background
  if (isSuspect) dialect.rejectStored?.(bodyOf(request))
}

/** What is really requested of the upstream: a tier that its dialect cannot express is not, and is not charged. */
function optionsOf(
  request: CanonicalRequest,
  isTierSent: boolean,
  searches: boolean,
  upstream: TextDialect,
  { offer }: PlannedAttempt,
): PricedOptions {
  const { tier, modalities } = request
  const { price } = offer.rate
  const search = askedSearch(request, { searches })
  const isPaid = tier !== undefined && isTierSent && price.tiers?.has(tier) === true
  const imageTool = modalities.includes('image') ? upstream.imageTool : undefined
  if (!isPaid && imageTool === undefined && search === undefined) return NO_OPTIONS
  const tools = new Map(imageTool === undefined ? [] : [[imageTool, CALLS_EXPECTED]])
  if (search !== undefined) tools.set(WEB_SEARCH, Math.min(search.maxUses ?? CALLS_EXPECTED, MOST_CALLS))
  return { tier: isPaid ? tier : undefined, also: [], tools }
}

/** A web search needs a price, and a model that has not rejected it. */
function maySearch(planned: PlannedAttempt, deps: TextCallDependencies): boolean {
  return planned.offer.rate.price.tools?.has(WEB_SEARCH) === true && !unsupportedBy(planned, deps).has(WEB_SEARCH)
}

/** In this dialect images are made by a tool that is billed per call. */
function rejectImages({ request: { dialect, parsed }, offer }: PlannedAttempt, imageTool: string): void {
  if (!parsed.canonical().modalities.includes('image') || offer.rate.price.tools?.has(imageTool)) return
  const field = dialect.origin.fields.modalities ?? 'modalities'
  throw unsupported(field, `${field} requests images, which have no price for this model. Remove the field.`)
}

async function encodeAgain(
  planned: PlannedAttempt,
  upstream: TextDialect,
  canonical: CanonicalRequest,
  addresses: ReadonlySet<string>,
  loweredCap: number | undefined,
  fetching: FetchMediaOptions,
  as: Encoding,
  deps: TextCallDependencies,
): Promise<Pieces> {
  const fetched = await fetchMedia(addresses, { ...fetching, fieldOf: fieldsOf(planned.request) }, deps)
  const content = (url: string) => fetched.get(url) ?? STAND_IN
  // The warnings were given when it was encoded for the first time.
  const target = targetOf(planned, upstreamModel(planned), () => {}, content, as, deps)
  const cap = loweredCap && Math.min(loweredCap, target.maxOutput ?? loweredCap)
  const capped = cap === undefined ? canonical : withCap(canonical, cap, planned)
  return bytesOf(upstream.encodeRequest(capped, target).body)
}

const nameOf = (dialect: TextDialect, field: WarnedField): string => dialect.fieldNames[field] ?? field

type Body = EncodedRequest['body']

const bytesOf = (body: Body): Pieces => [codec.encode(JSON.stringify(body))]

/** Some dialects need a cap: the hold must cover it. */
function capOf(body: Body): number | undefined {
  return typeof body.max_tokens === 'number' ? body.max_tokens : undefined
}

function withPolicy(
  request: CanonicalRequest,
  policy: TenantPolicy,
  upstream: TextDialect,
  planned: PlannedAttempt,
  warn: Target['warn'],
  deps: TextCallDependencies,
): CanonicalRequest {
  const { tier, endUser: named } = request
  const pseudonym = named === undefined ? endUserFor(upstream, policy, planned) : pseudonymOf(planned, named, deps)
  const endUser = pseudonym ?? (named && shortEndUser(named, upstream))
  if (pseudonym === undefined && endUser !== named) warn('endUser', 'changed')
  // The policy has warned of a tier or a search without a price. These two need none.
  const isTierTaken =
    tier === 'default' || tier === 'auto' || (tier !== undefined && planned.offer.rate.price.tiers?.has(tier))
  const { sharedObjects } = planned.candidate.upstream
  // The vendor would keep the prompts of all callers in one account.
  const isStored = request.store === true && !sharedObjects
  if (isStored) warn('store', 'dropped')
  const store = isStored ? undefined : request.store
  const isSearchPriced = planned.offer.rate.price.tools?.has(WEB_SEARCH) === true
  const hostedTools = request.hostedTools.filter(({ search }) => search === undefined || isSearchPriced)
  return { ...request, hostedTools, cacheKey: policy.cacheKey, endUser, store, tier: isTierTaken ? tier : undefined }
}

/** The gateway's own end user is omitted without a warning where the dialect has no field for it. */
function endUserFor(upstream: TextDialect, policy: TenantPolicy, { candidate }: PlannedAttempt): string | undefined {
  const { embedded, service } = candidate.upstream
  const hasNone = upstream.endUserField(service) === undefined
  return hasNone || embedded ? undefined : policy.endUser
}

/** Reasoning counts as output: a budget above the cap would be rejected or, worse, would raise it. */
function withCap(
  request: CanonicalRequest,
  cap: number,
  { warnings, request: { dialect } }: PlannedAttempt,
): CanonicalRequest {
  const sampling = { ...request.sampling, maxOutput: cap }
  const { mode } = request.reasoning
  const effort = effortOf(request.reasoning)
  const isThinking = mode === 'on' || mode === 'auto' || (effort !== undefined && effort !== 'none')
  if (!isThinking) return { ...request, sampling }
  addWarning(warnings, nameOf(dialect, 'reasoning'), 'off')
  return { ...request, sampling, reasoning: { ...request.reasoning, mode: 'off' } }
}

function targetOf(
  planned: PlannedAttempt,
  model: string,
  warn: Target['warn'],
  fetched: Fetched,
  { withReasoning: withThoughts, most }: Encoding,
  deps: TextCallDependencies,
): Target & { unsealed(): boolean } {
  const { request, caller, candidate, warnings } = planned
  let unsealed = false
  return {
    model,
    baseModel: candidate.route.baseModel,
    maxOutput: lesser(modelCap(planned, deps.statistics), most),
    service: candidate.upstream.service,
    warn,
    fetched,
    searches: maySearch(planned, deps),
    rejectedFields: unsupportedBy(planned, deps),
    unseal(signature) {
      if (!withThoughts) return undefined
      const own = deps.seals.unseal(caller.account, candidate.upstream.id, signature)
      if (own === undefined) warnOfLostReasoning(request.dialect, warnings)
      // An empty value marks reasoning that had no signature: nothing is sent back for it.
      unsealed ||= own !== undefined && own !== ''
      return own || undefined
    },
    unsealed: () => unsealed,
  }
}

const STAND_IN: Inline = { kind: 'inline', mime: 'image/png', data: '' }
export const MAX_ADDRESSES = 16

/** Where the request names a URL, for errors. */
const fieldsOf =
  ({ parsed: { urls } }: TextRequest) =>
  (url: string): string =>
    urls.find((named) => named.url === url)?.field ?? 'image_url'

function standIn(addresses: Set<string>, fieldOf: (url: string) => string): Fetched {
  return (url) => {
    checkFetchable(url, fieldOf(url))
    addresses.add(url)
    if (addresses.size > MAX_ADDRESSES) {
      throw unsupported(
        undefined,
        `This model's upstream accepts no URLs, and the gateway fetches at most ${MAX_ADDRESSES} of them.`,
      )
    }
    return STAND_IN
  }
}
