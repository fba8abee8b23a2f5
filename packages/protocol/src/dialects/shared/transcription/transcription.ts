// A request for the text of an audio file, and what is known of its outcome.

import type { BodyAttribution } from '../../../canonical/request.ts'
import type { Usage } from '../../../canonical/usage.ts'

/** `translate`: into English. */
export type TranscriptionTask = 'transcribe' | 'translate'

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** `extension` and `mediaType` as the client names them, or by the content. `handle`: for who sends it. */
export type AudioFile = { bytes: number; extension: string; mediaType: string; handle: string }

export type TranscriptionRequest = {
  task: TranscriptionTask
  model: string
  file: AudioFile
  format: TranscriptFormat
  language?: string
  prompt?: string
  temperature?: number
  stream: boolean
  /** Names of fields that would cost what no price counts; they are not among the others. */
  unpriced: readonly string[]
  /** Whom and what it is for; absent: it does not say. */
  attribution?: BodyAttribution
  /** All fields but `model`, as they came and in their order; vendors have others than those above. */
  fields: readonly { name: string; value: string }[]
}

/** What encoding a request for an upstream depends on, besides the request. */
export type TranscriptionTarget = {
  /** The model's name at the upstream. */
  model: string
  /** Fields that this upstream does not have, by their wire names. */
  lacks: readonly string[]
  /** Separates the parts of a form: random letters and digits, made anew for each request. */
  boundary: string
  /** The most tokens that the answer is held for. */
  maxOutput: number
  warn(field: string, reason: 'dropped' | 'changed' | 'no-price'): void
}

/** Bytes, or the place of the file: as it is, or in base64. */
export type TranscriptionBodyPart = Uint8Array | 'file' | 'file in base64'
export type EncodedTranscription = { contentType: string; body: readonly TranscriptionBodyPart[] }

/** What an upstream says that it has used: tokens or seconds of audio, or nothing. */
export type ReportedAudio = { usage?: Usage | undefined; seconds?: number | undefined }
