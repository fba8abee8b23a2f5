// `generationConfig` as a caller says it.

import {
  asString,
  isObject,
  type Json,
  put,
  readFlag,
  readInteger,
  readNumber,
  readObject,
  readString,
} from '../../../canonical/reading.ts'
import type { OutputFormat, ReasoningWish, Sampling } from '../../../canonical/request.ts'
import { detailWord } from './decode-turns.ts'
import { camel, enumWord, listOf, type UntranslatedFields, withNumbers } from './fields.ts'
import { fromSchema } from './schema/decode-schema.ts'

const AT = 'generationConfig'
const MAX_OUTPUT = 10_000_000
const MAX_CHOICES = 128

const NUMBERS = [
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'logprobs',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
]

export type DecodedConfig = {
  sampling: Sampling
  format: OutputFormat
  modalities: ('image' | 'audio' | 'video')[]
  reasoning: ReasoningWish
  detail: string | undefined
}

export function decodeConfig(given: Json | undefined, left: UntranslatedFields): DecodedConfig {
  const config = withNumbers(camel(given ?? {}), NUMBERS)
  return {
    sampling: readSampling(config),
    format: readFormat(config, left),
    modalities: readModalities(config, left),
    reasoning: readThinking(readObject(config, 'thinkingConfig', AT), left),
    detail: detailWord(config.mediaResolution),
  }
}

function readSampling(config: Json): Sampling {
  const stop = config.stopSequences
  const isOne = typeof stop === 'string'
  const stops = isOne ? [stop] : listOf(stop, `${AT}.stopSequences`)
  const asksLogprobs = readFlag(config, 'responseLogprobs', AT) === true
  const top = readInteger(config, 'logprobs', 0, 100, AT)
  const sampling: Sampling = {}
  put(sampling, 'temperature', readNumber(config, 'temperature', 0, 2, AT))
  put(sampling, 'topP', readNumber(config, 'topP', 0, 1, AT))
  put(sampling, 'topK', readNumber(config, 'topK', 0, 1_000_000, AT))
  put(sampling, 'presencePenalty', readNumber(config, 'presencePenalty', -2, 2, AT))
  put(sampling, 'frequencyPenalty', readNumber(config, 'frequencyPenalty', -2, 2, AT))
  put(sampling, 'seed', readInteger(config, 'seed', -(2 ** 64), 2 ** 64, AT))
  put(sampling, 'choices', readInteger(config, 'candidateCount', 1, MAX_CHOICES, AT))
  if (stops.length > 0) sampling.stop = stops.map((text, index) => asString(text, `${AT}.stopSequences[${index}]`))
  put(sampling, 'maxOutput', readInteger(config, 'maxOutputTokens', 1, MAX_OUTPUT, AT))
  if (asksLogprobs) sampling.logprobs = top === undefined ? {} : { top }
  return sampling
}

function readFormat(config: Json, left: UntranslatedFields): OutputFormat {
  const mime = readString(config, 'responseMimeType', AT)?.toLowerCase()
  const json = config.responseJsonSchema ?? undefined
  const own = config.responseSchema ?? undefined
  if (mime !== undefined && mime !== '' && mime !== 'application/json') {
    const isChoice = mime === 'text/x.enum' && (json !== undefined || own !== undefined)
    if (isChoice) left.addEssential(`${AT}.responseMimeType`)
    else if (mime !== 'text/plain') left.add(`${AT}.responseMimeType`)
    return { type: 'text' }
  }
  if (isObject(json)) return { type: 'schema', schema: json }
  if (own !== undefined) return { type: 'schema', schema: fromSchema(own, `${AT}.responseSchema`) }
  return { type: mime === 'application/json' ? 'json' : 'text' }
}

function readModalities(config: Json, left: UntranslatedFields): DecodedConfig['modalities'] {
  const given = config.responseModalities
  const words = typeof given === 'string' ? [given] : listOf(given, `${AT}.responseModalities`)
  const modalities: DecodedConfig['modalities'] = []
  for (const [index, value] of words.entries()) {
    const word = enumWord(asString(value, `${AT}.responseModalities[${index}]`), 'modality_')
    if (word === 'image' || word === 'audio' || word === 'video') modalities.push(word)
    else if (word !== 'text' && word !== 'unspecified') left.add(`${AT}.responseModalities`)
  }
  return modalities
}

function readThinking(given: Json | undefined, left: UntranslatedFields): ReasoningWish {
  if (given === undefined) return {}
  const at = `${AT}.thinkingConfig`
  const config = withNumbers(camel(given), ['thinkingBudget'])
  const shown = readFlag(config, 'includeThoughts', at)
  const budget = readInteger(config, 'thinkingBudget', -1, MAX_OUTPUT, at)
  const level = enumWord(readString(config, 'thinkingLevel', at) ?? '', 'thinking_level_')
  const effort = level === 'minimal' || level === 'low' || level === 'medium' || level === 'high' ? level : undefined
  if (effort === undefined && level !== '' && level !== 'unspecified') left.add(`${at}.thinkingLevel`)
  return {
    ...modeOf(budget),
    ...(effort === undefined ? {} : { effort }),
    ...(shown === undefined ? {} : { show: shown ? ('summary' as const) : ('none' as const) }),
  }
}

function modeOf(budget: number | undefined): ReasoningWish {
  if (budget === undefined) return {}
  if (budget === 0) return { mode: 'off' }
  return budget < 0 ? { mode: 'auto' } : { mode: 'on', budget }
}
