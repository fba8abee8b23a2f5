// Where a call comes from: asked only for keys that may be used from some addresses alone.
import { type CidrList, clientAddress, compileCidrs, matchesCidrs } from '@trivium/http/addresses/client-address.ts'
import type { RequestHeaders } from '@trivium/http/request.ts'
import type { Caller } from '../storage/storage.ts'
import { Failure } from './failure.ts'

/** The other end of the connection; its address is worked out when it is asked for. */
export type Peer = { address(): string }

/** Callers are cached; so is what their lists mean, for as long as they are. */
const compiled = new WeakMap<readonly string[], CidrList>()

export function checkOrigin(caller: Caller, headers: RequestHeaders, peer: Peer, trustedProxies: CidrList): void {
  const { networks } = caller.restrictions
  if (networks === undefined) return
  const address = clientAddress(peer.address(), headers, trustedProxies)
  if (matchesCidrs(address, cidrsOf(networks))) return
  const from = address === '' ? 'an unknown address' : address
  throw new Failure('address_not_allowed', `Key ${caller.key} may not be used from ${from}.`)
}

/** What cannot be read lets nobody in. */
function cidrsOf(networks: readonly string[]): CidrList {
  const known = compiled.get(networks)
  if (known) return known
  const { cidrs } = compileCidrs(networks)
  compiled.set(networks, cidrs)
  return cidrs
}

/** What is wrong with each entry of a list of addresses and blocks. */
export const networkErrors = (networks: readonly string[]): readonly string[] => compileCidrs(networks).mistakes
