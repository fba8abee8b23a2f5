// Speech asked from a model of this dialect: text in, raw PCM out.

import { unsupported } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { SpeechRequest } from '../../shared/speech/speech.ts'

/** The nearest of this vendor's voices to those that clients of the chat dialect know. */
const VOICES: Readonly<Record<string, string>> = {
  alloy: 'Kore',
  ash: 'Orus',
  ballad: 'Umbriel',
  cedar: 'Algieba',
  coral: 'Aoede',
  echo: 'Charon',
  fable: 'Fenrir',
  marin: 'Sulafat',
  nova: 'Leda',
  onyx: 'Algenib',
  sage: 'Autonoe',
  shimmer: 'Callirrhoe',
  verse: 'Puck',
}

export type SpeechContentTarget = { warn(field: string, reason: 'dropped' | 'changed'): void }

/** Throws RequestError for what these models cannot do. */
export function encodeSpeechContent(
  { input, voice, instructions, speed, format, unknown }: SpeechRequest,
  { warn }: SpeechContentTarget,
  codec: Codec,
): Uint8Array {
  if (format !== undefined && format !== 'wav' && format !== 'pcm')
    throw unsupported('response_format', `This model has no ${format}: response_format must be wav or pcm.`)
  if (typeof voice === 'object') throw unsupported('voice', 'This model has no custom voices: voice must be a name.')
  if (format === undefined) warn('response_format', 'changed')
  if (speed !== undefined && speed !== 1) warn('speed', 'dropped')
  for (const name of unknown) warn(name, 'dropped')
  const voiceName = voice === undefined ? undefined : (VOICES[voice] ?? voice)
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
