// Moderations: whether texts and images are harmful. Request and response are passed on with another name of the model.

import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { decodeModerationReply, encodeModerationReply } from '@trivium/protocol/dialects/chat/moderations/reply.ts'
import {
  decodeModerationRequest,
  encodeModerationRequest,
  type ModerationRequest,
} from '@trivium/protocol/dialects/chat/moderations/request.ts'
import { authorize, keyAllowsModel } from '../../access/authorize.ts'
import { codec } from '../../bytes/codec.ts'
import { offersOfType } from '../../catalogue/catalogue.ts'
import { serviceOf } from '../../config/upstream-dialects.ts'
import type { Handlers } from '../../handler.ts'
import type { ModelOf, RateOf } from '../../modalities/index.ts'
import { bookableTokens } from '../../money/limits.ts'
import { Failure } from '../../request/failure.ts'
import { serviceJourney } from '../../services/journey.ts'
import type { JsonService } from '../../services/json-service.ts'
import { moderations } from './index.ts'

const { inputs: MOST_INPUTS } = moderations.models.limits

/** What vendors add to a text, and what an image takes at most. */
const TOKENS_PER_INPUT = 64
const TOKENS_PER_IMAGE = 2_048
/** Without a report: what a token of most texts takes. */
const BYTES_PER_TOKEN = 4
/** Categories and scores of one input. */
const RESULT_BYTES = 16 * 1024

const MODERATIONS: JsonService<{
  endpoint: undefined
  request: ModerationRequest
  price: RateOf<'moderation'>
  model: ModelOf<'moderation'>
  dialect: 'chat'
  read: { tokens: number; isReported: boolean }
}> = {
  dialectOf: () => 'chat',
  nameOf: () => 'moderations',
  decode: (body, _, maxValues, own) => decodeModerationRequest(body, own, { mostInputs: MOST_INPUTS, maxValues }),
  authorize(caller, { model: named, inputs }, catalogue) {
    // Many clients name none, and mean the vendor's default.
    const allowed = offersOfType(catalogue, caller.group, 'moderation').find(({ model }) =>
      keyAllowsModel(caller, model.id),
    )
    const model = named === '' ? allowed?.model.id : named
    if (model === undefined) throw new Failure('bad_request', 'model is required.', { param: 'model' })
    const offer = authorize(caller, model, 'moderation', catalogue)
    const most = offer.model.limits.inputs ?? MOST_INPUTS
    if (inputs <= most) return offer
    throw new Failure('bad_request', `input must not have more than ${most} texts and images.`, { param: 'input' })
  },
  isFree: ({ group }, catalogue) =>
    offersOfType(catalogue, group, 'moderation').every(
      ({ rate }) => rate.bound({ requests: 1, inputs: 1, input: 1 }) === 0n,
    ),
  requestFor(request, { upstream, route }) {
    const warnings: string[] = []
    for (const name of request.unpriced) addWarning(warnings, name, 'no-price')
    const path = serviceOf(upstream, 'moderations')?.path ?? ''
    return { dialect: 'chat', path, body: () => encodeModerationRequest(request, route.model, codec), warnings }
  },
  boundOf(request, { rate }) {
    const amount = rate.bound({ requests: 1, inputs: request.inputs, input: mostTokens(request) })
    if (amount === undefined) throw new Error('a moderation has no bound')
    const tokens = bookableTokens(expectedTokens(request))
    return { amount, minimum: amount, tokens, minimumTokens: tokens }
  },
  replyBytes: ({ inputs }) => (1 + inputs) * RESULT_BYTES,
  readReply(bytes, request) {
    const reply = decodeModerationReply(bytes, codec)
    if (!reply || 'error' in reply) return reply
    // More than the request can have is not charged.
    const tokens = Math.min(reply.tokens ?? expectedTokens(request), mostTokens(request))
    return { read: { tokens, isReported: reply.tokens !== undefined }, model: reply.model, tokens }
  },
  encodeReply: (_, bytes, __, { attempt }) => encodeModerationReply(bytes, attempt.offer.model.id, codec),
  costOf: (rate, { tokens }, { inputs }) => rate.cost({ requests: 1, inputs, input: tokens }),
  isCounted: ({ price }, { isReported }) => price.figure === 'input' && !isReported,
}

const moderationJourney = serviceJourney(MODERATIONS)

export const handlers = {
  moderations: (incoming, deps) => moderationJourney(incoming, undefined, deps),
} satisfies Handlers

const expectedTokens = ({ textBytes, images }: ModerationRequest): number =>
  Math.ceil(textBytes / BYTES_PER_TOKEN) + images * TOKENS_PER_IMAGE

/** No token is shorter than a byte. */
const mostTokens = ({ textBytes, images, inputs }: ModerationRequest): number =>
  textBytes + inputs * TOKENS_PER_INPUT + images * TOKENS_PER_IMAGE
