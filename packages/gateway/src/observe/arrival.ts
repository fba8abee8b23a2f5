// What a request says of itself when it arrives, beside its content: for its log line and its trace.

import { type CidrList, clientAddress, wideNetworkOf } from '@trivium/http/addresses/client-address.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { RequestRecord } from './request-record.ts'
import { parentIn } from './traces/context.ts'
import type { Tracer } from './traces/tracer.ts'

/** `masked`: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export type LogAddresses = 'full' | 'masked' | 'off'

type Settings = { trustedProxies: CidrList; config: { server: { logAddresses: LogAddresses } } }

export const CLIENT_REQUEST_ID = 'x-client-request-id'
const VALID_ID = /^[\x21-\x7e]{1,512}$/

/** `headers`: of the response, which carry the caller's id of the request. `showsClients`: as `RequestObserver` has it. */
export function noteArrival(
  record: RequestRecord,
  http: Pick<HttpRequest, 'headers' | 'address'>,
  headers: ResponseHeaders,
  { trustedProxies, config }: Settings,
  tracer: Tracer | undefined,
  showsClients: boolean | undefined,
): void {
  const { logAddresses } = config.server
  if (showsClients && logAddresses !== 'off') {
    const address = clientAddress(http.address(), http.headers, trustedProxies)
    record.client = logAddresses === 'full' ? address : wideNetworkOf(address)
  }
  if (showsClients) record.userAgent = http.headers.get('user-agent') ?? undefined
  const id = http.headers.get(CLIENT_REQUEST_ID)
  if (id !== null && VALID_ID.test(id)) {
    record.clientRequestId = id
    headers.set(CLIENT_REQUEST_ID, id)
  }
  const parent = parentIn(http.headers)
  if (tracer) record.trace = { parent, own: tracer.begin(parent) }
  else if (parent) record.trace = { parent, own: undefined }
}
