// Where a request comes from. Read before anything is awaited: the address is unknown after the client has disconnected.
import { type CidrList, clientAddress, networkOf, wideNetworkOf } from '@trivium/http/addresses/client-address.ts'
import type { HttpRequest } from '@trivium/http/request.ts'

export type Origin = { address: string; network: string; wideNetwork: string; userAgent: string }

const LONGEST_USER_AGENT = 300

export function originOf(http: HttpRequest, trustedProxies: CidrList): Origin {
  const from = clientAddress(http.address(), http.headers, trustedProxies)
  const userAgent = (http.headers.get('user-agent') ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_USER_AGENT)
  return { address: from, network: networkOf(from), wideNetwork: wideNetworkOf(from), userAgent }
}
