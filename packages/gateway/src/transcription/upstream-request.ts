// The request as one upstream gets it: path, content type and a body whose file is read from disk while it is sent.

import { unsupported } from '@trivium/protocol/canonical/reading.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type {
  TranscriptionBodyPart,
  TranscriptionTarget,
} from '@trivium/protocol/dialects/shared/transcription/transcription.ts'
import {
  TRANSCRIPTION_SERVICES,
  type TranscriptionDialectId,
} from '@trivium/protocol/dialects/transcription-services.ts'
import { base64Length } from '@trivium/protocol/image-data/base64.ts'
import { encodeBase64 } from '../bytes/base64.ts'
import { codec } from '../bytes/codec.ts'
import { countReleased } from '../bytes/free-memory.ts'
import type { CandidateOf } from '../catalogue/catalogue.ts'
import { serviceOf } from '../config/upstream-dialects.ts'
import { mostTextTokens } from '../endpoints/transcriptions/modality/price.ts'
import { readFile } from '../media/media-store.ts'
import { streamedUpload, type UploadPart } from '../media/streamed-upload.ts'
import type { CandidateRequest } from '../routing/call-candidates.ts'
import { dialectFor, upstreamPath } from '../upstreams/endpoint.ts'
import type { MeasuredRequest } from './transcription-call.ts'

type Candidate = CandidateOf<'transcription'>

/** Throws RequestError for what the upstream cannot express. */
export function upstreamRequest(
  request: MeasuredRequest,
  candidate: Candidate,
): CandidateRequest<TranscriptionDialectId> {
  const { upstream } = candidate
  const dialect = dialectFor(upstream, 'transcription')
  if (dialect === undefined) throw new Error(`upstream ${upstream.id} serves no transcriptions`)
  const { path, lacks } = placeOf(request, candidate, dialect)
  const warnings: string[] = []
  const target: TranscriptionTarget = {
    model: candidate.route.model,
    lacks,
    boundary: `trivium${crypto.randomUUID().replaceAll('-', '')}`,
    maxOutput: mostTextTokens(request.audio.most),
    warn: (field, reason) => addWarning(warnings, field, reason),
  }
  for (const name of request.unpriced) target.warn(name, 'no-price')
  const { contentType, body } = TRANSCRIPTION_SERVICES[dialect].encode(sentTo(request, candidate), target, codec)
  const upload = streamedUpload(body.map((part) => uploadPart(part, request)))
  return { dialect, path, contentType, body: upload, stream: request.stream, warnings }
}

type Place = { path: string; lacks: readonly string[] }

function placeOf(
  { task, stream }: MeasuredRequest,
  { upstream, route }: Candidate,
  dialect: TranscriptionDialectId,
): Place {
  if (dialect !== 'chat') return { path: upstreamPath(upstream, dialect, route.model, stream), lacks: [] }
  const service = serviceOf(upstream, task === 'translate' ? 'translations' : 'transcriptions')
  if (!service) throw unsupported(undefined, 'This model has no translations. Use POST /v1/audio/transcriptions.')
  return { path: service.path, lacks: service.lacks ?? [] }
}

/** The embedded model is told how long the audio is, since it hears nothing. */
function sentTo(request: MeasuredRequest, { upstream }: Candidate): MeasuredRequest {
  if (!upstream.embedded) return request
  const seconds = { name: 'sandbox_seconds', value: String(request.audio.seconds) }
  return { ...request, fields: [...request.fields, seconds] }
}

function uploadPart(part: TranscriptionBodyPart, { file: { handle, bytes } }: MeasuredRequest): UploadPart {
  if (part instanceof Uint8Array) return part
  if (part === 'file') return { length: bytes, open: () => readFile(handle) }
  return { length: base64Length(bytes), open: () => inBase64(handle) }
}

async function* inBase64(handle: string): AsyncGenerator<Uint8Array> {
  for await (const piece of encodeBase64(readFile(handle))) {
    yield piece
    countReleased(piece.length)
  }
}
