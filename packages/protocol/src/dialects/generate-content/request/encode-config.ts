// `generationConfig` and the other settings, for an upstream. Only what the caller asked for.

import { rejectOtherOutput, warnOfCacheMarks } from '../../../canonical/encoding/unsupported-fields.ts'
import { put } from '../../../canonical/reading.ts'
import type { CanonicalRequest, MediaPart, OutputFormat, Sampling } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { WireRequest } from '../wire.ts'
import { encodeReasoning } from './encode-reasoning.ts'
import type { ModelRules } from './model-rules.ts'
import { origin } from './origin.ts'
import { ownSchema } from './schema/encode-openapi-schema.ts'
import { vendorSchema } from './schema/encode-schema.ts'

const MOST_STOPS = 5
const MOST_LOGPROBS = 20
const LARGEST_SEED = 2 ** 31 - 1

export function encodeConfig(request: CanonicalRequest, rules: ModelRules, warn: Warn): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  addSampling(config, request.sampling, warn)
  if (request.format.type !== 'text') Object.assign(config, writeFormat(request.format, rules, warn))
  rejectOtherOutput(request, ['image'])
  if (request.modalities.length > 0) config.responseModalities = ['TEXT', 'IMAGE']
  put(config, 'mediaResolution', resolutionOf(request, warn))
  put(config, 'thinkingConfig', encodeReasoning(request, rules, warn))
  return config
}

function addSampling(config: Record<string, unknown>, sampling: Sampling, warn: Warn): void {
  const { stop, logprobs, seed } = sampling
  if (sampling.logitBias !== undefined) warn('logitBias', 'dropped')
  if (stop !== undefined && stop.length > MOST_STOPS) warn('stop', 'clipped')
  const isSeedInRange = seed === undefined || Math.abs(seed) <= LARGEST_SEED
  if (!isSeedInRange) warn('seed', 'dropped')
  const top = logprobs?.top
  if (top !== undefined && top > MOST_LOGPROBS) warn('logprobs', 'clipped')
  put(config, 'temperature', sampling.temperature)
  put(config, 'topP', sampling.topP)
  put(config, 'topK', sampling.topK)
  put(config, 'candidateCount', sampling.choices)
  put(config, 'maxOutputTokens', sampling.maxOutput)
  if (stop !== undefined && stop.length > 0) config.stopSequences = stop.slice(0, MOST_STOPS)
  put(config, 'presencePenalty', sampling.presencePenalty)
  put(config, 'frequencyPenalty', sampling.frequencyPenalty)
  if (isSeedInRange) put(config, 'seed', seed)
  if (logprobs !== undefined) config.responseLogprobs = true
  if (top !== undefined) config.logprobs = Math.min(top, MOST_LOGPROBS)
}

function writeFormat(format: Exclude<OutputFormat, { type: 'text' }>, rules: ModelRules, warn: Warn): object {
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

const RESOLUTIONS = ['low', 'medium', 'high'] as const

/** One for the whole request: the closest look that any part wants. */
function resolutionOf(request: CanonicalRequest, warn: Warn): string | undefined {
  const media = mediaOf(request)
  if (media.length === 0) return undefined
  const wanted = new Set<(typeof RESOLUTIONS)[number] | 'auto'>()
  for (const { detail } of media) {
    wanted.add(detail === 'original' ? 'high' : (RESOLUTIONS.find((word) => word === detail) ?? 'auto'))
  }
  const closest = RESOLUTIONS.findLast((word) => wanted.has(word))
  if (closest !== undefined && wanted.size > 1) warn('detail', 'changed')
  return closest === undefined ? undefined : `MEDIA_RESOLUTION_${closest.toUpperCase()}`
}

function mediaOf(request: CanonicalRequest): MediaPart[] {
  const media: MediaPart[] = []
  for (const turn of request.turns) {
    for (const part of turn.parts) {
      if (part.type === 'media') media.push(part)
      else if (part.type === 'result') for (const inner of part.parts) if (inner.type === 'media') media.push(inner)
    }
  }
  return media
}

export function addSettings(
  body: Pick<WireRequest, 'labels' | 'serviceTier' | 'store'>,
  request: CanonicalRequest,
  warn: Warn,
): void {
  for (const field of ['verbosity', 'endUser', 'cacheKey', 'cacheRetention', 'cacheOptions'] as const) {
    if (request[field] !== undefined) warn(field, 'dropped')
  }
  const { tier, store } = request
  put(body, 'labels', labelsOf(request, warn))
  warnOfCacheMarks(request, warn)
  if (tier === 'auto') warn('tier', 'dropped')
  else if (tier !== undefined) body.serviceTier = tier === 'default' ? 'standard' : tier
  put(body, 'store', store)
}

/** Only one of the vendor's two services takes labels, and the other rejects the whole request over them. */
function labelsOf({ metadata, from }: CanonicalRequest, warn: Warn): Record<string, string> | undefined {
  if (metadata === undefined || Object.keys(metadata).length === 0) return undefined
  if (from === origin) return metadata
  warn('metadata', 'dropped')
  return undefined
}
