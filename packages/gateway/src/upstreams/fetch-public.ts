// The only fetch of an address that a stranger chose: a caller's image, a vendor's link to a finished film.
//
// The danger is that our own network becomes reachable through us. So: the address is read strictly, its name is resolved
// once, every answer is judged, and the connection goes to exactly those answers, while Host header and certificate
// check keep the name. node:http(s) is used because its `lookup` makes that possible and because, unlike `fetch`, it
// follows no redirect, takes no proxy from the environment, keeps no connection and decodes nothing by itself.
import { lookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type AddressKind, formatIp, type Ip, kindOf, parseIp } from '@trivium/http/addresses/ip-address.ts'

/** For logs and decisions. `not_public` and `unresolved` read the same to a caller: see REASONS. */
export type PublicFetchReason = keyof typeof REASONS

// Nothing here names an address, a port or a host: an error must not tell a stranger what our network looks like. An
// inward name and an unknown one get the same words, or names of our network could be guessed one by one.
const REASONS = {
  bad_url: 'The address is not a plain http or https URL.',
  not_public: 'The address does not lead to a public host.',
  unresolved: 'The address does not lead to a public host.',
  unreachable: 'The host of the address could not be reached.',
  untrusted: 'The host of the address has no valid certificate for its name.',
  redirected: 'The address redirects to another one; give the final address.',
  encoded: 'The host of the address sent compressed content, which was not asked for.',
  too_large: 'The content of the address is too large.',
  timed_out: 'The host of the address took too long.',
  broken: 'The host of the address did not send a complete HTTP answer.',
  aborted: 'The fetch of the address was called off.',
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
  /** Hosts that may be private: an upstream's own. Gets the lower-case name or the address, and the port. */
  allowHost?: (host: string, port: number) => boolean
  /** Private hosts are fine, whatever their name: `allow_private` of an upstream. Never metadata services and the like. */
  allowPrivate?: boolean
  resolve?: Resolve
}

export type PublicFetchOptions = GuardOptions & {
  maxBytes: number
  /** For all of it: resolving, connecting, waiting, reading. */
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

/** Reads the URL strictly: where two parsers could disagree about the host, there is no host. */
function parseTarget(text: string): Omit<Target, 'addresses'> & { literal: Ip | undefined } {
  // The authority as written. The URL parser drops tabs and newlines, takes `\` for `/`, and finds a host in
  // `http:///host` and `http:host`: all refused here, as are userinfo and percent-encoded hosts.
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
  // A translated address is what resolvers answer behind NAT64; nobody honest writes one.
  if (literal === undefined) allowed.push('translated')
  if (!mayBePrivate && /(^|\.)localhost$/.test(host)) throw new PublicFetchError('not_public')
  const addresses = literal === undefined ? await resolveOnce(host, options.resolve ?? resolveBySystem) : [literal]
  // One inward answer among public ones is no accident: refuse them all.
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
    // The system's resolver cannot be called off, only left behind.
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
      // Said aloud: NODE_TLS_REJECT_UNAUTHORIZED in the environment must not switch it off.
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    })
    request.on('error', fail)
    // 101 Switching Protocols is neither a response nor an error: the connection just closes.
    let answered = false
    request.on('close', () => answered || fail(new PublicFetchError('broken')))
    request.on('response', (response) => {
      answered = true
      // Should the connection ever lead elsewhere than judged, nothing of it gets out.
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
