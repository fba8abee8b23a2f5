// The client's IP address: that of the socket, or the one reported by trusted proxies. Other clients' claims are ignored.

import type { RequestHeaders } from '../request.ts'
import { type Block, formatIp, type Ip, inBlock, parseBlock, parseIp } from './ip-address.ts'

export type CidrList = readonly Block[]

/** Compiles CIDR blocks and single addresses. `mistakes` has a message for each invalid entry, which is skipped. */
export function compileCidrs(list: readonly string[]): { cidrs: CidrList; mistakes: readonly string[] } {
  const parsed = list.map(parseBlock)
  return {
    cidrs: parsed.filter((entry) => typeof entry !== 'string'),
    mistakes: parsed.filter((entry) => typeof entry === 'string'),
  }
}

const inCidrs = (ip: Ip, cidrs: CidrList) => cidrs.some((block) => inBlock(ip, block))

/** False for anything that is not an IP address. */
export function matchesCidrs(address: string, cidrs: CidrList): boolean {
  const ip = parsePeer(address)
  return ip !== undefined && inCidrs(ip, cidrs)
}

/** Whether the address is this machine. Only meaningful for the address of a socket: headers can be forged. */
export function isLoopback(address: string): boolean {
  const ip = parsePeer(address)
  if (ip === undefined) return false
  return ip.family === 4 ? ip.value >> 24n === 127n : ip.value === 1n
}

/** Strips the zone of link-local addresses (`fe80::1%eth0`), which names an interface, not a peer. */
function parsePeer(address: string): Ip | undefined {
  const zone = address.indexOf('%')
  return parseIp(zone === -1 ? address : address.slice(0, zone))
}

/** Some proxies append the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function parseHop(text: string): Ip | undefined {
  const bracketed = /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)
  if (bracketed?.[1] !== undefined) return parsePeer(bracketed[1])
  const withPort = /^([0-9.]+):[0-9]+$/.exec(text)
  return parsePeer(withPort?.[1] ?? text)
}

/**
 * Each proxy appends the address of its peer, so the list is reliable only from the right and only as far as the hops are
 * trusted: the first address from the right that is not a trusted proxy is the client. Everything left of it is the client's
 * own claim.
 */
export function clientAddress(socketAddress: string, headers: RequestHeaders, trustedProxies: CidrList): string {
  // Fast path: no trusted proxies, and an IPv4 address, which the system writes in canonical form.
  if (trustedProxies.length === 0 && !socketAddress.includes(':')) return socketAddress
  const peer = parsePeer(socketAddress)
  if (peer === undefined) return socketAddress
  if (trustedProxies.length === 0 || !inCidrs(peer, trustedProxies)) return formatIp(peer)
  let client = peer
  let rest = headers.get('x-forwarded-for') ?? ''
  while (rest !== '') {
    const comma = rest.lastIndexOf(',')
    const hop = parseHop(rest.slice(comma + 1).trim())
    // Not an address: everything left of it is unreliable, too. The last known hop is the best result.
    if (hop === undefined) break
    client = hop
    if (!inCidrs(hop, trustedProxies)) break
    rest = comma === -1 ? '' : rest.slice(0, comma)
  }
  return formatIp(client)
}

/**
 * The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, since one client usually has all of
 * it. In canonical form; anything else is returned as it is.
 */
export function networkOf(address: string): string {
  const ip = parsePeer(address)
  if (ip === undefined) return address
  return ip.family === 4 ? formatIp(ip) : withPrefix(ip, 64)
}

/** The network that one customer of a provider may have: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function wideNetworkOf(address: string): string {
  const ip = parsePeer(address)
  return ip === undefined ? `${address}/wide` : withPrefix(ip, ip.family === 4 ? 24 : 48)
}

function withPrefix({ family, value }: Ip, bits: number): string {
  const rest = BigInt((family === 4 ? 32 : 128) - bits)
  return `${formatIp({ family, value: (value >> rest) << rest })}/${bits}`
}
