// A canonical request for an upstream of this dialect.

import { formatInWords } from '../../../canonical/encoding/format-instructions.ts'
import { put } from '../../../canonical/reading.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import type { Target, WrittenRequest } from '../../text-dialect.ts'
import { addSettings, writeConfig } from './encode-config.ts'
import { writeTools } from './encode-tools.ts'
import { writeContents } from './encode-turns.ts'
import { rulesOf } from './model-rules.ts'

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
