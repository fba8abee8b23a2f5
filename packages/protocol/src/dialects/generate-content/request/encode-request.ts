// A canonical request for an upstream of this dialect.

import { formatInstructions } from '../../../canonical/encoding/format-instructions.ts'
import { put } from '../../../canonical/reading.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import type { EncodedRequest, Target } from '../../text-dialect.ts'
import { addSettings, encodeConfig } from './encode-config.ts'
import { encodeTools } from './encode-tools.ts'
import { encodeContents } from './encode-turns.ts'
import { rulesOf } from './model-rules.ts'

/** For models that do not take tools together with JSON as the form of the answer: the prompt asks for the form. */
function withFormatInstructions(request: CanonicalRequest, { warn }: Target): CanonicalRequest {
  const text = request.tools.length === 0 ? undefined : formatInstructions(request.format, 'beside tools')
  if (text === undefined) return request
  warn('format', 'changed')
  return { ...request, format: { type: 'text' }, instructions: [...request.instructions, { text }] }
}

export function encodeRequest(given: CanonicalRequest, target: Target): EncodedRequest {
  const rules = rulesOf(target.baseModel ?? target.model)
  const request = rules.jsonBesideTools ? given : withFormatInstructions(given, target)
  const { fields, names, sent } = encodeTools(request, rules, target)
  const { systemInstruction, contents } = encodeContents(request, { target, names, rules })
  const generationConfig = encodeConfig(request, rules, target.warn)
  const body: Record<string, unknown> = {}
  put(body, 'systemInstruction', systemInstruction)
  body.contents = contents
  put(body, 'tools', fields.tools)
  put(body, 'toolConfig', fields.toolConfig)
  if (Object.keys(generationConfig).length > 0) body.generationConfig = generationConfig
  addSettings(body, request, target.warn)
  return { body, tools: sent }
}
