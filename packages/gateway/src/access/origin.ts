// The client address check of keys that are restricted to certain networks.
import { type CidrList, clientAddress, compileCidrs, matchesCidrs } from '@trivium/http/addresses/client-address.ts'
import type { RequestHeaders } from '@trivium/http/request.ts'
import { Failure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'

/** The other end of the connection; its address is computed on demand. */
export type Peer = { address(): string }

/** Compiled network lists, cached as long as their callers are. */
const compiled = new WeakMap<readonly string[], CidrList>()

export function checkOrigin(caller: Caller, headers: RequestHeaders, peer: Peer, trustedProxies: CidrList): void {
  const { networks } = caller.restrictions
  if (networks === undefined) return
  const address = clientAddress(peer.address(), headers, trustedProxies)
  if (matchesCidrs(address, cidrsOf(networks))) return
  const from = address === '' ? 'an unknown address' : address
  throw new Failure('address_not_allowed', `Key ${caller.key} may not be used from ${from}.`)
}

/** Invalid entries match no address. */
function cidrsOf(networks: readonly string[]): CidrList {
  const known = compiled.get(networks)
  if (known) return known
  const { cidrs } = compileCidrs(networks)
  compiled.set(networks, cidrs)
  return cidrs
}

/** The errors in a list of addresses and CIDR blocks. */
export const networkErrors = (networks: readonly string[]): readonly string[] => compileCidrs(networks).mistakes
