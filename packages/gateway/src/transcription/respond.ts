// The unstreamed response: the whole transcript, settled before it is sent.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import {
  encodeTranscript,
  type Transcript,
  typeOfTranscript,
} from '@trivium/protocol/dialects/shared/transcription/transcript.ts'
import {
  TRANSCRIPTION_SERVICES,
  type TranscriptionDialectId,
} from '@trivium/protocol/dialects/transcription-services.ts'
import { codec } from '../bytes/codec.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { writeLargeJson } from '../paid-call/writing/write-json.ts'
import { type CandidateSteps, callCandidates, nextCandidate, receivedPieces } from '../routing/call-candidates.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { failedByBreak, failedByError, failedByOther } from '../routing/upstream-errors.ts'
import type { TranscriptionDependencies } from './transcription-call.ts'
import { chargeAudio, TRANSCRIPT_BYTES, type TranscriptionCall, typeOfReply } from './transcription-call.ts'

type Offer = OfferOf<'transcription'>
export type TranscriptionSteps = CandidateSteps<Offer['rate'], Offer['model'], TranscriptionDialectId>

export async function respondWhole(
  call: TranscriptionCall,
  steps: TranscriptionSteps,
  deps: TranscriptionDependencies,
): Promise<HttpResponse> {
  const { format } = call.request.request
  const { transcript, passed } = await transcribe(call, steps, deps)
  call.firstOutputAt ??= performance.now()
  const body = [passed ?? codec.encode(encodeTranscript(transcript, format))]
  const finish = () => chargeAudio(call, { ...transcript, outcome: 'completed' }, body, deps)
  return writeLargeJson(call, body, finish, deps, typeOfTranscript(format))
}

/** Calls one upstream after the other until one sends a transcript. */
async function transcribe(call: TranscriptionCall, steps: TranscriptionSteps, deps: TranscriptionDependencies) {
  for (;;) {
    const reply = await callCandidates(call, steps, deps)
    const read = await readTranscript(call, reply, deps)
    if (!('failure' in read)) return read
    await nextCandidate(call, read, steps, deps)
  }
}

/** A whole reply, of an upstream that was asked for a stream or for none. */
export async function readTranscript(
  call: TranscriptionCall,
  reply: UpstreamResponse,
  deps: TranscriptionDependencies,
): Promise<{ transcript: Transcript; passed?: Uint8Array } | FailedAttempt> {
  if (typeOfReply(reply) === 'text/html') {
    reply.cancel()
    return failedByOther('The upstream sent a page instead of a transcript.')
  }
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for await (const piece of receivedPieces(call, reply)) {
      length += piece.length
      if (length > TRANSCRIPT_BYTES) return failedByOther('The upstream sent a response that is too large.')
      pieces.push(piece)
    }
  } catch {
    return failedByBreak(call)
  }
  const bytes = Buffer.concat(pieces)
  const decoded = TRANSCRIPTION_SERVICES[call.attempt.dialect].decodeTranscript(
    bytes,
    call.request.request.format,
    codec,
  )
  return decoded.ok ? decoded : failedByError(call, decoded.error, deps)
}
