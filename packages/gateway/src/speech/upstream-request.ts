// The request for speech as one upstream gets it.

import { unsupported } from '@trivium/protocol/canonical/reading.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { encodeSpeechRequest, type ReadSpeechRequest } from '@trivium/protocol/dialects/chat/speech/request.ts'
import type { SpeechContentRequest } from '@trivium/protocol/dialects/generate-content/speech/pass-through.ts'
import { encodeSpeechContent } from '@trivium/protocol/dialects/generate-content/speech/request.ts'
import type { PassThroughEdits, PassThroughRequest, PricedField } from '@trivium/protocol/dialects/pass-through.ts'
import { joinEdits } from '@trivium/protocol/dialects/shared/pass-through/request.ts'
import { rejectObjects, removeUnpriced } from '../access/tenant-policy.ts'
import { foreignObjectError, withCandidates } from '../access/urls/url-policy.ts'
import { codec } from '../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import { serviceOf } from '../config/upstream-dialects.ts'
import type { DialectOf, RateOf } from '../modalities/index.ts'
import type { CandidateRequest } from '../routing/call-candidates.ts'
import { dialectFor, upstreamPath } from '../upstreams/endpoint.ts'
import { rejectUnlisted } from './reject-voices.ts'

type Rate = RateOf<'speech'>
export type ReadRequest = ReadSpeechRequest | SpeechContentRequest
export type Priced = Pick<OfferOf<'speech'>, 'rate' | 'model'>

/** Throws RequestError for what the upstream cannot express. */
export function speechRequest(
  request: ReadRequest,
  { rate, model }: Priced,
  candidate: CandidateOf<'speech'>,
): CandidateRequest<DialectOf<'speech'>> {
  if ('passing' in request) return passedRequest(request.passing, candidate)
  const { upstream, route, costRate } = candidate
  // A voice of one's own is kept at the vendor: a caller who knows its id could use another account's.
  const isOwnVoice = typeof request.voice === 'object'
  if (isOwnVoice && !upstream.sharedObjects && !upstream.embedded) throw foreignObjectError('voice.id')
  const warnings: string[] = []
  const warn = (field: string, reason: string) => addWarning(warnings, field, reason)
  const dialect = dialectFor(upstream, 'speech')
  const { voices } = model.limits
  if (dialect === 'generate-content') {
    const path = upstreamPath(upstream, dialect, route.model, true)
    return { dialect, path, body: [encodeSpeechContent(request, { voices, warn }, codec)], stream: true, warnings }
  }
  if (typeof request.voice !== 'object') rejectUnlisted(request.voice, voices)
  const service = serviceOf(upstream, 'speech')
  if (!service) throw new Error(`upstream ${upstream.id} serves no speech`)
  const { path, lacks = [] } = service
  // Tokens are told in events alone.
  const wantsEvents = request.asEvents || countsTokens(rate) || (costRate !== undefined && countsTokens(costRate))
  const asEvents = wantsEvents && !lacks.includes('stream_format')
  const body = encodeSpeechRequest(request, { model: route.model, asEvents, lacks, warn }, codec)
  return { dialect: 'chat', path, body, stream: true, warnings }
}

/** In the words of the caller, with the few edits that others on the same vendor's account need. */
function passedRequest(passing: PassThroughRequest, { upstream, route }: CandidateOf<'speech'>) {
  if (dialectFor(upstream, 'speech') !== 'generate-content')
    throw unsupported(undefined, 'This model is not called by generateContent. Use POST /v1/audio/speech.')
  rejectObjects(passing, upstream.sharedObjects)
  const isSpeech = ({ word }: PricedField): boolean => word === 'audio'
  const { edits, unpriced } = removeUnpriced(passing.priced, isSpeech, isSpeech)
  const warnings: string[] = []
  for (const field of unpriced) addWarning(warnings, field, 'no-price')
  const own: PassThroughEdits = { model: route.model }
  if (passing.storing && !upstream.sharedObjects) {
    own.remove = passing.storing
    for (const field of passing.storing) addWarning(warnings, field, 'dropped')
  }
  const { stream } = passing
  const path = upstreamPath(upstream, 'generate-content', route.model, stream)
  const body = passing.edited(joinEdits([...edits, own]))
  return { dialect: 'generate-content' as const, path, body, stream, warnings }
}

const countsTokens = ({ price }: Rate): boolean => 'tokens' in price

/** The candidates that can serve the request, in its format if there are any. Throws the RequestError of one if none can. */
export function offerFor(offer: OfferOf<'speech'>, request: ReadRequest): OfferOf<'speech'> {
  let failure: unknown
  const canServe = (candidate: CandidateOf<'speech'>): boolean => {
    try {
      return speechRequest(request, offer, candidate) !== undefined
    } catch (error) {
      failure = error
      return false
    }
  }
  const able = withCandidates(offer, canServe, [])
  if (able.candidates.length === 0 && failure !== undefined) throw failure
  if ('passing' in request) return failure === undefined ? offer : able
  const { format = 'wav' } = request
  const encodes = ({ upstream }: CandidateOf<'speech'>): boolean =>
    dialectFor(upstream, 'speech') !== 'generate-content'
  const isOther = format !== 'wav' && format !== 'pcm'
  const exact = isOther && !able.candidates.every(encodes) && able.candidates.some(encodes)
  if (exact) return withCandidates(able, encodes, [])
  return failure === undefined ? offer : able
}
