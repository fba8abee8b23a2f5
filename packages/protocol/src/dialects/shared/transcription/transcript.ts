// Transcripts in the form that clients of POST /v1/audio/transcriptions expect, whichever dialect they came in.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { formatSse } from '../../../framing/sse.ts'
import type { ReportedAudio, TranscriptFormat } from './transcription.ts'

export type Transcript = { text: string; report: ReportedAudio }
export type DecodedTranscript = { ok: true; transcript: Transcript } | { ok: false; error: ErrorInfo }

/** `sse`: the event as the client gets it. */
export type TranscriptEvent =
  | { type: 'delta'; sse: string; text: string }
  | { type: 'done'; sse: string; text: string; report: ReportedAudio }
  | { type: 'error'; error: ErrorInfo }

export type TranscriptReader = {
  /** Throws SseOverflow. */
  push(bytes: Uint8Array): void
  /** The bytes have ended as they should. Throws SseOverflow. */
  end(): void
}

export const isText = (format: TranscriptFormat): boolean => ['text', 'srt', 'vtt'].includes(format)

/** What clients of this format expect. */
export const typeOfTranscript = (format: TranscriptFormat): string => {
  if (!isText(format)) return 'application/json'
  return format === 'vtt' ? 'text/vtt; charset=utf-8' : 'text/plain; charset=utf-8'
}

export const deltaEvent = (delta: string): string => formatSse(JSON.stringify({ type: 'transcript.text.delta', delta }))

export const doneEvent = (text: string, usage: Usage | undefined): string =>
  formatSse(JSON.stringify({ type: 'transcript.text.done', text, usage: usage && tokenUsage(usage) }))

/** Closes a stream without an error. */
export const STREAM_END = formatSse('[DONE]')
/** A sign of life, which clients ignore. */
export const HEARTBEAT = ': keep-alive\n\n'

/** The body for a client, of a transcript that came in another dialect. Only of formats without timestamps. */
export const encodeTranscript = ({ text, report: { usage } }: Transcript, format: TranscriptFormat): string =>
  isText(format) ? `${text}\n` : JSON.stringify({ text, usage: usage && tokenUsage(usage) })

function tokenUsage({ input = 0, output = 0, audioInput = 0 }: Usage) {
  const input_token_details = { audio_tokens: audioInput, text_tokens: input - audioInput }
  return {
    type: 'tokens',
    input_tokens: input,
    input_token_details,
    output_tokens: output,
    total_tokens: input + output,
  }
}
