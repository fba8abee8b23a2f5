// Who is calling: the socket's address, or what trusted proxies say in front of it. Never what a stranger says.

import type { RequestHeaders } from '../request.ts'
import { type Block, formatIp, type Ip, inBlock, parseBlock, parseIp } from './ip-address.ts'

export type CidrList = readonly Block[]

/** Blocks or single addresses. `mistakes` says in words what is wrong with each entry that was left out. */
export function compileCidrs(list: readonly string[]): { cidrs: CidrList; mistakes: readonly string[] } {
  const parsed = list.map(parseBlock)
  return {
    cidrs: parsed.filter((entry) => typeof entry !== 'string'),
    mistakes: parsed.filter((entry) => typeof entry === 'string'),
  }
}

const inCidrs = (ip: Ip, cidrs: CidrList) => cidrs.some((block) => inBlock(ip, block))

/** False for anything that is not an address: a list of addresses lets nobody else in. */
export function matchesCidrs(address: string, cidrs: CidrList): boolean {
  const ip = parsePeer(address)
  return ip !== undefined && inCidrs(ip, cidrs)
}

/** This machine. To be asked of the socket's address: a header can say anything. */
export function isLoopback(address: string): boolean {
  const ip = parsePeer(address)
  if (ip === undefined) return false
  return ip.family === 4 ? ip.value >> 24n === 127n : ip.value === 1n
}

/** Link-local peers come with a zone (`fe80::1%eth0`), which says where they are, not who. */
function parsePeer(address: string): Ip | undefined {
  const zone = address.indexOf('%')
  return parseIp(zone === -1 ? address : address.slice(0, zone))
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function parseHop(text: string): Ip | undefined {
  const bracketed = /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)
  if (bracketed?.[1] !== undefined) return parsePeer(bracketed[1])
  const withPort = /^([0-9.]+):[0-9]+$/.exec(text)
  return parsePeer(withPort?.[1] ?? text)
}

/**
 * Every proxy appends the address that it was called from, so the list is true only from the right, and only as far as
 * the hops are ours: the first address from the right that is not a trusted proxy is the caller. What stands left of
 * it was written by the caller.
 */
export function clientAddress(socketAddress: string, headers: RequestHeaders, trustedProxies: CidrList): string {
  // Most servers: nobody to trust, and the system writes IPv4 in the one spelling already.
  if (trustedProxies.length === 0 && !socketAddress.includes(':')) return socketAddress
  const peer = parsePeer(socketAddress)
  if (peer === undefined) return socketAddress
  if (trustedProxies.length === 0 || !inCidrs(peer, trustedProxies)) return formatIp(peer)
  let client = peer
  let rest = headers.get('x-forwarded-for') ?? ''
  while (rest !== '') {
    const comma = rest.lastIndexOf(',')
    const hop = parseHop(rest.slice(comma + 1).trim())
    // Not an address: what is left of it cannot be believed either. The last hop known is the best answer.
    if (hop === undefined) break
    client = hop
    if (!inCidrs(hop, trustedProxies)) break
    rest = comma === -1 ? '' : rest.slice(0, comma)
  }
  return formatIp(client)
}

/**
 * Who counts as one: an IPv4 address, or the network of an IPv6 one, since whoever has one of those has all 2^64 in it.
 * The one spelling of each; anything else stays as it is.
 */
export function networkOf(address: string): string {
  const ip = parsePeer(address)
  if (ip === undefined) return address
  return ip.family === 4 ? formatIp(ip) : withPrefix(ip, 64)
}

/** What one customer of a provider can have: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function wideNetworkOf(address: string): string {
  const ip = parsePeer(address)
  return ip === undefined ? `${address}/wide` : withPrefix(ip, ip.family === 4 ? 24 : 48)
}

function withPrefix({ family, value }: Ip, bits: number): string {
  const rest = BigInt((family === 4 ? 32 : 128) - bits)
  return `${formatIp({ family, value: (value >> rest) << rest })}/${bits}`
}
