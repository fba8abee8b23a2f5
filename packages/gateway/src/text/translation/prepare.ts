// Prepares what is sent to the candidate: by pass-through if both sides have the same dialect, else by translation.

import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { PlannedAttempt } from '../request.ts'
import { chooseDialect, warnOfIgnored } from './choose-dialect.ts'
import { nativeRequest } from './native.ts'
import { withOperatorEdits } from './operator-edits.ts'
import type { Outbound } from './outbound.ts'
import { passThrough } from './pass-through.ts'
import { hasForeignReasoning } from './seals.ts'
import { translate } from './translate.ts'

/** Reasoning that another upstream returned has to be translated, even within one dialect. */
export function prepare(planned: PlannedAttempt, deps: TextCallDependencies): Outbound {
  const native = planned.request.parsed.native && nativeRequest(planned)
  if (native) return passThrough(native, deps)
  const { request, candidate } = planned
  const upstream = chooseDialect(candidate, request)
  warnOfIgnored(planned, upstream)
  const passes =
    upstream === request.dialect.id && !request.isTranslated && !hasForeignReasoning(request.body, upstream)
  const outbound = passes ? passThrough(planned, deps) : translate(planned, TEXT_DIALECTS[upstream], deps)
  return candidate.route.edits ? withOperatorEdits(outbound, planned) : outbound
}
