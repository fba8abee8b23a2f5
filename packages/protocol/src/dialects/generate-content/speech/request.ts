// Speech asked from a model of this dialect: text in, raw PCM out.

import { unsupported } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { SpeechRequest } from '../../shared/speech/speech.ts'
import { contentVoice } from './voices.ts'

export type SpeechContentTarget = {
  /** Those that the model may speak with; undefined: all. */
  voices: readonly string[] | undefined
  warn(field: string, reason: 'dropped' | 'changed'): void
}

/** Throws RequestError for what these models cannot do. */
export function encodeSpeechContent(
  { input, voice, instructions, speed, format, unknown, unpriced }: SpeechRequest,
  { voices, warn }: SpeechContentTarget,
  codec: Codec,
): Uint8Array {
  if (typeof voice === 'object') throw unsupported('voice', 'This model has no custom voices: voice must be a name.')
  // Players go by the content: clients that name a format hardly ever mean to reject another.
  if (format !== 'wav' && format !== 'pcm') warn('response_format', 'changed')
  if (speed !== undefined && speed !== 1) warn('speed', 'dropped')
  for (const name of [...unknown, ...unpriced]) warn(name, 'dropped')
  const voiceName = voice === undefined ? undefined : contentVoice(voice, voices)
  if (voiceName !== voice) warn('voice', 'changed')
  const prebuilt =
    voiceName === undefined ? {} : { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } } }
  // The vendor's way to direct a voice: the manner first, then what is to be said.
  const text = instructions === undefined || instructions.trim() === '' ? input : `${instructions.trim()}\n\n${input}`
  return codec.encode(
    JSON.stringify({
      contents: [{ role: 'user', parts: [{ text }] }],
      generationConfig: { responseModalities: ['AUDIO'], ...prebuilt },
    }),
  )
}
