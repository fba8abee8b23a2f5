// Speech in a stream of this dialect: inline data of raw PCM in the model's parts.

import { errorInfo } from '../../../canonical/error.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { parseThin, type ThinJson } from '../../../framing/json/thin-json.ts'
import { base64Of } from '../../shared/images/base64.ts'
import type { SpeechEvent } from '../../shared/speech/speech.ts'
import { gather, nothing } from '../image-generation/decode-reply.ts'
import { decodeUsage } from '../reply/usage.ts'

export type SpeechContentDecoder = {
  push(thin: ThinJson): SpeechEvent[]
  /** The stream has ended: what it consumed, or why it has no audio. */
  end(): SpeechEvent[]
}

const PCM = /^audio\/(?:L16|pcm)\b/i
/** Where the media type does not say it. */
const DEFAULT_RATE = 24_000

export function openSpeechContent(codec: Codec): SpeechContentDecoder {
  const gathered = nothing()
  let hasAudio = false
  return {
    push(thin) {
      const chunk = parseThin(thin, codec)
      const error = gather(chunk, gathered, thin, codec)
      if (error) return [{ type: 'error', error }]
      const found = partsOf(chunk).flatMap((part) => audioOf(part, thin, codec) ?? [])
      hasAudio ||= found.length > 0
      return found
    },
    end() {
      const usage = decodeUsage(gathered.usage, undefined)
      if (hasAudio) return usage ? [{ type: 'usage', usage }] : []
      const error = gathered.refusal ?? errorInfo('upstream_error', 'The upstream answered without audio.')
      return [{ type: 'error', error: usage ? { ...error, billed: true } : error }]
    },
  }
}

function partsOf(chunk: unknown): Json[] {
  const candidates = isObject(chunk) && Array.isArray(chunk.candidates) ? chunk.candidates.filter(isObject) : []
  return candidates.flatMap(({ content }) =>
    isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : [],
  )
}

function audioOf(
  { inlineData, inline_data: snake }: Json,
  thin: ThinJson,
  codec: Codec,
): Extract<SpeechEvent, { type: 'audio' }> | undefined {
  const blob = inlineData ?? snake
  if (!isObject(blob)) return undefined
  const type = blob.mimeType ?? blob.mime_type
  const base64 = typeof type === 'string' && PCM.test(type) ? base64Of(thin, blob.data, codec) : undefined
  return base64 && { type: 'audio', base64, rate: sampleRateOf(String(type)) ?? DEFAULT_RATE }
}

/** `audio/L16;codec=pcm;rate=24000` -> 24000 */
export function sampleRateOf(mediaType: string): number | undefined {
  const rate = Number(/;\s*rate=(\d{4,6})\b/i.exec(mediaType)?.[1])
  return rate >= 1_000 && rate <= 384_000 ? rate : undefined
}
