// What the dialects have in common where tokens are counted.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import type { CountRequest } from '../../token-counting.ts'
import { countMedia } from './request.ts'

/** `facts`: how the body was read. */
export function countRequest(
  facts: { bytes: Uint8Array; scan: { values: number }; body: Json },
  canonical: CanonicalRequest,
  named: Pick<CountRequest, 'objects' | 'urls' | 'state'>,
): CountRequest {
  const { bytes, scan, body } = facts
  const textBytes = bytes.length - countMedia(canonical).encodedBytes
  return { model: canonical.model, textBytes, values: scan.values, canonical, body, ...named }
}

export const fieldsIn = (body: Json, isCounted: (name: string) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null && isCounted(name)))

/** Ten times the longest context that is sold: a higher count is a fault. */
const MOST_TOKENS = 100_000_000

/** The count in this field of an upstream's response. */
export function countIn(body: unknown, field: string): number | undefined {
  const count = isObject(body) ? body[field] : undefined
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS ? count : undefined
}
