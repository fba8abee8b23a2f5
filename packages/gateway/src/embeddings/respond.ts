// Calls upstreams until one has answered with vectors, settles, and passes them on: as they came where the caller asked in the
// upstream's dialect and for the form that it sent, else translated.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { EMBEDDING_SERVICES } from '@trivium/protocol/dialects/embedding-services.ts'
import type { EmbeddingReply } from '@trivium/protocol/dialects/shared/embeddings/embedding.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { codec } from '../bytes/codec.ts'
import { countReceived } from '../bytes/free-memory.ts'
import type { DialectOf, ModelOf, RateOf } from '../modalities/index.ts'
import { bookableTokens } from '../money/limits.ts'
import type { PaidRequest } from '../paid-call/paid-request.ts'
import { settle } from '../paid-call/settle.ts'
import { showWarnings } from '../paid-call/warnings.ts'
import { jsonResponse, writeLargeJson } from '../paid-call/writing/write-json.ts'
import { memoryFailure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import { type CandidateKind, type CandidateSteps, callCandidates, nextCandidate } from '../routing/call-candidates.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { failedByOtherModel } from '../routing/other-model.ts'
import { failedByBreak, failedByError, failedByOther, failedByThrow } from '../routing/upstream-errors.ts'
import { convertVectors, encodingOf, lengthOf } from './convert.ts'
import { formPath, type ReadRequest, requestFor } from './upstream-request.ts'

export interface EmbeddingCallKind
  extends CandidateKind<RateOf<'embedding'>, ModelOf<'embedding'>, DialectOf<'embedding'>> {
  request: ReadRequest
}

export type EmbeddingCall = PaidRequest<EmbeddingCallKind>

/** 2,048 vectors of 3,072 numbers with 20 digits each. */
const REPLY_BYTES = 128 * 1024 * 1024
/** Smaller responses leave in one piece. */
const LARGE = 64 * 1024

type Presented = { body: Pieces; tokens: number | undefined }

export async function respond(call: EmbeddingCall, deps: RoutingDependencies): Promise<HttpResponse> {
  const { request } = call
  const { most } = request.tokens
  const steps: CandidateSteps<RateOf<'embedding'>, ModelOf<'embedding'>, DialectOf<'embedding'>> = {
    requestFor: (candidate) => requestFor(request, candidate, call.caller, deps),
    boundOf: ({ rate }) => rate.bound(most),
  }
  for (;;) {
    const reply = await callCandidates(call, steps, deps)
    const presented = await present(call, reply, request, deps)
    if (!('failure' in presented)) return write(call, presented, request, deps)
    await nextCandidate(call, presented, steps, deps)
  }
}

async function present(
  call: EmbeddingCall,
  response: UpstreamResponse,
  request: ReadRequest,
  deps: RoutingDependencies,
): Promise<Presented | FailedAttempt> {
  const { offer, candidate, dialect, warnings } = call.attempt
  const bytes = await readReply(call, response, deps)
  if (!(bytes instanceof Uint8Array)) return bytes
  const { form } = request
  const isOwn = formPath(request, candidate.upstream) !== undefined
  const reply = form && isOwn ? form.decodeReply(bytes) : EMBEDDING_SERVICES[dialect].decodeReply(bytes, codec)
  if (!reply.ok) return failedByError(call, reply.error, deps)
  const { vectors, tokens } = reply
  const otherModel = failedByOtherModel(candidate, reply.model)
  if (otherModel) return otherModel
  if (vectors.length !== request.inputs.length)
    return failedByOther(`The upstream sent ${vectors.length} vectors for ${request.inputs.length} inputs.`)
  call.firstOutputAt ??= performance.now()
  // Some servers do not know the field, and say nothing about it.
  if (request.dimensions !== undefined && lengthOf(vectors[0]) !== request.dimensions) {
    addWarning(warnings, 'dimensions', 'ignored')
    showWarnings(warnings, call.headers)
  }
  const isSameModel = candidate.route.model === offer.model.id
  if (reply.passed && !form && passes(call, reply, request))
    return { body: reply.passed(isSameModel ? undefined : offer.model.id, request.tokens.expected), tokens }
  const converted = await convertVectors(vectors, request.encoding)
  if (!converted) return failedByOther('The upstream sent something that is not a vector.')
  const about = { model: offer.model.id, tokens: tokens ?? request.tokens.expected, isSingle: request.isSingle }
  const body = form
    ? form.encodeReply(converted, { id: formatRequestId(call.id), tokens: about.tokens })
    : EMBEDDING_SERVICES[request.dialect].encodeReply(converted, about, codec)
  return { body, tokens }
}

const passes = (
  { attempt }: EmbeddingCall,
  { vectors }: Pick<EmbeddingReply, 'vectors'>,
  { dialect, encoding }: ReadRequest,
): boolean => attempt.dialect === dialect && vectors.every((vector) => encodingOf(vector) === encoding)

/** The memory of what arrives counts against the limits of the account. */
async function readReply(
  call: EmbeddingCall,
  response: UpstreamResponse,
  deps: RoutingDependencies,
): Promise<Uint8Array | FailedAttempt> {
  const { upstreamCall, slot } = call
  let isFull = false
  const watch = {
    resetIdle: () => upstreamCall.resetIdle(),
    received(piece: Uint8Array) {
      upstreamCall.received(piece)
      isFull ||= !slot.grow(piece.length)
      if (isFull) response.cancel()
    },
  }
  try {
    const bytes = await readAtMost(response, REPLY_BYTES, watch)
    if (bytes && !isFull) {
      if (bytes.length > LARGE) countReceived(bytes.length)
      return bytes
    }
    if (!isFull) return failedByOther('The upstream sent a response that is too large.')
  } catch {
    if (!isFull) return failedByBreak(call)
  }
  return failedByThrow(call, memoryFailure(0, 0), deps)
}

async function write(
  call: EmbeddingCall,
  { body, tokens }: Presented,
  request: ReadRequest,
  deps: RoutingDependencies,
): Promise<HttpResponse> {
  const { attempt, client, record } = call
  // More than the request can have is not charged.
  const charged = Math.min(tokens ?? request.tokens.expected, request.tokens.most)
  record.tokens = { input: charged, cached: 0, output: 0, reasoning: undefined }
  const settled = () =>
    settle(
      call,
      {
        outcome: client.isDisconnected ? 'client_disconnected' : 'completed',
        charges: [attempt.offer.rate.cost(charged)],
        sawOutput: true,
        tokens: bookableTokens(charged),
        upstreamCost: attempt.candidate.costRate?.cost(charged).cost,
        details: tokens === undefined ? ',"counted":"usage was missing"' : '',
        endedAt: call.firstOutputAt,
        body,
      },
      deps,
    )
  const [only] = body
  if (body.length > 1 || !only || only.length > LARGE) return writeLargeJson(call, body, settled, deps)
  const response = jsonResponse(call, only)
  await settled()
  return response
}
