// Requests to a path that some upstreams serve beside their dialect, such as text completions: those get them as the caller sent them,
// and all others get what a chat can express of them.
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { notInChat } from '@trivium/protocol/dialects/chat/completions/request.ts'
import type { PassThroughEdits, PassThroughRequest } from '@trivium/protocol/dialects/pass-through.ts'
import { isGiven } from '@trivium/protocol/dialects/shared/pass-through/priced-fields.ts'
import { withCandidates } from '../../access/urls/url-policy.ts'
import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import type { ServiceEndpoint } from '../../config/types.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import { baseModelOf } from '../../modalities/modality.ts'
import type { PlannedAttempt } from '../request.ts'

type Asked = Pick<PassThroughRequest, 'native'>

function endpointFor({ upstream, route }: CandidateOf<'text'>, { native }: Asked): ServiceEndpoint | undefined {
  // What an operator changes is said of chats.
  const endpoint = native && !route.edits && serviceOf(upstream, 'completions')
  if (!endpoint) return undefined
  const { models, lacks = [], assumed } = endpoint
  if (models && !models.some((beginning) => baseModelOf(route).startsWith(beginning))) return undefined
  if (native.needed === undefined) return assumed ? undefined : endpoint
  return lacks.includes(native.needed) ? undefined : endpoint
}

/** undefined: the upstream does not serve the path. Throws RequestError if nothing else would do. */
export function nativeRequest(planned: PlannedAttempt): PlannedAttempt | undefined {
  const { request: asked } = planned
  const { native } = asked.parsed
  if (!native) return undefined
  const endpoint = endpointFor(planned.candidate, asked.parsed)
  if (!endpoint) {
    if (native.needed === undefined) return undefined
    throw notInChat(native.needed)
  }
  const { path, lacks = [] } = endpoint
  const { request } = native
  for (const name of lacks) if (isGiven(request.body?.[name])) addWarning(planned.warnings, name, 'dropped')
  const edited = (edits: PassThroughEdits) => request.edited({ ...edits, remove: [...(edits.remove ?? []), ...lacks] })
  return { ...planned, request: { ...asked, parsed: { ...request, edited }, servicePath: path } }
}

/** Without the candidates that cannot be asked. Throws RequestError if none is left. */
export function expressibleOffer(offer: OfferOf<'text'>, asked: Asked): OfferOf<'text'> {
  const needed = asked.native?.needed
  if (needed === undefined) return offer
  const only = (each: OfferOf<'text'>, fallbacks: readonly OfferOf<'text'>[]) =>
    withCandidates(each, (candidate) => endpointFor(candidate, asked) !== undefined, fallbacks)
  const fallbacks = offer.fallbacks.map((each) => only(each, [])).filter(({ candidates }) => candidates.length > 0)
  const narrowed = only(offer, fallbacks)
  if (narrowed.candidates.length === 0) throw notInChat(needed)
  return narrowed
}
