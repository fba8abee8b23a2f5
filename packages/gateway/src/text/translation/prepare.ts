// From a request and a candidate to what is sent there.
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { type Asked, dialectOf, type Outbound } from './outbound.ts'
import { passThrough } from './pass-through.ts'
import { hasForeignReasoning } from './seals.ts'
import { translate } from './translate.ts'

/** The same dialect on both sides, and nothing in it that is another upstream's: then the bytes pass through. */
export function prepare(asked: Asked): Outbound {
  const upstream = dialectOf(asked.candidate, asked.dialect.id)
  const passes = upstream === asked.dialect.id && !hasForeignReasoning(asked.body, upstream)
  if (passes) return passThrough(asked)
  return translate(asked, TEXT_DIALECTS[upstream])
}
