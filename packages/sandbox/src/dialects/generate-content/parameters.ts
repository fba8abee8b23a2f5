// The plain fields of a generate-content request: their checks, and how the echo shows them.

import { type Check, checkFields, echoed, is, MOST_TOKENS, shownStops } from '../../request/checks.ts'
import { badRequest, SandboxError } from '../../request/errors.ts'
import { isObject, type Json } from '../../request/fields.ts'
import { readFields } from './parts/fields.ts'

const TOP: Record<string, Check> = {
  contents: is.anything,
  systemInstruction: is.anything,
  tools: is.array,
  toolConfig: is.object,
  generationConfig: is.object,
  safetySettings: is.array,
  cachedContent: is.string,
  labels: is.object,
  serviceTier: is.string,
  store: is.boolean,
}

const CONFIG: Record<string, Check> = {
  temperature: is.number(0, 2),
  topP: is.number(0, 1),
  topK: is.number(0, MOST_TOKENS),
  candidateCount: is.integer(1, 8),
  maxOutputTokens: is.integer(1, MOST_TOKENS),
  stopSequences: is.strings(5),
  responseLogprobs: is.boolean,
  logprobs: is.integer(0, 20),
  presencePenalty: is.number(-2, 2),
  frequencyPenalty: is.number(-2, 2),
  seed: is.anyInteger,
  responseMimeType: is.oneOf('text/plain', 'application/json', 'text/x.enum'),
  responseSchema: is.object,
  responseJsonSchema: is.anything,
  responseModalities: is.array,
  mediaResolution: is.string,
  speechConfig: is.object,
  thinkingConfig: is.object,
  imageConfig: is.object,
  audioTranscriptionConfig: is.object,
  enableEnhancedCivicAnswers: is.boolean,
}

const THINKING: Record<string, Check> = {
  includeThoughts: is.boolean,
  thinkingBudget: is.integer(-1, MOST_TOKENS),
  thinkingLevel: is.string,
}
const TOP_NAMES = new Set(Object.keys(TOP))
const CONFIG_NAMES = new Set(Object.keys(CONFIG))
const THINKING_NAMES = new Set(Object.keys(THINKING))
const ECHOED_TOP = ['toolConfig', 'safetySettings', 'labels', 'serviceTier', 'store']

export type Parameters = { top: Json; config: Json; thinking: Json }

export function readParameters(body: Json): Parameters {
  const top = readFields(body, '', TOP_NAMES)
  checkFields(top, TOP)
  const config = readFields(top.generationConfig ?? {}, 'generationConfig', CONFIG_NAMES)
  checkFields(config, CONFIG, 'generationConfig.')
  const at = 'generationConfig.thinkingConfig'
  const thinking = readFields(config.thinkingConfig ?? {}, at, THINKING_NAMES)
  checkFields(thinking, THINKING, `${at}.`)
  if (top.cachedContent !== undefined)
    throw new SandboxError({ status: 403, message: 'CachedContent not found (or permission denied)' })
  if (config.responseSchema !== undefined && config.responseJsonSchema !== undefined)
    throw badRequest('Only one of responseSchema and responseJsonSchema may be set.', 'generationConfig')
  return { top, config, thinking }
}

export function echoedParameters({ top, config }: Parameters): string[] {
  const shown = (name: string, value: unknown) => {
    if (name === 'stopSequences') return shownStops(value)
    if (name === 'responseSchema' || name === 'responseJsonSchema') return isObject(value) ? 'schema' : undefined
    return undefined
  }
  return [...echoed(config, CONFIG_NAMES, shown), ...echoed(top, ECHOED_TOP)]
}
