// Recalls the reasoning of tool calls that a client has sent back without it, before the request is routed: the upstream that made
// it is preferred.

import type { CalledMessage } from '@trivium/protocol/canonical/call-reasoning.ts'
import { type CalledTool, lacksReasoning } from '@trivium/protocol/canonical/call-reasoning.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { WantedReasoning } from '@trivium/protocol/dialects/text-dialect.ts'
import type { CandidateOf, Catalogue, OfferOf } from '../../catalogue/catalogue.ts'
import { baseModelOf } from '../../modalities/modality.ts'
import type { Slot } from '../../overload/admission.ts'
import { Failure, memoryFailure } from '../../request/failure.ts'
import type { Caller } from '../../storage/storage.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { TextRequest } from '../request.ts'
import { chooseDialect } from '../translation/choose-dialect.ts'
import { findReasoning } from './kept-reasoning.ts'
import { RecalledReasoning } from './recalled-reasoning.ts'

/** Only the newest calls are recalled. Models have answered to the older ones long ago. */
const MOST_CALLS = 64
/** Calls times upstreams. */
const MOST_KEYS = 256

const TOOL_CALLS = Buffer.from('"tool_calls"')
const { indexOf } = Buffer.prototype

/** Searched without parsing: most requests have none. */
export const hasToolCalls = (body: Uint8Array): boolean => indexOf.call(body, TOOL_CALLS) !== -1

/** How the candidate wants the reasoning of tool calls back. */
export function wantedBy(
  candidate: CandidateOf<'text'>,
  request: Pick<TextRequest, 'dialect' | 'parsed'>,
): WantedReasoning | undefined {
  const upstream = TEXT_DIALECTS[chooseDialect(candidate, request)]
  return upstream.wantsReasoning?.(baseModelOf(candidate.route), candidate.upstream.service)
}

/** Whether the store has to be asked. Cheap for requests without tool calls. */
export function mayLackReasoning(request: TextRequest, offer: OfferOf<'text'>): boolean {
  if (request.keepReasoningMs === undefined || request.recalled) return false
  if (!isLossy(request)) return false
  return candidatesOf(offer).some((candidate) => wantedFrom(candidate, request) !== undefined)
}

function isLossy({ dialect, parsed, body }: TextRequest): boolean {
  if (parsed.calledMessages) return hasToolCalls(body)
  // Other clients lose only what they asked not to be shown.
  return !dialect.losesReasoning && parsed.tools > 0 && parsed.canonical().reasoning.show === 'none'
}

const candidatesOf = ({ candidates, fallbacks }: OfferOf<'text'>): CandidateOf<'text'>[] => [
  ...candidates,
  ...fallbacks.flatMap((each) => each.candidates),
]

/** Clients that carry signatures lose text alone. */
function wantedFrom(candidate: CandidateOf<'text'>, request: TextRequest): WantedReasoning | undefined {
  const wanted = wantedBy(candidate, request)
  return request.dialect.losesReasoning || wanted?.form === 'text' ? wanted : undefined
}

/** Throws Failure if it is more than a request may have. */
export async function recallReasoning(
  request: TextRequest,
  offer: OfferOf<'text'>,
  { account }: Caller,
  { config }: Catalogue,
  slot: Pick<Slot, 'weigh'>,
  deps: TextCallDependencies,
): Promise<RecalledReasoning> {
  const wanting = candidatesOf(offer).filter((candidate) => wantedFrom(candidate, request) !== undefined)
  const forms = new Set(wanting.flatMap((candidate) => wantedFrom(candidate, request)?.form ?? []))
  const isLacking = ({ hasReasoning, isSigned }: CalledMessage) =>
    (forms.has('text') && !hasReasoning) || (forms.has('signed') && !isSigned)
  const lacking =
    request.parsed
      .calledMessages?.()
      .filter(isLacking)
      .flatMap((message) => message.calls) ?? hiddenCalls(request)
  const calls = lacking.slice(-MOST_CALLS)
  if (calls.length === 0) return NOTHING
  // Those of the offer first; where another one made the reasoning, the client is told that it is lost.
  const upstreams = new Set([...wanting.map(({ upstream }) => upstream.id), ...config.upstreams.keys()])
  const asked = [...upstreams].slice(0, Math.floor(MOST_KEYS / calls.length))
  const { bodyBytes, memoryBytes } = config.server.limits
  // As it was kept, and in the request that is sent.
  const weigh = (bytes: number) => {
    const weight = request.body.length + 2 * bytes
    if (!slot.weigh(weight)) throw memoryFailure(weight, memoryBytes)
  }
  const recalled = new RecalledReasoning(lacking, await findReasoning(account, asked, calls, weigh, deps))
  const bytes = recalled.mostBytes
  if (bytes > bodyBytes) throw tooLong(bodyBytes)
  if (bytes > 0) weigh(bytes)
  return recalled
}

const tooLong = (limit: number) =>
  new Failure('request_too_large', `The reasoning of the tool calls in this request has more than ${limit} bytes.`)

const NOTHING = new RecalledReasoning([], new Map())

const hiddenCalls = ({ parsed }: TextRequest): CalledTool[] =>
  parsed
    .canonical()
    .turns.filter((turn) => lacksReasoning(turn, 'text'))
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'call'))
