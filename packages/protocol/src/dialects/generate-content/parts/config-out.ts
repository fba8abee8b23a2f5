// `generationConfig` and the other settings, for an upstream. Only what the caller asked for.

import { withoutUndefined } from '../../../canonical/reading.ts'
import { refuseOtherOutput } from '../../../canonical/refusals.ts'
import type { CanonicalRequest, MediaPart, Sampling } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { WireRequest } from '../wire.ts'
import type { ModelRules } from './models.ts'
import { ownSchema } from './schema-old.ts'
import { vendorSchema } from './schema-out.ts'
import { writeThinking } from './thinking-out.ts'

const MOST_STOPS = 5
const MOST_LOGPROBS = 20
const LARGEST_SEED = 2 ** 31 - 1

export function writeConfig(request: CanonicalRequest, rules: ModelRules, warn: Warn): Record<string, unknown> {
  const config = {
    ...writeSampling(request.sampling, warn),
    ...writeFormat(request, rules, warn),
    ...writeModalities(request),
    mediaResolution: resolutionOf(request, warn),
    thinkingConfig: writeThinking(request, rules, warn),
  }
  return withoutAbsent(config)
}

export const withoutAbsent = (fields: object): Record<string, unknown> =>
  withoutUndefined<Record<string, unknown>>({ ...fields })

function writeSampling(sampling: Sampling, warn: Warn): object {
  const { stop, logprobs, seed } = sampling
  if (sampling.logitBias !== undefined) warn('logitBias', 'dropped')
  if (stop !== undefined && stop.length > MOST_STOPS) warn('stop', 'clipped')
  const isSeedInRange = seed === undefined || Math.abs(seed) <= LARGEST_SEED
  if (!isSeedInRange) warn('seed', 'dropped')
  const top = logprobs?.top
  if (top !== undefined && top > MOST_LOGPROBS) warn('logprobs', 'clipped')
  return {
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    candidateCount: sampling.choices,
    maxOutputTokens: sampling.maxOutput,
    stopSequences: stop === undefined || stop.length === 0 ? undefined : stop.slice(0, MOST_STOPS),
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    seed: isSeedInRange ? seed : undefined,
    responseLogprobs: logprobs === undefined ? undefined : true,
    logprobs: top === undefined ? undefined : Math.min(top, MOST_LOGPROBS),
  }
}

function writeFormat({ format }: CanonicalRequest, rules: ModelRules, warn: Warn): object {
  if (format.type === 'text') return {}
  if (format.type === 'json') return { responseMimeType: 'application/json' }
  const lost = (): void => warn('format', 'changed')
  const schema = vendorSchema(format.schema, lost)
  const described =
    format.description === undefined || schema.description !== undefined
      ? schema
      : { ...schema, description: format.description }
  if (!rules.jsonSchema) return { responseMimeType: 'application/json', responseSchema: ownSchema(described, lost) }
  return { responseMimeType: 'application/json', responseJsonSchema: described }
}

function writeModalities(request: CanonicalRequest): object {
  refuseOtherOutput(request, ['image'])
  return request.modalities.length === 0 ? {} : { responseModalities: ['TEXT', 'IMAGE'] }
}

const RESOLUTIONS = ['low', 'medium', 'high'] as const

/** One for the whole request: the closest look that any part wants. */
function resolutionOf(request: CanonicalRequest, warn: Warn): string | undefined {
  const wanted = new Set<(typeof RESOLUTIONS)[number] | 'auto'>()
  for (const { detail } of mediaOf(request)) {
    wanted.add(detail === 'original' ? 'high' : (RESOLUTIONS.find((word) => word === detail) ?? 'auto'))
  }
  const closest = RESOLUTIONS.findLast((word) => wanted.has(word))
  if (closest !== undefined && wanted.size > 1) warn('detail', 'changed')
  return closest === undefined ? undefined : `MEDIA_RESOLUTION_${closest.toUpperCase()}`
}

function* mediaOf(request: CanonicalRequest): Generator<MediaPart> {
  for (const turn of request.turns) {
    for (const part of turn.parts) {
      if (part.type === 'media') yield part
      else if (part.type === 'result') for (const inner of part.parts) if (inner.type === 'media') yield inner
    }
  }
}

export function writeSettings(
  request: CanonicalRequest,
  warn: Warn,
): Pick<WireRequest, 'labels' | 'serviceTier' | 'store'> {
  for (const field of ['verbosity', 'endUser', 'cacheKey'] as const) {
    if (request[field] !== undefined) warn(field, 'dropped')
  }
  const labels = labelsOf(request, warn)
  const { tier, store } = request
  return {
    ...(labels === undefined ? {} : { labels }),
    ...(tier === undefined || tier === 'auto' ? {} : { serviceTier: tier === 'default' ? 'standard' : tier }),
    ...(store === undefined ? {} : { store }),
  }
}

/** Only one of the vendor's two services takes labels, and the other refuses the whole request over them. */
function labelsOf({ metadata, from }: CanonicalRequest, warn: Warn): Record<string, string> | undefined {
  if (metadata === undefined || Object.keys(metadata).length === 0) return undefined
  if (from === 'generate-content') return metadata
  warn('metadata', 'dropped')
  return undefined
}
