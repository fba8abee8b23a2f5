// A caller's request into neutral terms, and a neutral request for an upstream.

import { formatInWords } from '../../canonical/encoding/format-instructions.ts'
import { checkChoice } from '../../canonical/encoding/offered-tools.ts'
import {
  asObject,
  isObject,
  type Json,
  Mistake,
  put,
  readFlag,
  readObject,
  readString,
  unsupported,
  wrong,
} from '../../canonical/reading.ts'
import type { CanonicalRequest, ServiceTier } from '../../canonical/request.ts'
import type { FieldNames } from '../../canonical/warning.ts'
import type { Addressed, Target, WrittenRequest } from '../text-dialect.ts'
import { readGenerationConfig } from './request/decode-config.ts'
import { readFile } from './request/decode-media.ts'
import { readToolConfig, readTools } from './request/decode-tools.ts'
import { readContents, readInstructions } from './request/decode-turns.ts'
import { addSettings, writeConfig } from './request/encode-config.ts'
import { writeTools } from './request/encode-tools.ts'
import { writeContents } from './request/encode-turns.ts'
import { camel, camelName, enumWord, type Left, listOf, openLeft } from './request/fields.ts'
import { rulesOf } from './request/model-rules.ts'
import { inCallersSpelling } from './request/spelling.ts'

export const fieldNames: FieldNames = {
  temperature: 'generationConfig.temperature',
  topP: 'generationConfig.topP',
  topK: 'generationConfig.topK',
  presencePenalty: 'generationConfig.presencePenalty',
  frequencyPenalty: 'generationConfig.frequencyPenalty',
  seed: 'generationConfig.seed',
  stop: 'generationConfig.stopSequences',
  logprobs: 'generationConfig.responseLogprobs',
  tier: 'serviceTier',
  metadata: 'labels',
  store: 'store',
  tools: 'tools',
  toolChoice: 'toolConfig',
  format: 'generationConfig.responseMimeType',
  reasoning: 'generationConfig.thinkingConfig',
  turns: 'contents',
  detail: 'generationConfig.mediaResolution',
  arguments: 'contents.parts.functionCall.args',
}

/** What is translated; of any other field the caller learns that it was not. */
const KNOWN = new Set([
  ...['contents', 'systemInstruction', 'generationConfig', 'tools', 'toolConfig'],
  ...['labels', 'serviceTier', 'store', 'model'],
])

export function decodeRequest(value: unknown, addressed: Addressed | undefined): CanonicalRequest {
  if (!isObject(value)) throw new Mistake('bad_request', undefined, 'The body must be a JSON object')
  try {
    return decodeBody(value, addressed)
  } catch (thrown) {
    throw inCallersSpelling(thrown, value)
  }
}

/** Both `models/m` and `m` name the model `m`. */
const withoutPrefix = (model: string): string => model.replace(/^models\//, '')

function decodeBody(value: Json, addressed: Addressed | undefined): CanonicalRequest {
  const body = camel(value)
  const named = readString(body, 'model')
  const model = addressed?.model ?? named
  if (named !== undefined && withoutPrefix(named) !== withoutPrefix(model ?? ''))
    throw wrong('model', 'model must name the same model as the path of the request. Leave it out of the body.')
  if (model === undefined || model === '') throw wrong('model', 'model is required: the id of a model in the address')
  const left = openLeft()
  for (const name in value) if (value[name] !== null && !KNOWN.has(camelName(name))) left.add(name)
  if (body.safetySettings !== undefined) listOf(body.safetySettings, 'safetySettings')
  if (listOf(body.contents, 'contents').length === 0)
    throw wrong('contents', 'contents is required: an array with at least one content')

  const config = readGenerationConfig(readObject(body, 'generationConfig'), left)
  const { tools, hostedTools } = readTools(body.tools, left)
  const { toolChoice, validated } = readToolConfig(body.toolConfig, left)
  if (toolChoice !== undefined) {
    const field = toolChoice.mode === 'required' ? 'mode' : 'allowedFunctionNames'
    checkChoice(toolChoice, { tools, hostedTools }, `toolConfig.functionCallingConfig.${field}`)
  }
  const tier = readTier(body, left)
  const labels = readLabels(body)
  const store = readFlag(body, 'store')
  const instructions = readInstructions(body.systemInstruction, left)
  const turns = readContents(body.contents, { left, detail: config.detail })
  const request: CanonicalRequest = {
    from: 'generate-content',
    model,
    stream: addressed?.stream ?? false,
    showUsage: true,
    instructions,
    turns,
    tools: validated ? tools.map((tool) => ({ ...tool, strict: true })) : tools,
    hostedTools,
    format: config.format,
    modalities: config.modalities,
    sampling: config.sampling,
    reasoning: config.reasoning,
    untranslated: left.paths(),
  }
  put(request, 'toolChoice', toolChoice)
  put(request, 'tier', tier)
  put(request, 'metadata', labels)
  put(request, 'store', store)
  return request
}

function readTier(body: Json, left: Left): ServiceTier | undefined {
  const word = enumWord(readString(body, 'serviceTier') ?? '', 'service_tier_')
  if (word === 'flex' || word === 'priority') return word
  if (word === 'standard') return 'default'
  if (word !== '' && word !== 'unspecified') left.add('serviceTier')
  return undefined
}

function readLabels(body: Json): Record<string, string> | undefined {
  const labels = readObject(body, 'labels')
  if (labels === undefined) return undefined
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') throw wrong(`labels.${name}`, `labels.${name} must be a string`)
  }
  return labels as Record<string, string>
}

/**
 * Content that is kept at the vendor changes what the model sees, so without it any answer would be wrong: refused
 * before anything is translated. Throws Mistake.
 */
export function refuseStored(value: unknown): void {
  if (!isObject(value)) return
  const body = camel(value)
  if (body.cachedContent !== undefined && body.cachedContent !== null && body.cachedContent !== '')
    throw unsupported('cachedContent', 'cachedContent cannot be used here: send the content itself.')
  for (const [index, given] of listOf(body.contents, 'contents').entries()) {
    const at = `contents[${index}].parts`
    const content = camel(asObject(given, `contents[${index}]`))
    for (const [position, one] of listOf(content.parts, at).entries()) {
      const part = isObject(one) ? camel(one) : {}
      const path = `${at}[${position}].fileData`
      if (isObject(part.fileData) && readFile(part.fileData, path).source.kind === 'object')
        throw unsupported(path, `${path} names a file that is kept at a vendor: send its content instead.`)
    }
  }
}

/** For models that do not take tools together with JSON as the form of the answer: the prompt asks for the form. */
function withFormatInWords(request: CanonicalRequest, { warn }: Target): CanonicalRequest {
  const text = request.tools.length === 0 ? undefined : formatInWords(request.format, 'beside tools')
  if (text === undefined) return request
  warn('format', 'changed')
  return { ...request, format: { type: 'text' }, instructions: [...request.instructions, { text }] }
}

export function encodeRequest(given: CanonicalRequest, target: Target): WrittenRequest {
  const rules = rulesOf(target.model)
  const request = rules.jsonBesideTools ? given : withFormatInWords(given, target)
  const { fields, names, sent } = writeTools(request, rules, target.warn)
  const { systemInstruction, contents } = writeContents(request, { target, names, rules })
  const generationConfig = writeConfig(request, rules, target.warn)
  const body: Record<string, unknown> = {}
  put(body, 'systemInstruction', systemInstruction)
  body.contents = contents
  put(body, 'tools', fields.tools)
  put(body, 'toolConfig', fields.toolConfig)
  if (Object.keys(generationConfig).length > 0) body.generationConfig = generationConfig
  addSettings(body, request, target.warn)
  return { body, tools: sent }
}
