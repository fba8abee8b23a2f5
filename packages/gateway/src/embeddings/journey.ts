// The journey of a request for vectors: what differs from other paid calls (paid-call/open.ts).
//   read -> authorize -> (claim) -> route -> prepare -> hold -> respond: call, settle, pass the vectors on

import type { HttpResponse } from '@trivium/http/response.ts'
import type { EmbeddingInput } from '@trivium/protocol/dialects/shared/embeddings/embedding.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { authorize } from '../access/authorize.ts'
import { offerForRequest } from '../access/urls/url-names.ts'
import { countWords } from '../bytes/count-words.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { MOST_INPUTS, MOST_TOKENS } from '../endpoints/embeddings/modality.ts'
import type { DialectOf } from '../modalities/index.ts'
import { bookableTokens } from '../money/limits.ts'
import { placeHold } from '../paid-call/hold.ts'
import type { Journey } from '../paid-call/journey.ts'
import { openPaidCall } from '../paid-call/open.ts'
import type { Bound, Kind, PaidRequest } from '../paid-call/paid-request.ts'
import { finishAfterDisconnect, runPaidCall } from '../paid-call/run.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure, memoryFailure } from '../request/failure.ts'
import { type ReadDependencies, readJson } from '../request/read-json.ts'
import { beginAtCandidate, type CandidateRequest } from '../routing/call-candidates.ts'
import { measureOf } from '../routing/demand.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import { takeCandidate } from '../routing/take-candidate.ts'
import type { EmbeddingEndpoint } from './endpoints.ts'
import { type EmbeddingCallKind, respond } from './respond.ts'
import { expressibleOffer, type ReadRequest, requestFor } from './upstream-request.ts'

export const embeddingJourney = (
  incoming: ApiRequest,
  endpoint: EmbeddingEndpoint,
  deps: RoutingDependencies,
): Promise<HttpResponse> => openPaidCall(EMBEDDINGS, incoming, endpoint, deps)

interface EmbeddingKind extends EmbeddingCallKind {
  endpoint: EmbeddingEndpoint
  prepared: Kind['prepared'] & CandidateRequest<DialectOf<'embedding'>>
}

const EMBEDDINGS: Journey<EmbeddingKind, RoutingDependencies> = {
  dialectOf: ({ dialect }) => dialect,
  read,
  authorize(caller, request, catalogue) {
    const offer = authorize(caller, request.model, 'embedding', catalogue)
    checkLimits(request, offer)
    return offer
  },
  attribution: (request) => request.attribution,
  fingerprint: ({ body }, { name }) => ({ endpoint: name, body }),
  async route({ offer, request, caller, incoming, tooExpensive }, deps) {
    const allowed = await offerForRequest(offer, request, caller, deps)
    const wanted = expressibleOffer(allowed, request)
    const measure = measureOf(wanted, ({ rate }) => boundOf(request, rate))
    return takeCandidate({ wanted, caller, incoming, tooExpensive, measure }, deps)
  },
  prepare({ routed: { offer, candidate }, request, caller }, deps) {
    const bound = boundOf(request, offer.rate)
    return { ...requestFor(request, candidate, caller, deps), bound, isExtensible: false }
  },
  hold: placeHold,
  begin: (request) => beginAtCandidate(request, request.prepared, false),
  respond: (request, deps) => runPaidCall(request, respond, deps, finishAfterDisconnect),
}

function boundOf(
  { tokens: { most, expected } }: EmbeddingKind['request'],
  rate: EmbeddingKind['offer']['rate'],
): Bound {
  const amount = rate.bound(most)
  return { amount, minimum: amount, tokens: bookableTokens(most), minimumTokens: bookableTokens(expected) }
}

/** What a JSON value takes in memory once it has been parsed, on average: texts are long, and token ids are numbers. */
const BYTES_PER_VALUE = 32

async function read({ incoming, endpoint, slot, catalogue }: PaidRequest<EmbeddingKind>, deps: ReadDependencies) {
  const { bodyBytes, values, memoryBytes } = catalogue.config.server.limits
  const { dialect, inputField } = endpoint
  const parse = (body: Uint8Array, codec: Codec) => {
    // As many token ids as a request may have, whatever is allowed of other values.
    const request = endpoint.decode(body, Math.max(values, MOST_TOKENS + 2 * MOST_INPUTS), codec)
    return { ...request, dialect, inputField, body, tokens: tokensOf(request.inputs, body.length) }
  }
  const request = await readJson(incoming.http, bodyBytes, slot, deps, parse)
  incoming.record.model = request.model
  const bytes = request.body.length + request.values * BYTES_PER_VALUE
  if (!slot.weigh(bytes)) throw memoryFailure(bytes, memoryBytes)
  return request
}

/** What models add to an input: the marks of its beginning and its end, or the words for a task. */
const TOKENS_PER_INPUT = 16
const BYTES_PER_TOKEN = 4

/** No token is shorter than a byte, and none of the text is shorter in JSON. */
function tokensOf(inputs: readonly EmbeddingInput[], bodyBytes: number): ReadRequest['tokens'] {
  const added = inputs.length * TOKENS_PER_INPUT
  if (typeof inputs[0] === 'string')
    return { most: bodyBytes + added, expected: inputs.reduce((sum, text) => sum + tokensInText(text as string), 0) }
  const ids = inputs.reduce((sum, { length }) => sum + length, 0)
  return { most: ids + added, expected: ids }
}

const tokensInText = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

/** Throws Failure. */
function checkLimits({ inputs, dimensions, inputField, tokens }: ReadRequest, { model }: OfferOf<'embedding'>): void {
  const { inputs: mostInputs = MOST_INPUTS, tokens: mostTokens = MOST_TOKENS, dimensions: longest } = model.limits
  const reject = (message: string, param: string) => new Failure('bad_request', message, { param })
  if (inputs.length > mostInputs)
    throw reject(`${inputField} has ${inputs.length} inputs, and at most ${mostInputs} are allowed.`, inputField)
  if (tokens.most > mostTokens && leastTokens(inputs, mostTokens + 1) > mostTokens)
    throw reject(`${inputField} has more than ${mostTokens} tokens. Send the inputs in several requests.`, inputField)
  if (dimensions !== undefined && longest !== undefined && dimensions > longest)
    throw reject(`Vectors of model '${model.id}' have at most ${longest} dimensions.`, dimensionsField(inputField))
}

const dimensionsField = (inputField: string): string =>
  ({ input: 'dimensions', texts: 'output_dimension', content: 'outputDimensionality' })[inputField] ??
  'requests[0].outputDimensionality'

/** A number that is certain: where it is not, the upstream decides. */
function leastTokens(inputs: readonly EmbeddingInput[], enough: number): number {
  let least = 0
  for (const input of inputs) {
    if (least >= enough) break
    least += typeof input === 'string' ? 1 + countWords(input, enough - least) : input.length
  }
  return least
}
