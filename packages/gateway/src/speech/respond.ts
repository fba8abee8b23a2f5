// Speech from the first upstream that has some: passed on while it is made, and charged before its last bytes leave.

import type { HttpResponse } from '@trivium/http/response.ts'
import { readFirst } from '@trivium/http/write-pieces.ts'
import { MOST_CHARACTERS } from '@trivium/protocol/dialects/chat/speech/request.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import { serviceOf } from '../config/upstream-dialects.ts'
import type { DialectOf, ModelOf, RateOf } from '../modalities/index.ts'
import { bookableTokens } from '../money/limits.ts'
import { settle } from '../paid-call/settle.ts'
import { type WrittenBytes, writeBytes } from '../paid-call/writing/write-bytes.ts'
import { Failure } from '../request/failure.ts'
import { type CandidateCall, type CandidateSteps, callCandidates, nextCandidate } from '../routing/call-candidates.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { failedByBreak, failedByError, failedByOther } from '../routing/upstream-errors.ts'
import { type Heard, hear, SpeechError } from './read-speech.ts'
import { type ReadRequest, speechRequest } from './upstream-request.ts'

export type SpeechCall = CandidateCall<RateOf<'speech'>, ModelOf<'speech'>, DialectOf<'speech'>>

export async function respond(
  call: SpeechCall,
  request: ReadRequest,
  deps: RoutingDependencies,
): Promise<HttpResponse> {
  const { wanted } = call.routed
  const steps: CandidateSteps<RateOf<'speech'>, ModelOf<'speech'>, DialectOf<'speech'>> = {
    requestFor: (candidate) => speechRequest(request, wanted, candidate),
    boundOf: (offer) => boundOf(request, offer),
  }
  for (;;) {
    const reply = await callCandidates(call, steps, deps)
    const heard = hear(call, reply, {
      ...request,
      isPassed: 'passing' in request,
      isMeasured: isMeasured(call.attempt),
    })
    if (!heard) reply.cancel()
    const begun = heard ? await begin(call, heard, deps) : failedByOther(NO_AUDIO)
    if (heard && !('failure' in begun)) {
      const charge = (written: WrittenBytes) => charged(call, request, heard, written, deps)
      return writeBytes(call, { contentType: heard.contentType, pieces: begun, settle: charge }, deps)
    }
    if ('failure' in begun) await nextCandidate(call, begun, steps, deps)
  }
}

const NO_AUDIO = 'The upstream answered without audio.'

/** The first bytes have come, or the attempt has failed. */
async function begin(
  call: SpeechCall,
  { pieces }: Heard,
  deps: RoutingDependencies,
): Promise<AsyncIterable<Uint8Array> | FailedAttempt> {
  try {
    return (await readFirst(pieces)) ?? failedByOther(NO_AUDIO)
  } catch (error) {
    if (error instanceof SpeechError) return failedByError(call, error.info, deps)
    return error instanceof Failure ? failedByBreak(call) : failedByOther('The upstream sent events that are too long.')
  }
}

/** Bytes alone tell the price where only characters count. */
const isMeasured = ({ offer, candidate }: { offer: OfferOf<'speech'>; candidate: CandidateOf<'speech'> }): boolean =>
  [offer.rate, candidate.costRate].some((rate) => rate && !('perMillionCharacters' in rate.price))

/** Counts instructions and text: a model that reads them as one may speak both. */
function allCharacters({ characters, instructions = '' }: ReadRequest): number {
  return Math.min(characters + [...instructions].length, MOST_CHARACTERS)
}

/** The most that the request can cost, whether instructions are spoken or not. */
export function boundOf(request: ReadRequest, { rate }: OfferOf<'speech'>) {
  const { speed, body } = request
  const bound = rate.bound({ characters: allCharacters(request), textBytes: body.length, speed })
  if (bound === undefined) throw new Failure('bad_request', 'The cost of this request cannot be determined.')
  return bound
}

/** A vendor bills the text as a whole once it begins to speak; minutes and tokens are those that came. */
function charged(
  call: SpeechCall,
  request: ReadRequest,
  heard: Heard,
  { outcome, body }: WrittenBytes,
  deps: RoutingDependencies,
): Promise<unknown> {
  const { offer, candidate } = call.attempt
  const reads = !serviceOf(candidate.upstream, 'speech')?.lacks?.includes('instructions')
  const characters = reads ? allCharacters(request) : request.characters
  const usage = heard.usage()
  const spoken = { characters, seconds: heard.seconds(), usage }
  const charge = offer.rate.cost(spoken)
  const tokens = bookableTokens((usage?.input ?? 0) + (usage?.output ?? 0))
  const upstreamCost = candidate.costRate?.cost(spoken)?.cost
  return settle(call, { outcome, charges: charge ? [charge] : [], sawOutput: true, tokens, upstreamCost, body }, deps)
}
