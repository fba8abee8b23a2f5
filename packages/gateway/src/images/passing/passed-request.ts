// The request as an upstream of the caller's own dialect gets it: its bytes, with the few edits that they need.

import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { PassThroughEdits } from '@trivium/protocol/dialects/pass-through.ts'
import { joinEdits } from '@trivium/protocol/dialects/shared/pass-through/request.ts'
import { rejectObjects, removeUnpriced } from '../../access/tenant-policy.ts'
import type { CandidateOf } from '../../catalogue/catalogue.ts'
import { upstreamPath } from '../../upstreams/endpoint.ts'
import type { Passing } from './passable.ts'

/** `model`: its name at the upstream. Throws Failure for what callers may not ask of an upstream that they share. */
export function passedRequest({ dialect, facts }: Passing, { upstream }: CandidateOf<'image'>, model: string) {
  rejectObjects(facts, upstream.sharedObjects)
  const warnings: string[] = []
  // An image has a price, and what a model of text may be asked for besides has none.
  const { edits, unpriced } = removeUnpriced(facts.priced, never, never)
  for (const field of unpriced) addWarning(warnings, field, 'no-price')
  const own: PassThroughEdits = { model }
  if (facts.storing && !upstream.sharedObjects) {
    own.remove = facts.storing
    for (const field of facts.storing) addWarning(warnings, field, 'dropped')
  }
  return {
    dialect,
    path: upstreamPath(upstream, dialect, model, facts.stream),
    contentType: 'application/json',
    stream: facts.stream,
    warnings,
    body: facts.edited(joinEdits([...edits, own])),
    isPassed: true as const,
  }
}

const never = (): boolean => false
