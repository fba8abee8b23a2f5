// The request for speech as one upstream gets it.

import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { encodeSpeechRequest, type ReadSpeechRequest } from '@trivium/protocol/dialects/chat/speech/request.ts'
import { encodeSpeechContent } from '@trivium/protocol/dialects/generate-content/speech/request.ts'
import { foreignObjectError, withCandidates } from '../access/urls/url-policy.ts'
import { codec } from '../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import { serviceOf } from '../config/upstream-dialects.ts'
import type { DialectOf, RateOf } from '../modalities/index.ts'
import type { CandidateRequest } from '../routing/call-candidates.ts'
import { dialectFor, upstreamPath } from '../upstreams/endpoint.ts'

type Rate = RateOf<'speech'>
export type Priced = { rate: Rate }

/** Throws RequestError for what the upstream cannot express. */
export function speechRequest(
  request: ReadSpeechRequest,
  { rate }: Priced,
  { upstream, route, costRate }: CandidateOf<'speech'>,
): CandidateRequest<DialectOf<'speech'>> {
  // A voice of one's own is kept at the vendor: a caller who knows its id could use another account's.
  const isOwnVoice = typeof request.voice === 'object'
  if (isOwnVoice && !upstream.sharedObjects && !upstream.embedded) throw foreignObjectError('voice.id')
  const warnings: string[] = []
  const warn = (field: string, reason: string) => addWarning(warnings, field, reason)
  const dialect = dialectFor(upstream, 'speech')
  if (dialect === 'generate-content') {
    const path = upstreamPath(upstream, dialect, route.model, true)
    return { dialect, path, body: [encodeSpeechContent(request, { warn }, codec)], stream: true, warnings }
  }
  const service = serviceOf(upstream, 'speech')
  if (!service) throw new Error(`upstream ${upstream.id} serves no speech`)
  const { path, lacks = [] } = service
  // Tokens are told in events alone.
  const wantsEvents = request.asEvents || countsTokens(rate) || (costRate !== undefined && countsTokens(costRate))
  const asEvents = wantsEvents && !lacks.includes('stream_format')
  const body = encodeSpeechRequest(request, { model: route.model, asEvents, lacks, warn }, codec)
  return { dialect: 'chat', path, body, stream: true, warnings }
}

const countsTokens = ({ price }: Rate): boolean => 'tokens' in price

/** The candidates that can serve the request. Throws the RequestError of one if none can. */
export function offerFor(offer: OfferOf<'speech'>, request: ReadSpeechRequest): OfferOf<'speech'> {
  let failure: unknown
  const able = withCandidates(
    offer,
    (candidate) => {
      try {
        return speechRequest(request, offer, candidate) !== undefined
      } catch (error) {
        failure = error
        return false
      }
    },
    [],
  )
  if (failure === undefined) return offer
  if (able.candidates.length === 0) throw failure
  return able
}
