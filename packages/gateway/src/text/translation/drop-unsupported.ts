// Drops fields of a translated request that an upstream's model has rejected, if the request keeps its meaning without them.

import { effortOf } from '@trivium/protocol/canonical/encoding/effort.ts'
import { askedSearch, isSearchDemanded } from '@trivium/protocol/canonical/encoding/web-search.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { CanonicalRequest, ReasoningWish } from '@trivium/protocol/canonical/request.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { Target } from '@trivium/protocol/dialects/text-dialect.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { PlannedAttempt } from '../request.ts'
import { isAbout, isNamed } from './unsupported-fields.ts'

/** Sampling may be left to the model. */
const SAMPLING = [
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'logprobs',
  'stop',
] as const

/** Optional fields beside the conversation. What the model sees is never dropped, and no tier that has a price. */
const BESIDE = ['endUser', 'cacheKey', 'cacheRetention', 'cacheOptions', 'store', 'verbosity', 'tier'] as const

/** Fields that the gateway adds itself, by their names in the upstream's dialect: dropped without a warning. */
const OURS = ['include', 'reasoning.summary'] as const

/** Noted of models that cannot search the web. */
export const WEB_SEARCH = 'web_search'

type Field = (typeof SAMPLING)[number] | (typeof BESIDE)[number]

const FIELDS: readonly Field[] = [...SAMPLING, ...BESIDE]

const isSampling = (field: Field): field is (typeof SAMPLING)[number] => SAMPLING.some((each) => each === field)

function has(request: CanonicalRequest, field: Field): boolean {
  if (field === 'tier') return request.tier === 'auto' || request.tier === 'default'
  return (isSampling(field) ? request.sampling[field] : request[field]) !== undefined
}

/** Notes the field that a rejection names, so that it is dropped from now on. False: it names no such field. */
export function noteUnsupported(
  request: CanonicalRequest,
  rejection: ErrorInfo,
  upstream: TextDialect,
  planned: PlannedAttempt,
  { unsupportedFields }: TextCallDependencies,
) {
  const field =
    FIELDS.find((each) => has(request, each) && isAboutField(rejection, upstream, each)) ??
    OURS.find((each) => isNamed(rejection, each)) ??
    unsupportedEffort(request, rejection, upstream) ??
    unsupportedSearch(request, rejection)
  if (field === undefined) return false
  const { upstream: to, route } = planned.candidate
  unsupportedFields.note(to.id, route.model, field)
  return true
}

/** A search that the caller forces is never dropped: the upstream's error is the answer then. */
function unsupportedSearch(request: CanonicalRequest, { message, param = '' }: ErrorInfo): string | undefined {
  const isAsked = askedSearch(request, { searches: true }) !== undefined && !isSearchDemanded(request.toolChoice)
  return isAsked && /search/i.test(`${message} ${param}`) ? WEB_SEARCH : undefined
}

/** Only this effort is unsupported: others may still be requested. */
function unsupportedEffort(
  { reasoning }: CanonicalRequest,
  rejection: ErrorInfo,
  { effortField }: TextDialect,
): string | undefined {
  const effort = effortOf(reasoning)
  return effortField !== undefined && effort !== undefined && isNamed(rejection, effortField)
    ? `effort ${effort}`
    : undefined
}

/** The end user has two names in some dialects, one of which occurs in many error messages. */
function isAboutField(rejection: ErrorInfo, { endUserField, fieldNames }: TextDialect, field: Field): boolean {
  if (field !== 'endUser') return isAbout(rejection, fieldNames[field] ?? field)
  return isAbout(rejection, endUserField(undefined) ?? field) || isNamed(rejection, 'user')
}

/** All fields that this upstream's model has rejected. */
export function unsupportedBy(
  { candidate: { upstream, route } }: PlannedAttempt,
  { unsupportedFields }: TextCallDependencies,
): ReadonlySet<string> {
  return unsupportedFields.of(upstream.id, route.model)
}

export function dropUnsupported(
  request: CanonicalRequest,
  planned: PlannedAttempt,
  warn: Target['warn'],
  deps: TextCallDependencies,
): CanonicalRequest {
  const known = unsupportedBy(planned, deps)
  if (known.size === 0) return request
  const unsupported = FIELDS.filter((field) => known.has(field) && has(request, field))
  const isEffortUnsupported = known.has(`effort ${effortOf(request.reasoning)}`)
  if (unsupported.length === 0 && !isEffortUnsupported) return request
  const { sampling, ...beside } = request
  const kept = { ...beside, sampling: { ...sampling } }
  for (const field of unsupported) {
    delete kept.sampling[field as (typeof SAMPLING)[number]]
    delete kept[field as (typeof BESIDE)[number]]
    // The caller is not warned of an end user that the gateway added.
    if (field !== 'endUser' || planned.request.parsed.endUser !== undefined) warn(field, 'dropped')
  }
  if (!isEffortUnsupported) return kept
  warn('reasoning', 'dropped')
  return { ...kept, reasoning: withoutEffort(request.reasoning) }
}

function withoutEffort({ effort: _effort, budget: _budget, mode, ...wish }: ReasoningWish): ReasoningWish {
  return mode === undefined || mode === 'off' ? wish : { ...wish, mode }
}
