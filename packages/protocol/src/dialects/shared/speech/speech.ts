// Text that is to be spoken, and what an upstream answers: audio in pieces, and what it consumed.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Base64 } from '../../../canonical/image.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { ServiceFields } from '../pass-through/service-fields.ts'

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

export const SPEECH_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export type SpeechRequest = ServiceFields & {
  model: string
  input: string
  /** Characters of `input` as a reader counts them: a pair of surrogates is one. */
  characters: number
  /** `id`: a voice that the vendor's customer has made. */
  voice?: string | { id: string }
  instructions?: string
  speed?: number
  /** Absent: the upstream's default, which is mp3 in the chat dialect. */
  format?: SpeechFormat
  /** The client reads events with base64 in place of bytes. */
  asEvents: boolean
  /** Names of fields that this endpoint does not know. */
  unknown: readonly string[]
}

/** What an event of an upstream's stream says. `rate`: of raw PCM, in samples per second. */
export type SpeechEvent =
  | { type: 'audio'; base64: Base64; rate?: number }
  | { type: 'usage'; usage: Usage }
  | { type: 'error'; error: ErrorInfo }
