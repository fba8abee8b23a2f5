// Events of streamed speech: what an upstream's say, and those that the gateway makes of plain bytes.

import { isObject } from '../../../canonical/reading.ts'
import { checkedUsage, readCount, type Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { parseThin, type ThinJson } from '../../../framing/json/thin-json.ts'
import { formatSse } from '../../../framing/sse.ts'
import { base64Of } from '../../shared/images/base64.ts'
import type { SpeechEvent } from '../../shared/speech/speech.ts'
import { decodeError } from '../error.ts'

/** undefined: the event says nothing that counts. */
export function decodeSpeechEvent(thin: ThinJson, codec: Codec): SpeechEvent | undefined {
  const event = parseThin(thin, codec)
  if (!isObject(event)) return undefined
  if (isObject(event.error) || event.type === 'error')
    return { type: 'error', error: decodeError(200, isObject(event.error) ? event : { error: event }) }
  const base64 = event.type === 'speech.audio.delta' ? base64Of(thin, event.audio, codec) : undefined
  if (base64) return { type: 'audio', base64 }
  if (event.type !== 'speech.audio.done' || !isObject(event.usage)) return undefined
  const { input_tokens: input, output_tokens: output } = event.usage
  const none = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined }
  const audioOutput = readCount(output)
  return { type: 'usage', usage: checkedUsage({ input: readCount(input), output: audioOutput, audioOutput, ...none }) }
}

export const encodeSpeechDelta = (base64: string, codec: Codec): Uint8Array =>
  codec.encode(formatSse(`{"type":"speech.audio.delta","audio":"${base64}"}`))

/** Without usage where the upstream has told none: zeros would be wrong. */
export function encodeSpeechDone(usage: Usage | undefined, codec: Codec): Uint8Array {
  const { input = 0, output } = usage ?? {}
  const told =
    output === undefined ? {} : { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } }
  return codec.encode(formatSse(JSON.stringify({ type: 'speech.audio.done', ...told })))
}
