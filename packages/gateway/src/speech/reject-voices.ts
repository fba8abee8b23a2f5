// Voices that the configuration of a model does not name, in requests for speech.

import { isKnownElsewhere } from '@trivium/protocol/dialects/generate-content/speech/voices.ts'
import type { SpeechRequest } from '@trivium/protocol/dialects/shared/speech/speech.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { Failure } from '../request/failure.ts'
import { dialectFor } from '../upstreams/endpoint.ts'

/** `voices`: of a request that passes as it is. */
type AskedVoices = Pick<SpeechRequest, 'voice'> & { voices?: readonly string[] }

/** Throws Failure. */
export function rejectOtherVoices(request: AskedVoices, { model, candidates }: OfferOf<'speech'>): void {
  const { voice } = request
  const { voices } = model.limits
  // Clients name such a voice by default, and models of generateContent speak with another in its place.
  const isReplaced = request.voices === undefined && typeof voice === 'string' && isKnownElsewhere(voice)
  if (isReplaced && candidates.some(({ upstream }) => dialectFor(upstream, 'speech') === 'generate-content')) return
  const asked = request.voices ?? (voice === undefined ? [] : [typeof voice === 'object' ? voice.id : voice])
  if (!voices || asked.every((each) => voices.includes(each))) return
  throw otherVoice(voices)
}

/** Checks the voice for a route that sends the name as it is. Throws Failure. */
export function rejectUnlisted(voice: string | undefined, voices: readonly string[] | undefined): void {
  if (voices && voice !== undefined && !voices.includes(voice)) throw otherVoice(voices)
}

function otherVoice(voices: readonly string[]): Failure {
  const some = voices.slice(0, 20).join(', ')
  const rest = voices.length > 20 ? ' and others' : ''
  return new Failure('bad_request', `voice must be one of ${some}${rest} for this model.`, { param: 'voice' })
}
