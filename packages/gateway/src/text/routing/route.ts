// The candidate that a text request is sent to first. Before that, the request gets everything that it refers to.

import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { offerForRequest } from '../../access/urls/url-names.ts'
import type { OfferOf } from '../../catalogue/catalogue.ts'
import { continueConversation } from '../../conversations/continue.ts'
import type { ConversationDependencies } from '../../conversations/dependencies.ts'
import { parseInTurn } from '../../request/parse-in-turn.ts'
import { weighJson } from '../../request/weigh-json.ts'
import { takeCandidate } from '../../routing/take-candidate.ts'
import { checkContext } from '../context-limit.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { noteParsed } from '../read.ts'
import { mayLackReasoning, recallReasoning } from '../reasoning/recall-reasoning.ts'
import type { TextRequest } from '../request.ts'
import type { TextCall, TextKind } from '../text-call.ts'
import { expressibleOffer } from '../translation/native.ts'
import { affinityOf } from './affinity.ts'
import { textDemand } from './demand.ts'

type TextRouted = TextKind['routed']

export function route(opening: TextCall, deps: TextCallDependencies): TextRouted | Promise<TextRouted> {
  const { request, offer } = opening
  if (request.parsed.state || request.parsed.urls.length > 0) return routeLater(opening, deps)
  checkContext(request, offer)
  return mayLackReasoning(request, offer) ? routeLater(opening, deps) : routeTo(offer, opening, deps)
}

/** Most requests refer to nothing that has to be looked up. */
async function routeLater(opening: TextCall, deps: TextCallDependencies): Promise<TextRouted> {
  const { caller, offer, catalogue, slot } = opening
  const { parsed, conversation } = opening.request
  if (parsed.state && !conversation) opening.request = await inConversation(opening, deps)
  checkContext(opening.request, offer)
  if (mayLackReasoning(opening.request, offer)) {
    const recalled = await recallReasoning(opening.request, offer, caller, catalogue, slot, deps)
    opening.request = { ...opening.request, recalled }
  }
  const { request } = opening
  const isPlain = request.parsed.urls.length === 0
  return routeTo(isPlain ? offer : await offerForRequest(offer, request.parsed, caller, deps), opening, deps)
}

function routeTo(
  wanted: OfferOf<'text'>,
  { request, caller, incoming, tooExpensive }: TextCall,
  deps: TextCallDependencies,
): TextRouted | Promise<TextRouted> {
  return takeCandidate(
    {
      wanted: request.parsed.native ? expressibleOffer(wanted, request.parsed) : wanted,
      caller,
      affinity: affinityOf(request, caller, deps),
      measure: textDemand(request, wanted, deps.statistics),
      incoming,
      tooExpensive,
    },
    deps,
  )
}

/** The request with all that it continues, and with what stores its response. */
async function inConversation(
  { request: own, incoming, caller, catalogue, slot }: TextCall,
  deps: ConversationDependencies,
): Promise<TextRequest> {
  const { state } = own.parsed
  const weighing = { slot, bytes: own.body.length, client: incoming.http }
  const conversation = state && (await continueConversation(own.id, state, caller, catalogue, weighing, deps))
  if (!state || !conversation) return own
  const { body } = conversation
  if (!body) return { ...own, parsed: state.unstored(own.parsed), conversation }
  const { limits } = catalogue.config.server
  const parse = (codec: Codec) => {
    weighJson(body, codec, slot, limits)
    return own.dialect.passThrough.readRequest(body, codec, undefined, limits.values)
  }
  const parsed = await parseInTurn(body, incoming.http, slot, parse)
  noteParsed(parsed, body, slot, catalogue, incoming)
  return { ...own, parsed, body, conversation }
}
