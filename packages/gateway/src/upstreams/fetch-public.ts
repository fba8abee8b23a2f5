// The only fetch of a URL that comes from outside: a caller's image, or a vendor's link to a finished video.
//
// The danger is server-side request forgery: our own network must not become reachable. So the URL is parsed strictly, its
// host is resolved once, every address is checked, and only those addresses are connected to, while the Host header and the
// certificate check use the name. node:http(s) is used because its `lookup` makes that possible and because, unlike `fetch`, it
// follows no redirect, takes no proxy from the environment, keeps no connection and decodes nothing by itself.
import { lookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type AddressKind, formatIp, type Ip, kindOf, parseIp } from '@trivium/http/addresses/ip-address.ts'

/** For logs and decisions. Callers cannot tell `not_public` from `unresolved`: see REASONS. */
export type PublicFetchReason = keyof typeof REASONS

// No message names an address, a port or a host: errors must not describe our network. A private name and an unknown one
// get the same message, or names in our network could be guessed one by one.
const REASONS = {
  bad_url: 'The URL is not a plain http or https URL.',
  not_public: 'The URL does not lead to a public host.',
  unresolved: 'The URL does not lead to a public host.',
  unreachable: 'The host of the URL could not be reached.',
  untrusted: 'The host of the URL has no valid certificate for its name.',
  redirected: 'The URL redirects to another one; send the final URL.',
  encoded: 'The host of the URL sent compressed content, which is not supported.',
  too_large: 'The content of the URL is too large.',
  timed_out: 'The host of the URL took too long.',
  broken: 'The host of the URL did not send a complete HTTP response.',
  aborted: 'The fetch of the URL was cancelled.',
} as const

export class PublicFetchError extends Error {
  readonly reason: PublicFetchReason
  constructor(reason: PublicFetchReason, options?: ErrorOptions) {
    super(REASONS[reason], options)
    this.name = 'PublicFetchError'
    this.reason = reason
  }
}

/** All addresses of a name, as the operating system gives them. */
export type Resolve = (host: string) => Promise<readonly string[]>

export type GuardOptions = {
  /** Hosts that may be private: an upstream's own. Gets the lowercase name or the address, and the port. */
  allowHost?: (host: string, port: number) => boolean
  /** All private hosts are allowed: `allow_private` of an upstream. Metadata services never are. */
  allowPrivate?: boolean
  resolve?: Resolve
}

export type PublicFetchOptions = GuardOptions & {
  maxBytes: number
  /** For resolving, connecting, waiting and reading together. */
  timeoutMs: number
  /** The Accept header. */
  accept?: string
  signal?: AbortSignal
  /** PEM certificates to trust in place of the built-in ones. */
  ca?: string
}

export type PublicContent = { status: number; contentType: string | undefined; bytes: Uint8Array }

/** A URL that passed the guard, and the only addresses that it may be fetched from. */
export type Target = { url: URL; host: string; port: number; addresses: readonly Ip[] }

const LONGEST_URL = 8192

/** Parses strictly: a URL whose host two parsers could read differently is rejected. */
function parseTarget(text: string): Omit<Target, 'addresses'> & { literal: Ip | undefined } {
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

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Throws unless every address of the host may be connected to. Asks the resolver at most once. */
export async function guardPublic(text: string, options: GuardOptions = {}): Promise<Target> {
  const { url, host, port, literal } = parseTarget(text)
  const mayBePrivate = options.allowPrivate === true || options.allowHost?.(host, port) === true
  const allowed: AddressKind[] = mayBePrivate ? ['public', 'private'] : ['public']
  // Resolvers behind NAT64 return translated addresses; as literals they are rejected.
  if (literal === undefined) allowed.push('translated')
  if (!mayBePrivate && /(^|\.)localhost$/.test(host)) throw new PublicFetchError('not_public')
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

export async function fetchPublic(text: string, options: PublicFetchOptions): Promise<PublicContent> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new PublicFetchError('timed_out')), options.timeoutMs)
  const onAbort = () => stop.abort(new PublicFetchError('aborted'))
  options.signal?.addEventListener('abort', onAbort, { once: true })
  if (options.signal?.aborted) onAbort()
  try {
    // The system's resolver cannot be cancelled.
    const target = await orAborted(guardPublic(text, options), stop.signal)
    return await get(target, options, stop.signal)
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', onAbort)
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
    work.then(resolve, reject)
  })
}

/** Answers with the checked addresses and nothing else, whatever name is asked for. */
function pinnedLookup(addresses: readonly Ip[]): LookupFunction {
  const pinned = addresses.map((ip) => ({ address: formatIp(ip), family: ip.family }))
  return (_host, { all }, callback) => {
    const [first] = pinned
    if (all === true) callback(null, pinned)
    else callback(null, first?.address ?? '', first?.family)
  }
}

function get(target: Target, options: PublicFetchOptions, signal: AbortSignal): Promise<PublicContent> {
  const { url, host, port, addresses } = target
  return new Promise((resolve, reject) => {
    let request: ClientRequest | undefined
    const fail = (error: unknown) => {
      signal.removeEventListener('abort', onAbort)
      reject(error instanceof PublicFetchError ? error : new PublicFetchError(reasonOf(error), { cause: error }))
      request?.destroy()
    }
    const onAbort = () => fail(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    request = send({
      method: 'GET',
      hostname: host,
      port,
      path: url.pathname + url.search,
      headers: { accept: options.accept ?? '*/*', 'accept-encoding': 'identity' },
      agent: false,
      lookup: pinnedLookup(addresses),
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment cannot switch it off.
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    })
    request.on('error', fail)
    // 101 Switching Protocols is neither a response nor an error: the connection just closes.
    let answered = false
    request.on('close', () => answered || fail(new PublicFetchError('broken')))
    request.on('response', (response) => {
      answered = true
      // If the connection ever leads to another address than those checked, nothing of it is returned.
      const peer = parseIp(response.socket.remoteAddress ?? '')
      if (!addresses.some((ip) => ip.family === peer?.family && ip.value === peer.value))
        return fail(new PublicFetchError('not_public'))
      read(response, options.maxBytes).then((content) => {
        signal.removeEventListener('abort', onAbort)
        resolve(content)
      }, fail)
    })
    request.end()
  })
}

async function read(response: IncomingMessage, maxBytes: number): Promise<PublicContent> {
  const status = response.statusCode ?? 0
  if (status >= 300 && status < 400) throw new PublicFetchError('redirected')
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') throw new PublicFetchError('encoded')
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw new PublicFetchError('too_large')
  const parts: Uint8Array[] = []
  let size = 0
  // Throws when the connection ends before the body does.
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > maxBytes) throw new PublicFetchError('too_large')
    parts.push(part)
  }
  const contentType = response.headers['content-type']
  return { status, contentType, bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, size) }
}

function reasonOf(error: unknown): PublicFetchReason {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(E(CONN(REFUSED|ABORTED)|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|TIMEDOUT|ACCES|PERM))$/.test(code))
    return 'unreachable'
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|CHAIN|CRL|HOSTNAME/.test(code)) return 'untrusted'
  return 'broken'
}
