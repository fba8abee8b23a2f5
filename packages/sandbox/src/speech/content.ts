// The speech model in the generate-content dialect: raw PCM as inline data, a chunk for each word.
import { json, LABELLED } from '../delivery/json.ts'
import { badRequest } from '../request/errors.ts'
import { isObject, type Json, listOf } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { RATE, SANDBOX_SPEECH, spoken, streamOf } from './speech.ts'

const TOKENS_PER_SECOND = 25

/** undefined: the path names another model. */
export function answerSpeechContent(url: URL, bytes: Uint8Array): Response | undefined {
  if (!url.pathname.includes(`/models/${SANDBOX_SPEECH}:`)) return undefined
  const body = parseBody(bytes)
  const config = isObject(body.generationConfig) ? body.generationConfig : {}
  const field = 'generationConfig.responseModalities'
  if (!listOf(config.responseModalities).includes('AUDIO')) throw badRequest(`${field}: expected AUDIO.`, field)
  const text = textOf(body)
  if (text === '') throw badRequest('contents: expected text to speak.', 'contents')
  const words = [...spoken(text, 1, false)]
  const usageMetadata = usageOf(text, words)
  if (url.pathname.endsWith(':generateContent'))
    return json({ ...chunkOf([Buffer.concat(words)], 'STOP'), usageMetadata })
  const chunks = [...words.map((word) => chunkOf([word])), { ...chunkOf([], 'STOP'), usageMetadata }]
  const events = chunks.map((chunk) => Buffer.from(`data: ${JSON.stringify(chunk)}\r\n\r\n`))
  return new Response(streamOf(events.values()), { headers: { ...LABELLED, 'content-type': 'text/event-stream' } })
}

function textOf({ contents }: Json): string {
  const parts = listOf(contents)
    .filter(isObject)
    .flatMap((content) => listOf(content.parts).filter(isObject))
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
}

function chunkOf(audio: readonly Uint8Array[], finishReason?: string): Json {
  const mimeType = `audio/L16;codec=pcm;rate=${RATE}`
  const parts = audio.map((bytes) => ({ inlineData: { mimeType, data: Buffer.from(bytes).toString('base64') } }))
  const candidate = { content: { role: 'model', parts }, index: 0, ...(finishReason ? { finishReason } : {}) }
  return { candidates: [candidate], modelVersion: SANDBOX_SPEECH }
}

function usageOf(text: string, words: readonly Uint8Array[]): Json {
  const seconds = words.reduce((sum, { length }) => sum + length, 0) / (RATE * 2)
  const [input, output] = [Math.ceil(text.length / 4), Math.ceil(seconds * TOKENS_PER_SECOND)]
  return {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: output }],
  }
}
