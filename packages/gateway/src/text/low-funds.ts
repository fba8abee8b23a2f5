// Rejects requests of a caller whose funds did not suffice a moment ago, and do not suffice for even the cheapest request: before
// the body is parsed and, where the model is part of the path, before it is read.

import { decodeString, fieldNamed, scanObject } from '@trivium/protocol/framing/json/json-scan.ts'
import { codec } from '../bytes/codec.ts'
import { type Catalogue, offerOf } from '../catalogue/catalogue.ts'
import { NO_OPTIONS } from '../money/prices/token-price.ts'
import { lowFundsFailure } from '../overload/low-funds-cache.ts'
import type { Caller } from '../storage/storage.ts'
import { amountsOf, boundsOf, type Sizing } from './billing/bounds.ts'
import type { TextCallDependencies } from './dependencies.ts'

const CHEAPEST: Sizing = {
  textBytes: 0,
  images: 0,
  documents: 0,
  audios: 0,
  tools: 0,
  choices: 1,
  stream: false,
  maxOutput: 1,
}

/** `model`: a name, or a body that names it. */
export function rejectLowFunds(
  caller: Caller,
  model: string | Uint8Array,
  catalogue: Catalogue,
  { rateLimitCache: { lowFunds }, statistics }: TextCallDependencies,
): void {
  if (!lowFunds.knows(caller)) return
  const offer = offerOf(catalogue, caller.group, typeof model === 'string' ? model : modelIn(model), 'text')
  if (!offer) return
  const bounds = boundsOf(CHEAPEST, undefined, statistics.of(offer.model.id))
  const { minimum } = amountsOf(bounds, 1, { rate: offer.rate, options: NO_OPTIONS, hasAudio: false })
  const funds = lowFunds.find(caller, offer.model.id, minimum)
  if (funds) throw lowFundsFailure(funds, minimum)
}

/** Found without parsing all of the body; '' where it names none, or is not valid. */
function modelIn(body: Uint8Array): string {
  const scan = scanObject(body, codec)
  const field = scan.ok ? fieldNamed(scan.fields, 'model') : undefined
  return (field?.kind === 'string' ? decodeString(body, field.start, field.end, codec) : undefined) ?? ''
}
