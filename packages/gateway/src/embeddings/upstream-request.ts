// The request as one upstream gets it: the caller's bytes with few edits where it speaks the caller's dialect, else a translation.

import { type RequestError, unsupported } from '@trivium/protocol/canonical/reading.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { EMBEDDING_SERVICES, type EmbeddingDialectId } from '@trivium/protocol/dialects/embedding-services.ts'
import { filled } from '@trivium/protocol/dialects/generate-content/endpoint.ts'
import type { EmbeddingRequest, UpstreamFields } from '@trivium/protocol/dialects/shared/embeddings/embedding.ts'
import { withCandidates } from '../access/urls/url-policy.ts'
import { codec } from '../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { Upstream } from '../config/types.ts'
import { dialectsFor, serviceOf } from '../config/upstream-dialects.ts'
import type { CandidateRequest } from '../routing/call-candidates.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import type { Caller } from '../storage/storage.ts'
import { endpointOf } from '../upstreams/endpoint.ts'

/** A request that was read, with the dialect that it was read in. */
export type ReadRequest = EmbeddingRequest & {
  dialect: EmbeddingDialectId
  /** The field that has the inputs. */
  inputField: string
  body: Uint8Array
  /** The most that it can be, and about what it is. */
  tokens: { most: number; expected: number }
}

/** The caller's own dialect, if the upstream has it. */
export function dialectFor(upstream: Upstream, own: EmbeddingDialectId): EmbeddingDialectId {
  const spoken = dialectsFor(upstream, 'embedding') as readonly EmbeddingDialectId[]
  return spoken.includes(own) ? own : (spoken[0] ?? 'chat')
}

/** Throws RequestError for what the candidate's upstream cannot express. */
export function requestFor(
  request: ReadRequest,
  candidate: CandidateOf<'embedding'>,
  { account }: Caller,
  { accountCipher }: RoutingDependencies,
): CandidateRequest<EmbeddingDialectId> {
  const { upstream } = candidate
  const { embedded, sharedObjects } = upstream
  const dialect = dialectFor(upstream, request.dialect)
  const model = upstreamModel(request, candidate)
  const warnings: string[] = []
  const error = unexpressed(request, upstream)
  if (error) throw error
  const fields = fieldsOf(upstream, dialect)
  const common = { dialect, path: pathOf(upstream, dialect, model, request.isSingle), stream: false, warnings }
  if (dialect !== request.dialect) {
    for (const field of request.untranslated) addWarning(warnings, field, 'dropped')
    return { ...common, body: [EMBEDDING_SERVICES[dialect].encodeRequest(request, model, fields, codec)] }
  }
  const { user, form } = request
  const native = formPath(request, upstream)
  if (form && native !== undefined) {
    for (const name of request.unpriced) addWarning(warnings, name, 'no-price')
    return { ...common, path: native, body: form.body(model, request.unpriced) }
  }
  for (const name of form?.own ?? []) addWarning(warnings, name, 'dropped')
  if (user !== undefined && fields.lacks.includes('user')) addWarning(warnings, 'user', 'dropped')
  // A vendor sees a pseudonym in place of the caller's end user.
  const isHidden = user !== undefined && !embedded && !sharedObjects
  const shown = isHidden ? accountCipher.pseudonym(account, 'end users', user) : undefined
  const { unpriced } = request
  for (const name of unpriced) addWarning(warnings, name, 'no-price')
  return { ...common, body: request.passed({ ...fields, model, user: shown, remove: unpriced }) }
}

/** Where the upstream has the client's own form. undefined: it has not. */
export const formPath = ({ form }: ReadRequest, upstream: Upstream): string | undefined =>
  form && serviceOf(upstream, 'embeddings')?.embed

function pathOf(upstream: Upstream, dialect: EmbeddingDialectId, model: string, isSingle: boolean): string {
  if (dialect === 'chat') return serviceOf(upstream, 'embeddings')?.path ?? '/embeddings'
  return filled(endpointOf(upstream, dialect).path, model, isSingle ? 'embedContent' : 'batchEmbedContents')
}

/** The embedded model's fault switches follow its name. */
function upstreamModel({ model }: ReadRequest, { upstream, route }: CandidateOf<'embedding'>): string {
  const colon = upstream.embedded ? model.indexOf(':') : -1
  return colon === -1 ? route.model : route.model + model.slice(colon)
}

function fieldsOf(upstream: Upstream, dialect: EmbeddingDialectId): UpstreamFields {
  const { lacks = [], names = {} } = (dialect === 'chat' ? serviceOf(upstream, 'embeddings') : undefined) ?? {}
  return { lacks, names }
}

/** Why the upstream cannot be asked for it. */
function unexpressed(request: ReadRequest, upstream: Upstream): RequestError | undefined {
  const dialect = dialectFor(upstream, request.dialect)
  if (formPath(request, upstream) !== undefined) return undefined
  if (request.dimensions !== undefined && fieldsOf(upstream, dialect).lacks.includes('dimensions'))
    return unsupported('dimensions', 'The upstream of this model makes vectors of one length only. Remove dimensions.')
  return dialect === request.dialect ? undefined : request.untranslatable
}

/** The candidates that can be asked for it. Throws RequestError if there is none. */
export function expressibleOffer(offer: OfferOf<'embedding'>, request: ReadRequest): OfferOf<'embedding'> {
  const [error] = offer.candidates.flatMap(({ upstream }) => unexpressed(request, upstream) ?? [])
  if (!error) return offer
  const expressed = withCandidates(offer, ({ upstream }) => !unexpressed(request, upstream), [])
  if (expressed.candidates.length === 0) throw error
  return expressed
}
