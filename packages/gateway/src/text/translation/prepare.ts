// Prepares what is sent to the candidate: by pass-through if both sides have the same dialect, else by translation.

import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { RoutedRequest } from '../request.ts'
import { chooseDialect, warnOfIgnored } from './choose-dialect.ts'
import { nativeRequest } from './native.ts'
import type { Outbound } from './outbound.ts'
import { passThrough } from './pass-through.ts'
import { hasForeignReasoning } from './seals.ts'
import { translate } from './translate.ts'

/** Reasoning that another upstream returned has to be translated, even within one dialect. */
export function prepare(routed: RoutedRequest, deps: TextCallDependencies): Outbound {
  const native = nativeRequest(routed)
  if (native) return passThrough(native, deps)
  const upstream = chooseDialect(routed.candidate, routed)
  warnOfIgnored(routed, upstream)
  const passes = upstream === routed.dialect.id && !routed.isTranslated && !hasForeignReasoning(routed.body, upstream)
  if (passes) return passThrough(routed, deps)
  return translate(routed, TEXT_DIALECTS[upstream], deps)
}
