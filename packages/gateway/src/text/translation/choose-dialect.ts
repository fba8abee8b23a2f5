// Which of an upstream's dialects a request is sent in: the caller's own, unless the server is known to ignore there what the
// request depends on and honours it in another one.

import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import { addWarning, type WarnedField } from '@trivium/protocol/canonical/warning.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { CandidateOf } from '../../catalogue/catalogue.ts'
import type { IgnoredFeature, Upstream } from '../../config/types.ts'
import { baseModelOf } from '../../modalities/modality.ts'
import type { PlannedAttempt, TextRequest } from '../request.ts'
import { dialectOf } from './outbound.ts'

export function chooseDialect(
  candidate: CandidateOf<'text'>,
  { dialect, parsed }: Pick<TextRequest, 'dialect' | 'parsed'>,
) {
  const usual = searchingDialect(candidate, dialectOf(candidate, dialect.id), parsed)
  const ignored = ignoredIn(candidate.upstream, usual)
  // Most upstreams honour everything, and then the request need not be parsed.
  return ignored.length === 0 ? usual : leastLacking(candidate, usual, parsed)
}

function leastLacking(
  candidate: CandidateOf<'text'>,
  usual: TextDialectId,
  parsed: TextRequest['parsed'],
): TextDialectId {
  const lacking = (id: TextDialectId): number => lackingIn(candidate.upstream, id, parsed.canonical()).length
  let [chosen, fewest] = [usual, lacking(usual)]
  for (const { dialect: each } of candidate.upstream.endpoints) {
    const count = fewest === 0 ? 0 : lacking(each)
    if (count < fewest) [chosen, fewest] = [each, count]
  }
  return chosen
}

/** OpenAI's chat endpoint searches the web only with models made for it, and its responses endpoint with all that can. */
function searchingDialect(
  { upstream: { endpoints }, route }: CandidateOf<'text'>,
  usual: TextDialectId,
  { priced }: TextRequest['parsed'],
): TextDialectId {
  if (usual !== 'chat' || priced.length === 0 || /search/i.test(baseModelOf(route))) return usual
  if (!priced.some(({ field }) => field === 'web_search_options')) return usual
  return endpoints.some(({ dialect }) => dialect === 'responses') ? 'responses' : usual
}

const FIELD_OF: Readonly<Record<IgnoredFeature, WarnedField>> = {
  json_schema: 'format',
  json_object: 'format',
  forced_tools: 'toolChoice',
  named_tool: 'toolChoice',
}

/** Names what the server will ignore in this dialect, in the caller's words. */
export function warnOfIgnored({ request, candidate, warnings }: PlannedAttempt, sent: TextDialectId): void {
  if (ignoredIn(candidate.upstream, sent).length === 0) return
  const { parsed, dialect } = request
  for (const feature of lackingIn(candidate.upstream, sent, parsed.canonical())) {
    const field = FIELD_OF[feature]
    addWarning(warnings, dialect.fieldNames[field] ?? field, 'ignored')
  }
}

const NONE: readonly IgnoredFeature[] = []

function ignoredIn({ endpoints }: Upstream, dialect: TextDialectId): readonly IgnoredFeature[] {
  for (const each of endpoints) if (each.dialect === dialect) return each.ignores ?? NONE
  return NONE
}

const lackingIn = (upstream: Upstream, dialect: TextDialectId, request: CanonicalRequest): IgnoredFeature[] =>
  ignoredIn(upstream, dialect).filter((feature) => isNeeded(feature, request))

function isNeeded(feature: IgnoredFeature, { format, toolChoice, tools }: CanonicalRequest): boolean {
  if (feature === 'json_schema') return format.type === 'schema'
  if (feature === 'json_object') return format.type === 'json'
  if (feature === 'named_tool') return tools.length > 0 && toolChoice?.mode === 'tool'
  const isForced = toolChoice?.mode === 'required' || toolChoice?.mode === 'tool'
  return tools.length > 0 && (isForced || (toolChoice?.mode === 'allowed' && toolChoice.required))
}
