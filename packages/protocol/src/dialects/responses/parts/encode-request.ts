// A canonical request for an upstream of this dialect. The upstream keeps nothing: what the gateway's clients may come
// back to, the gateway keeps itself.

import { effortOf } from '../../../canonical/effort.ts'
import { unsupported, withoutUndefined } from '../../../canonical/reading.ts'
import type { CanonicalRequest, Sampling } from '../../../canonical/request.ts'
import { toolNames } from '../../../canonical/tool-names.ts'
import type { WarnedField } from '../../../canonical/warning.ts'
import type { Target, WrittenRequest } from '../../text-dialect.ts'
import { writeInput } from './write-input.ts'
import { NAME_RULE, writeText, writeTools } from './write-tools.ts'

/** What this dialect has no word for. */
const LACKING = [
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'stop',
  'logitBias',
] as const satisfies readonly (keyof Sampling & WarnedField)[]

export function encodeRequest(request: CanonicalRequest, target: Target): WrittenRequest {
  const { warn } = target
  const { sampling } = request
  refuseImpossible(request)
  for (const field of LACKING) if (sampling[field] !== undefined) warn(field, 'dropped')
  if (request.store === true) warn('store', 'dropped')
  const names = toolNames(request, NAME_RULE)
  const { instructions, input } = writeInput(request, names, target)
  const include = ['reasoning.encrypted_content']
  if (sampling.logprobs !== undefined) include.push('message.output_text.logprobs')
  const body = present({
    model: target.model,
    instructions,
    input,
    max_output_tokens: sampling.maxOutput,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_logprobs: sampling.logprobs?.top,
    ...writeTools(request, names, warn),
    text: writeText(request, warn),
    reasoning: writeReasoning(request),
    include,
    store: false,
    stream: request.stream ? true : undefined,
    metadata: request.metadata,
    safety_identifier: request.endUser,
    prompt_cache_key: request.cacheKey,
    service_tier: request.tier,
  })
  return { body, tools: { changed: names.changed, wrapped: new Set(), firstCallOnly: false } }
}

/** How the dialects that can ask for several answers call it. */
const CHOICES_FIELD: Partial<Record<CanonicalRequest['from'], string>> = {
  chat: 'n',
  'generate-content': 'generationConfig.candidateCount',
}

function refuseImpossible({ sampling, modalities, from }: CanonicalRequest): void {
  if ((sampling.choices ?? 1) > 1) throw unsupported(CHOICES_FIELD[from], 'This model gives one answer at a time.')
  const other = modalities.find((modality) => modality !== 'image')
  if (other !== undefined) throw unsupported(undefined, `This model makes no ${other}.`)
}

function writeReasoning({ reasoning }: CanonicalRequest): Record<string, unknown> | undefined {
  const effort = effortOf(reasoning)
  const isShown = reasoning.show === 'summary' || reasoning.show === 'full'
  if (effort === undefined && !isShown) return undefined
  return present({ effort, summary: isShown ? 'auto' : undefined })
}

/** Nothing that nobody asked for is sent. */
const present = (fields: Record<string, unknown>): Record<string, unknown> => withoutUndefined(fields)
