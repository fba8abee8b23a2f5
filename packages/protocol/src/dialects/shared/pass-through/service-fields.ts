// What concerns price and network in fields that an endpoint does not know: vendors of embeddings, rankings, speech, transcripts and
// moderations have fields of their own, which pass.

import type { Json } from '../../../canonical/reading.ts'
import type { BodyAttribution } from '../../../canonical/request.ts'
import { attributionOf } from './attribution.ts'
import { foldCase } from './known-names.ts'
import { addUnknownUrls, type NamedUrl, NO_URLS } from './named-urls.ts'
import { mergesMembers } from './output-fields.ts'
import { type Effects, effectOf } from './priced-fields.ts'

export type ServiceFields = {
  /** What the upstream may fetch or call. */
  urls: readonly NamedUrl[]
  /** Names of fields that would cost something which no price of such a model counts. */
  unpriced: readonly string[]
  /** Whom and what the request is for; absent: the body does not say. */
  attribution?: BodyAttribution
}

/** Fields that are for the gateway alone. */
export const ownFields = ({ attribution }: Pick<ServiceFields, 'attribution'>): readonly string[] =>
  attribution?.own ?? NO_FIELDS
const NO_FIELDS: readonly string[] = []

const NOTHING: ServiceFields = { urls: NO_URLS, unpriced: [] }

/** `known`: names that the endpoint reads itself. */
export function serviceFields(body: Json, known: Readonly<Record<string, unknown>>, effects: Effects): ServiceFields {
  let found: { urls: NamedUrl[]; unpriced: string[] } | undefined
  for (const name in body) {
    if (Object.hasOwn(known, name)) continue
    found ??= { urls: [], unpriced: [] }
    const value = body[name]
    const effect = effectOf(effects, name) ?? effectOf(effects, foldCase(name))
    if (mergesMembers(name, value) || (effect && effect.words(value).length > 0)) found.unpriced.push(name)
    else addUnknownUrls(found.urls, name, value)
  }
  const attribution = attributionOf(body)
  return attribution === undefined ? (found ?? NOTHING) : { ...(found ?? NOTHING), attribution }
}
