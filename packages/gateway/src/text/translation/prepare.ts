// From a request and a candidate to what is sent there.
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { RoutedRequest } from '../request.ts'
import { dialectOf, type Outbound, type TranslationDependencies } from './outbound.ts'
import { passThrough } from './pass-through.ts'
import { hasForeignReasoning } from './seals.ts'
import { translate } from './translate.ts'

/** The same dialect on both sides, and nothing in it that is another upstream's: then the bytes pass through. */
export function prepare(routed: RoutedRequest, dependencies: TranslationDependencies): Outbound {
  const upstream = dialectOf(routed.candidate, routed.dialect.id)
  const passes = upstream === routed.dialect.id && !hasForeignReasoning(routed.body, upstream)
  if (passes) return passThrough(routed, dependencies)
  return translate(routed, TEXT_DIALECTS[upstream], dependencies)
}
