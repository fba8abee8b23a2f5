// Counts the input tokens of a request without running it: as the upstream counts, or as the tokenizer does. Free of charge:
// there is no hold and no row in the ledger.
//   authenticate -> limit -> admit -> read -> authorize -> (add the history) -> ask the upstream, or count here

import { andThen } from '@trivium/http/and-then.ts'
import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import type { SystemText } from '@trivium/protocol/dialects/shared/pass-through/operator-edits.ts'
import type { TokenCounting } from '@trivium/protocol/dialects/token-counting.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { authenticate } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { rejectObjects } from '../access/tenant-policy.ts'
import { offerForRequest } from '../access/urls/url-names.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import { withHistory } from '../conversations/continue.ts'
import { freeCallFailure } from '../overload/free-call-limit.ts'
import { admit } from '../paid-call/admit.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { parseInTurn } from '../request/parse-in-turn.ts'
import { readJson, UNPAID_RATIO } from '../request/read-json.ts'
import { BYTES_PER_VALUE, weighJson } from '../request/weigh-json.ts'
import type { Caller } from '../storage/storage.ts'
import { noteCount } from '../text/billing/count-correction.ts'
import { noteParsed } from '../text/read.ts'
import type { TextEndpoint } from '../text/request.ts'
import { dialectOf } from '../text/translation/outbound.ts'
import type { CountDependencies } from './ask-upstream.ts'
import { askUpstream, type Counting } from './ask-upstream.ts'
import { measure } from './measure.ts'

/** Says how tokens were counted. */
const SOURCE_HEADER = 'x-trivium-token-count'
type Source = 'upstream' | 'tokenizer' | 'estimate'

export async function countTokens(
  incoming: ApiRequest,
  { dialect, addressed }: TextEndpoint,
  deps: CountDependencies,
): Promise<HttpResponse> {
  const { http, responseHeaders: headers } = incoming
  const { caller, catalogue, slot } = await andThen(authenticate(incoming, dialect.id, deps), (caller) => {
    const catalogue = deps.catalogue()
    dialect.version?.check(http.headers)
    limitRate(caller, deps)
    return andThen(admit(incoming, caller, deps), (slot) => ({ caller, catalogue, slot }))
  })
  try {
    const { limits } = catalogue.config.server
    const { bodyBytes, values } = limits
    const tokenCounting = dialect.tokenCounting as TokenCounting
    const parse = (body: Uint8Array, codec: Codec) => {
      weighJson(body, codec, slot, limits)
      const request = tokenCounting.readRequest(body, codec, addressed, values)
      noteParsed(request, body, slot, catalogue, incoming)
      deps.freeCallLimit.weigh(caller, body.length + request.values * BYTES_PER_VALUE)
      return { body, request }
    }
    const { body: own, request: asked } = await readJson(http, bodyBytes, slot, deps, parse, UNPAID_RATIO)
    const allowed = authorize(caller, asked.model, 'text', catalogue)
    const weighing = { slot, bytes: own.length, client: http }
    const expanded = asked.state && (await withHistory(asked.state, caller, catalogue, weighing, deps))
    const bytes = expanded ?? own
    const { request } = expanded
      ? await parseInTurn(expanded, http, slot, (own) => parse(expanded, own))
      : { request: asked }
    const offer = await offerForRequest(allowed, request, caller, deps)
    rejectObjects(
      request,
      offer.candidates.some(({ upstream }) => upstream.sharedObjects),
    )
    slot.setAwaitingUpstream(true)
    const counting = { caller, record: incoming.record, dialect, headers: http.headers, bytes, request }
    const answer = await askUpstream(counting, offer, deps)
    if (answer) incoming.record.upstream = answer.upstream
    const counted = answer
      ? { tokens: answer.tokens, source: 'upstream' as const }
      : await countHere(counting, offer, deps)
    headers.set(SOURCE_HEADER, counted.source)
    return json(200, headers, tokenCounting.encodeCount(counted.tokens))
  } finally {
    slot.release()
  }
}

/** Throws Failure. */
function limitRate(caller: Caller, { freeCallLimit, clock }: CountDependencies): void {
  const rejection = freeCallLimit.take(caller)
  if (rejection) throw freeCallFailure(rejection, 'token counts', clock())
}

/** The operator's text is part of the prompt. */
function withSystem(request: CanonicalRequest, system: SystemText | undefined): CanonicalRequest {
  const own = [system?.before, system?.after].flatMap((text) =>
    text === undefined ? [] : [{ role: 'system' as const, text }],
  )
  return own.length === 0 ? request : { ...request, instructions: [...request.instructions, ...own] }
}

async function countHere(
  { caller, dialect, request }: Counting,
  offer: OfferOf<'text'>,
  { tokenizer, statistics }: CountDependencies,
): Promise<{ tokens: number; source: Source }> {
  const [candidate] = offer.candidates
  const { texts, overhead, media } = await measure(
    withSystem(request.canonical, candidate?.route.edits?.written.system),
    candidate ? dialectOf(candidate, dialect.id) : dialect.id,
  )
  const text = await tokenizer.count(caller.account, texts)
  const ofModel = statistics.of(offer.model.id)
  const counted = text.tokens + overhead
  if (media === 0 && !text.isEstimate) {
    const { account } = caller
    noteCount(ofModel, { account, bytes: request.textBytes, tokens: counted, at: performance.now() })
  }
  const tokens = Math.max(1, Math.round(counted * ofModel.countCorrection) + media)
  return { tokens, source: text.isEstimate ? 'estimate' : 'tokenizer' }
}
