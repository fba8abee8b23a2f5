// Speech asked from a model of this dialect in its own words, which pass through: several voices have no other.

import { isObject, type Json, wrong } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { PathParameters } from '../../dialect.ts'
import type { PassThroughRequest } from '../../pass-through.ts'
import type { SpeechRequest } from '../../shared/speech/speech.ts'
import { parseRequest, readParsed } from '../pass-through/request.ts'
import { camel, listOf } from '../request/fields.ts'

export type SpeechContentRequest = SpeechRequest & {
  body: Uint8Array
  passing: PassThroughRequest
  voices: readonly string[]
}

/** Throws RequestError. */
export function readSpeechContent(
  bytes: Uint8Array,
  codec: Codec,
  addressed: PathParameters,
  maxValues: number,
): SpeechContentRequest {
  const parsed = parseRequest(bytes, codec, maxValues)
  const passing = readParsed(parsed, addressed)
  // What is wrong is found before anything is held.
  passing.canonical()
  const path = 'generationConfig.candidateCount'
  if (passing.choices > 1) throw wrong(path, `${path} must be 1 for a model of speech`)
  const body = camel(parsed.body)
  const input = [...listOf(body.systemInstruction, 'systemInstruction'), ...listOf(body.contents, 'contents')]
    .flatMap(textsOf)
    .join('\n')
  let characters = 0
  for (const _ of input) characters++
  const { model, urls } = passing
  return {
    model,
    input,
    characters,
    asEvents: false,
    unknown: [],
    unpriced: [],
    urls,
    body: bytes,
    passing,
    voices: voicesIn(body.generationConfig),
  }
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  const parts = isObject(content) ? listOf(content.parts ?? content, 'parts') : []
  return parts
    .filter((part): part is Json => isObject(part))
    .flatMap(({ text }) => (typeof text === 'string' ? text : []))
}

/** One for each speaker. */
function voicesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(voicesIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    /^voice_?name$/i.test(name) && typeof inner === 'string' ? inner : voicesIn(inner),
  )
}
