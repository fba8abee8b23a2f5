// Decides which hosts may be connected to for a URL that comes from outside: a caller's image or callback, or a vendor's link to
// a finished video.
//
// The danger is server-side request forgery: our own network must not become reachable. So the URL is parsed strictly, its
// host is resolved once, every address is checked, and only those addresses are connected to (see send-public.ts).
import { lookup } from 'node:dns/promises'
import { type AddressKind, formatIp, type Ip, kindOf, parseIp } from '@trivium/http/addresses/ip-address.ts'
import { isMetadataName } from '@trivium/http/addresses/url-guard.ts'
import { PublicFetchError } from './public-fetch-error.ts'

/** All addresses of a name, as the operating system gives them. */
export type Resolve = (host: string) => Promise<readonly string[]>

export type GuardOptions = {
  /** Hosts that may be private: an upstream's own. Gets the lowercase name or the address, and the port. */
  allowHost?: (host: string, port: number) => boolean
  /** All private hosts are allowed: `allow_private` of an upstream. Metadata services never are. */
  allowPrivate?: boolean
  resolve?: Resolve
}

/** A URL that passed the guard, and the only addresses that it may be fetched from. */
export type Target = { url: URL; host: string; port: number; addresses: readonly Ip[] }

const LONGEST_URL = 8192

/** Parses strictly: throws for a URL whose host two parsers could read differently. The resolver is not asked. */
export function parseTarget(text: string): Omit<Target, 'addresses'> & { literal: Ip | undefined } {
  // The authority as written. The URL parser drops tabs and newlines, takes `\` for `/`, and finds a host in
  // `http:///host` and `http:host`: all rejected here, as are userinfo and percent-encoded hosts.
  const written = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (written === undefined || text.length > LONGEST_URL || /[\s\x00-\x20\x7f\\]/.test(text) || /[@%]/.test(written))
    throw new PublicFetchError('bad_url')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new PublicFetchError('bad_url')
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  // One dot at the end only says that the name is complete; certificates and comparisons are made without it.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const literal = parseIp(host)
  if (port === 0 || (literal === undefined && !isHostName(host))) throw new PublicFetchError('bad_url')
  // `0x7f.1`, `2130706433`, full-width digits: the parser understood an address where none was written.
  if (literal?.family === 4 && !url.hostname.startsWith('[') && written.replace(/\.?(:[0-9]*)?$/, '') !== host)
    throw new PublicFetchError('bad_url')
  return { url, host: literal === undefined ? host : formatIp(literal), port, literal }
}

function isHostName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
}

export async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Throws unless every address of the host may be connected to. Asks the resolver at most once. */
export async function guardPublic(text: string, options: GuardOptions = {}): Promise<Target> {
  const { url, host, port, literal } = parseTarget(text)
  const mayBePrivate = options.allowPrivate === true || options.allowHost?.(host, port) === true
  const allowed: AddressKind[] = mayBePrivate ? ['public', 'private'] : ['public']
  // Resolvers behind NAT64 return translated addresses; as literals they are rejected.
  if (literal === undefined) allowed.push('translated')
  if (isMetadataName(host) || (!mayBePrivate && /(^|\.)localhost$/.test(host))) throw new PublicFetchError('not_public')
  const addresses = literal === undefined ? await resolveOnce(host, options.resolve ?? resolveBySystem) : [literal]
  // One private address among public ones is no accident: all are rejected.
  if (!addresses.every((ip) => allowed.includes(kindOf(ip)))) throw new PublicFetchError('not_public')
  return { url, host, port, addresses }
}

async function resolveOnce(host: string, resolve: Resolve): Promise<Ip[]> {
  let answers: readonly string[]
  try {
    answers = await resolve(host)
  } catch (cause) {
    throw new PublicFetchError('unresolved', { cause })
  }
  if (answers.length === 0) throw new PublicFetchError('unresolved')
  return answers.map((answer) => {
    const ip = parseIp(answer)
    // A zone or anything else unreadable: not the public internet.
    if (ip === undefined) throw new PublicFetchError('not_public')
    return ip
  })
}
