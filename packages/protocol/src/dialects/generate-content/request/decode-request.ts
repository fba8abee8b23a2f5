// A client's request, checked and in canonical terms.

import { checkChoice } from '../../../canonical/encoding/offered-tools.ts'
import {
  isObject,
  type Json,
  put,
  RequestError,
  readFlag,
  readObject,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type { CanonicalRequest, ServiceTier } from '../../../canonical/request.ts'
import type { PathParameters } from '../../dialect.ts'
import { decodeConfig } from './decode-config.ts'
import { decodeToolConfig, decodeTools } from './decode-tools.ts'
import { decodeContents, decodeInstructions } from './decode-turns.ts'
import {
  camel,
  enumWord,
  inCallersSpelling,
  listOf,
  openUntranslatedFields,
  type UntranslatedFields,
} from './fields.ts'
import { origin } from './origin.ts'

export function decodeRequest(value: unknown, addressed: PathParameters | undefined): CanonicalRequest {
  if (!isObject(value)) throw new RequestError('bad_request', undefined, 'The body must be a JSON object')
  try {
    return decodeBody(value, addressed)
  } catch (thrown) {
    throw inCallersSpelling(thrown, value)
  }
}

/** Both `models/m` and `m` name the model `m`. */
const withoutPrefix = (model: string): string => model.replace(/^models\//, '')

function decodeBody(value: Json, addressed: PathParameters | undefined): CanonicalRequest {
  const body = camel(value)
  const named = readString(body, 'model')
  const model = addressed?.model ?? named
  if (named !== undefined && withoutPrefix(named) !== withoutPrefix(model ?? ''))
    throw wrong('model', 'model must name the same model as the path of the request. Leave it out of the body.')
  if (model === undefined || model === '') throw wrong('model', 'model is required: the id of a model in the path')
  const left = openUntranslatedFields()
  if (body.safetySettings !== undefined) listOf(body.safetySettings, 'safetySettings')
  if (listOf(body.contents, 'contents').length === 0)
    throw wrong('contents', 'contents is required: an array with at least one content')

  const config = decodeConfig(readObject(body, 'generationConfig'), left)
  const { tools, hostedTools } = decodeTools(body.tools)
  const { toolChoice, validated } = decodeToolConfig(body.toolConfig, left)
  if (toolChoice !== undefined) {
    const field = toolChoice.mode === 'required' ? 'mode' : 'allowedFunctionNames'
    checkChoice(toolChoice, { tools, hostedTools }, `toolConfig.functionCallingConfig.${field}`)
  }
  const tier = readTier(body, left)
  const labels = readLabels(body)
  const store = readFlag(body, 'store')
  const instructions = decodeInstructions(body.systemInstruction, left)
  const turns = decodeContents(body.contents, { left, detail: config.detail })
  if (config.detail !== undefined && !turns.some(({ parts }) => parts.some(({ type }) => type === 'media')))
    left.add('generationConfig.mediaResolution')
  const request: CanonicalRequest = {
    from: origin,
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
  const essential = left.essential()
  if (essential.length > 0) request.essential = essential
  put(request, 'toolChoice', toolChoice)
  put(request, 'tier', tier)
  put(request, 'metadata', labels)
  put(request, 'store', store)
  return request
}

function readTier(body: Json, left: UntranslatedFields): ServiceTier | undefined {
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
