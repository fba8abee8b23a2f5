// The voices of a model: those that the configuration names, else those of the vendors that serve it.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import { chatVoices } from '@trivium/protocol/dialects/chat/speech/voices.ts'
import { CONTENT_VOICE_OF, CONTENT_VOICES } from '@trivium/protocol/dialects/generate-content/speech/voices.ts'
import type { AuthenticateDependencies } from '../access/authenticate.ts'
import { authenticate } from '../access/authenticate.ts'
import { keyAllowsModel } from '../access/authorize.ts'
import { type CandidateOf, isOfType, type OfferOf } from '../catalogue/catalogue.ts'
import { baseModelOf } from '../modalities/modality.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { dialectFor } from '../upstreams/endpoint.ts'

export async function listSpeechModels(incoming: ApiRequest, deps: AuthenticateDependencies): Promise<HttpResponse> {
  const models = (await visibleOffers(incoming, deps)).map((offer) => {
    const { id } = offer.model
    return { id, name: id, voices: voicesOf(offer) }
  })
  return json(200, incoming.responseHeaders, { models })
}

/** Each voice once, with the models that have it. */
export async function listVoices(incoming: ApiRequest, deps: AuthenticateDependencies): Promise<HttpResponse> {
  const models = new Map<string, string[]>()
  for (const offer of await visibleOffers(incoming, deps))
    for (const voice of voicesOf(offer)) models.set(voice, [...(models.get(voice) ?? []), offer.model.id])
  const voices = [...models].map(([id, models]) => ({ id, name: id, models }))
  return json(200, incoming.responseHeaders, { voices })
}

async function visibleOffers(incoming: ApiRequest, deps: AuthenticateDependencies): Promise<OfferOf<'speech'>[]> {
  const caller = await authenticate(incoming, 'chat', deps)
  return [...(deps.catalogue().offers.get(caller.group)?.values() ?? [])]
    .filter((offer) => isOfType(offer, 'speech'))
    .filter(({ model }) => keyAllowsModel(caller, model.id))
}

/** Only voices that every route takes: which one will be called is not known beforehand. Empty: the voices are unknown. */
function voicesOf({ model, candidates }: OfferOf<'speech'>): readonly string[] {
  if (model.limits.voices) return model.limits.voices
  const routes = candidates.map(voicesOfRoute)
  const own = new Set(routes.flatMap((route) => route?.own ?? []))
  return [...own].filter((voice) => routes.every((route) => route?.takes(voice)))
}

type RouteVoices = { own: readonly string[]; takes(voice: string): boolean }

/** undefined: the upstream's voices are unknown, as those of local servers are. */
function voicesOfRoute({ upstream, route }: CandidateOf<'speech'>): RouteVoices | undefined {
  if (dialectFor(upstream, 'speech') === 'generate-content') {
    const names = new Set<string>([...CONTENT_VOICES, ...Object.keys(CONTENT_VOICE_OF)])
    return { own: CONTENT_VOICES, takes: (voice) => names.has(voice) }
  }
  if (upstream.kind !== 'openai' && upstream.kind !== 'azure' && !upstream.embedded) return undefined
  const own = chatVoices(baseModelOf(route))
  return { own, takes: (voice) => own.includes(voice) }
}
