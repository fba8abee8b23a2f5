// Transcripts in the form that clients of POST /v1/audio/transcriptions expect, whichever dialect they came in.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { formatSse } from '../../../framing/sse.ts'
import type { ReportedAudio, TranscriptFormat } from './transcription.ts'

/** In seconds. */
export type TranscriptSegment = { start: number; end: number; text: string }
export type Transcript = { text: string; report: ReportedAudio; segments?: readonly TranscriptSegment[] }
/** `passed`: what the client gets as it came. Absent: the transcript has to be written in the format. */
export type DecodedTranscript =
  | { ok: true; transcript: Transcript; passed?: Uint8Array }
  | { ok: false; error: ErrorInfo }

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

/** The body for a client, of a transcript that came in another dialect or format. Timestamps are those of its segments. */
export function encodeTranscript(
  { text, report: { usage }, segments = [] }: Transcript,
  format: TranscriptFormat,
): string {
  const cue = ({ start, end, text }: TranscriptSegment, point: string) =>
    `${clock(start, point)} --> ${clock(end, point)}\n${text.trim().replaceAll('-->', '->')}\n\n`
  if (format === 'srt') return segments.map((segment, index) => `${index + 1}\n${cue(segment, ',')}`).join('')
  if (format === 'vtt') return `WEBVTT\n\n${segments.map((segment) => cue(segment, '.')).join('')}`
  return format === 'text' ? `${text}\n` : JSON.stringify({ text, usage: usage && tokenUsage(usage) })
}

/** `00:01:02,500` */
function clock(seconds: number, point: string): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1_000))
  const part = (unit: number, digits: number, most: number) =>
    String(Math.floor(milliseconds / unit) % most).padStart(digits, '0')
  return `${part(3_600_000, 2, 1e6)}:${part(60_000, 2, 60)}:${part(1_000, 2, 60)}${point}${part(1, 3, 1_000)}`
}

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
