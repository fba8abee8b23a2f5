// A canonical request for an upstream of this dialect. The upstream keeps nothing: what the gateway's clients may come
// back to, the gateway keeps itself.

import { effortOf, wantsReasoning } from '../../../canonical/encoding/effort.ts'
import { askedFormat } from '../../../canonical/encoding/object-format.ts'
import { NO_NAMES, toolNames } from '../../../canonical/encoding/tool-names.ts'
import {
  rejectOtherOutput,
  rejectSeveralChoices,
  warnOfCacheMarks,
} from '../../../canonical/encoding/unsupported-fields.ts'
import { askedSearch } from '../../../canonical/encoding/web-search.ts'
import { withoutUndefined } from '../../../canonical/reading.ts'
import type { CanonicalRequest, Sampling } from '../../../canonical/request.ts'
import type { WarnedField } from '../../../canonical/warning.ts'
import type { EncodedRequest, Target } from '../../text-dialect.ts'
import { encodeTextFormat, encodeTools, NAME_RULE } from './encode-tools.ts'
import { encodeInput } from './encode-turns.ts'

/** What this dialect has no word for. */
const LACKING = [
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'stop',
  'logitBias',
] as const satisfies readonly (keyof Sampling & WarnedField)[]

export function encodeRequest(request: CanonicalRequest, target: Target): EncodedRequest {
  const { warn } = target
  const { sampling } = request
  rejectSeveralChoices(request)
  rejectOtherOutput(request, ['image'])
  for (const field of LACKING) if (sampling[field] !== undefined) warn(field, 'dropped')
  if (request.store === true) warn('store', 'dropped')
  warnOfCacheMarks(request, warn)
  const names = toolNames(request, NAME_RULE)
  const { instructions, input } = encodeInput(request, names, target)
  const { format, ...undo } = askedFormat(request)
  const body = present({
    model: target.model,
    instructions,
    input,
    max_output_tokens: sampling.maxOutput,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_logprobs: sampling.logprobs?.top,
    ...encodeTools(request, names, target),
    text: encodeTextFormat({ ...request, format }, warn),
    reasoning: writeReasoning(request, target),
    include: writeInclude(request, target),
    store: false,
    stream: request.stream ? true : undefined,
    metadata: request.metadata,
    safety_identifier: request.endUser,
    prompt_cache_key: request.cacheKey,
    prompt_cache_retention: request.cacheRetention,
    prompt_cache_options: request.cacheOptions,
    service_tier: request.tier,
  })
  return { body, tools: { changed: names.changed, wrapped: NO_NAMES, firstCallOnly: false, ...undo } }
}

function writeReasoning(
  request: CanonicalRequest,
  { rejectedFields, warn }: Target,
): Record<string, unknown> | undefined {
  const effort = effortOf(request.reasoning)
  const isShown = wantsReasoning(request) && !rejectedFields?.has('reasoning.summary')
  if (request.reasoning.wantsSummary && !isShown) warn('reasoningSummary', 'dropped')
  if (effort === undefined && !isShown) return undefined
  return present({ effort, summary: isShown ? 'auto' : undefined })
}

/** What the answer is to bring besides its text: reasoning that can be sent back, probabilities, and the pages of a search. */
function writeInclude(request: CanonicalRequest, target: Target): string[] | undefined {
  const { model, rejectedFields } = target
  const include = WITHOUT_REASONING.test(model) || rejectedFields?.has('include') ? [] : ['reasoning.encrypted_content']
  if (request.sampling.logprobs !== undefined) include.push('message.output_text.logprobs')
  if (askedSearch(request, target) !== undefined && !rejectedFields?.has('include'))
    include.push('web_search_call.action.sources')
  return include.length === 0 ? undefined : include
}

/** Models that do not reason: the vendor rejects requests for their reasoning. */
const WITHOUT_REASONING = /(?:^|\/)(?:gpt-[34]|chatgpt-)/i

/** Only what the caller set is sent. */
const present = (fields: Record<string, unknown>): Record<string, unknown> => withoutUndefined(fields)
