// A paid call of the transcription journey, and its settlement: the audio that was heard is charged.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import type {
  ReportedAudio,
  TranscriptionRequest,
} from '@trivium/protocol/dialects/shared/transcription/transcription.ts'
import type { TranscriptionDialectId } from '@trivium/protocol/dialects/transcription-services.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { AudioDurations } from '../media/audio/audio-durations.ts'
import type { Spool } from '../media/spool.ts'
import type { ModelOf, RateOf } from '../modalities/index.ts'
import { bookableTokens } from '../money/limits.ts'
import type { Outcome } from '../paid-call/outcome.ts'
import type { PaidCallDependencies, PaidRequest } from '../paid-call/paid-request.ts'
import { settle } from '../paid-call/settle.ts'
import type { CandidateKind } from '../routing/call-candidates.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'

export type TranscriptionDependencies = RoutingDependencies & { spool: Spool; audioDurations: AudioDurations }

/** `seconds`: by the content of the file. `most`: the same, or a bound where it does not tell. */
export type HeardAudio = { seconds: number; most: number }

/** A quarter of the bytes of speech that is compressed most. */
const FEWEST_BYTES_PER_SECOND_OF_ANY = 250

/** The most seconds that a file of so many bytes can last. */
export const longest = (bytes: number): number => bytes / FEWEST_BYTES_PER_SECOND_OF_ANY

export type MeasuredRequest = TranscriptionRequest & { readonly audio: HeardAudio }

export type ReadRequest = Readonly<{
  request: MeasuredRequest
  fingerprint: Uint8Array
  /** Deletes the file. */
  close(): Promise<void>
}>

export interface TranscriptionCallKind
  extends CandidateKind<RateOf<'transcription'>, ModelOf<'transcription'>, TranscriptionDialectId> {
  request: ReadRequest
}

export type TranscriptionCall = PaidRequest<TranscriptionCallKind>

/** What came of a call. */
export type Heard = { text: string; report: ReportedAudio; outcome: Outcome }

/** The last byte may leave when this resolves. `body`: what a repeated request is answered with. */
export async function chargeAudio(
  call: TranscriptionCall,
  { text, report, outcome }: Heard,
  body: Pieces | undefined,
  deps: PaidCallDependencies,
): Promise<void> {
  const { offer, candidate } = call.attempt
  const { audio, file } = call.request.request
  const { seconds = audio.seconds } = report
  // No file lasts longer, whatever an upstream says: what is wrong must not be charged.
  const heard = {
    seconds: Math.min(seconds, longest(file.bytes)),
    report: { usage: report.usage },
    textBytes: utf8Length(text),
  }
  const { input = 0, output = 0 } = report.usage ?? {}
  await settle(
    call,
    {
      outcome: call.client.isDisconnected ? 'client_disconnected' : outcome,
      charges: [offer.rate.cost(heard)],
      sawOutput: true,
      tokens: bookableTokens(input + output),
      upstreamCost: candidate.costRate?.cost(heard).cost,
      body,
    },
    deps,
  )
}

/** The largest transcript: of a day of audio, with a timestamp for each word. */
export const TRANSCRIPT_BYTES = 32 * 1024 * 1024

/** With timestamps of words and segments, and what every response has. */
const BYTES_PER_SECOND = 500
const FEWEST_BYTES = 64 * 1024

/** What the transcript will take in memory. */
export const expectedBytes = ({ most }: HeardAudio): number =>
  Math.min(TRANSCRIPT_BYTES, FEWEST_BYTES + Math.ceil(most * BYTES_PER_SECOND))

export const typeOfReply = (reply: UpstreamResponse): string =>
  reply.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
