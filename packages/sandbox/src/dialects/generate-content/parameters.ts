// The plain fields of a generate-content request: their checks, and how the echo shows them.
import { badRequest, SandboxError } from '../../request/errors.ts'
import {
  anyInteger,
  anything,
  array,
  boolean,
  type Check,
  checkFields,
  echoed,
  integer,
  isObject,
  type Json,
  MOST_TOKENS,
  number,
  object,
  oneOf,
  shownStops,
  string,
  strings,
} from '../../request/fields.ts'
import { readFields } from './parts/fields.ts'

const TOP: Record<string, Check> = {
  contents: anything,
  systemInstruction: anything,
  tools: array,
  toolConfig: object,
  generationConfig: object,
  safetySettings: array,
  cachedContent: string,
  labels: object,
  serviceTier: string,
  store: boolean,
}

const CONFIG: Record<string, Check> = {
  temperature: number(0, 2),
  topP: number(0, 1),
  topK: number(0, MOST_TOKENS),
  candidateCount: integer(1, 8),
  maxOutputTokens: integer(1, MOST_TOKENS),
  stopSequences: strings(5),
  responseLogprobs: boolean,
  logprobs: integer(0, 20),
  presencePenalty: number(-2, 2),
  frequencyPenalty: number(-2, 2),
  seed: anyInteger,
  responseMimeType: oneOf('text/plain', 'application/json', 'text/x.enum'),
  responseSchema: object,
  responseJsonSchema: anything,
  responseModalities: array,
  mediaResolution: string,
  speechConfig: object,
  thinkingConfig: object,
  imageConfig: object,
  audioTranscriptionConfig: object,
  enableEnhancedCivicAnswers: boolean,
}

const THINKING: Record<string, Check> = {
  includeThoughts: boolean,
  thinkingBudget: integer(-1, MOST_TOKENS),
  thinkingLevel: string,
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
