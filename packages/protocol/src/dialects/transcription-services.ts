// How transcripts are asked from upstreams, by dialect, the preferred one first.

import type { Codec } from '../framing/codec.ts'
import * as chatReply from './chat/transcription/decode-reply.ts'
import { encodeTranscription as encodeForm } from './chat/transcription/encode-form.ts'
import * as generateContentReply from './generate-content/transcription/decode-reply.ts'
import { encodeTranscription as encodeContents } from './generate-content/transcription/encode-request.ts'
import type { DecodedTranscript, TranscriptEvent, TranscriptReader } from './shared/transcription/transcript.ts'
import type {
  EncodedTranscription,
  TranscriptFormat,
  TranscriptionRequest,
  TranscriptionTarget,
} from './shared/transcription/transcription.ts'

export type TranscriptionDialectId = 'chat' | 'generate-content'

export type TranscriptionService = {
  /** Throws RequestError for what the dialect cannot express. */
  encode(request: TranscriptionRequest, target: TranscriptionTarget, codec: Codec): EncodedTranscription
  decodeTranscript(body: Uint8Array, format: TranscriptFormat, codec: Codec): DecodedTranscript
  openEvents(emit: (event: TranscriptEvent) => void, codec: Codec): TranscriptReader
}

export const TRANSCRIPTION_SERVICES: Readonly<Record<TranscriptionDialectId, TranscriptionService>> = {
  chat: {
    encode: encodeForm,
    decodeTranscript: chatReply.decodeTranscript,
    openEvents: chatReply.openTranscriptEvents,
  },
  'generate-content': {
    encode: encodeContents,
    decodeTranscript: (body, _format, codec) => generateContentReply.decodeTranscript(body, codec),
    openEvents: generateContentReply.openTranscriptEvents,
  },
}

export const TRANSCRIPTION_DIALECT_IDS = Object.keys(TRANSCRIPTION_SERVICES) as readonly TranscriptionDialectId[]
