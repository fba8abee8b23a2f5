// Who may read /metrics: a process of this machine that is no proxy, or a caller with the token of the configuration.
import { createHash, timingSafeEqual } from 'node:crypto'
import { isLoopback } from '@trivium/http/addresses/client-address.ts'
import type { HttpRequest } from '@trivium/http/request.ts'

/** A proxy on this machine also connects from loopback, for clients of anywhere. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

export function mayReadMetrics(http: Pick<HttpRequest, 'headers' | 'address'>, token: string | undefined): boolean {
  const { headers } = http
  const isLocal = isLoopback(http.address()) && FORWARDING_HEADERS.every((name) => headers.get(name) === null)
  return isLocal || (token !== undefined && isBearer(headers.get('authorization'), token))
}

/** Hashes have the same length, so that the time of the comparison tells nothing. */
function isBearer(authorization: string | null, token: string): boolean {
  const [scheme = '', given = ''] = (authorization ?? '').split(' ')
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(hash(given), hash(token))
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
