// Which version of HTTP a call over TLS or a proxy takes, and the few failures after which it is sent once more.
//
// Sending again may buy the same answer twice, so it is done only where the upstream says that it has not seen the request,
// or where a used connection was found closed (docs/decisions/0005 and 0010). A TLS error is not among them: Bun reports
// a record that breaks in the middle of a call with the same code as a handshake that failed before it. For the same reason
// whether HTTP/2 is offered is found out by a question of its own, and not by trying it with a call. Only of a server that has
// never answered, and that fails a handshake of ours as well, it is said that no request has left.

import type { Cancel } from '@trivium/http/cancel.ts'
import { ConnectTimeout } from '@trivium/http/client/errors.ts'
import type { Upstream } from '../config/types.ts'
import { offersHttp2, refusesTls } from './alpn.ts'

export type ConnectionOptions = {
  protocol?: 'http1.1' | 'http2'
  /** A connection of its own, or one that is in use. */
  keepalive?: false
}

/** Sends the request, with a body that nobody has read yet, over what it is told. */
export type SendOnce = (way: ConnectionOptions) => Promise<Response>

export type HttpVersion = '1.1' | '2'

/** `isOneShot`: the body can be read once, so that Bun does not by itself send a refused HTTP/2 stream again (five times). */
export type Transport = ((
  upstream: TransportTarget,
  cancel: Cancel,
  attempt: SendOnce,
  isOneShot?: boolean,
) => Promise<Response>) & {
  /** The version that the next call would take; undefined: nobody has asked the upstream yet. */
  httpVersionOf(upstream: TransportTarget): HttpVersion | undefined
}

type TransportTarget = Pick<Upstream, 'id' | 'baseUrl' | 'proxy' | 'http'>

/** `silent`: it did not even say no. Undefined: it could not be asked. */
type Offer = boolean | 'silent' | undefined

export type TransportOptions = {
  offersHttp2?: (address: string) => Promise<Offer>
  refusesTls?: (address: string) => Promise<boolean>
  /** Of the monotonic clock, in milliseconds. */
  now?: () => number
  /** HTTP/2 failed and is left alone for a while. */
  report?: (upstream: string, code: string) => void
}

const HTTP1: ConnectionOptions = { protocol: 'http1.1' }
const HTTP2: ConnectionOptions = { protocol: 'http2' }
/** Plain http has no version to choose. */
const PLAIN: ConnectionOptions = {}

/** A connection that the upstream had closed already shows within a round trip; later, the upstream was at work. */
const STALE_WITHIN_MS = 1_000
/** After HTTP/2 was not offered, or failed. */
const HTTP1_FOR_MS = 600_000
/** All calls share one connection. If it is dead and nobody has noticed, this is how long new ones keep going there. */
const SILENT_MS = 30_000
/** Of addresses that are remembered: reloaded configurations may bring ever new ones. */
const MOST_HOSTS = 1_000

/** What is known of one address. */
type Host = {
  /** The last word about HTTP/2, and until when it counts. Undefined: not asked yet. */
  offered: boolean | undefined
  goodUntil: number
  /** The question, while it has no answer. */
  asking: Promise<Offer> | undefined
  /** There may be a connection that was used before. */
  answered: boolean
  /** Calls over HTTP/2 without an answer yet, and since when none of them has got one. */
  waiting: number
  silentSince: number
}

export function createTransport(parts: TransportOptions = {}): Transport {
  const { offersHttp2: ask = offersHttp2, refusesTls: refuses = refusesTls } = parts
  const { now = () => performance.now(), report } = parts
  const hosts = new Map<string, Host>()

  function hostOf(address: string): Host {
    let host = hosts.get(address)
    if (host === undefined) {
      const [oldest] = hosts.size >= MOST_HOSTS ? hosts.keys() : []
      if (oldest !== undefined) hosts.delete(oldest)
      host = { offered: undefined, goodUntil: 0, asking: undefined, answered: false, waiting: 0, silentSince: 0 }
      hosts.set(address, host)
    }
    return host
  }

  /**
   * Where the answer decides, and there is none yet: HTTP/1.1 would be wrong for who speaks nothing but HTTP/2, and Bun's client
   * would wait without end for who is not there.
   */
  function question(upstream: TransportTarget, host: Host): Promise<Offer> | undefined {
    if (fixedHttp(upstream) !== undefined) return undefined
    if (now() >= host.goodUntil) host.asking ??= find(upstream.baseUrl, host)
    return host.offered === undefined ? host.asking : undefined
  }

  function wayTo({ baseUrl, http, proxy }: TransportTarget, host: Host, at: number): ConnectionOptions {
    if (!baseUrl.startsWith('https:')) return PLAIN
    // Bun's client does not speak HTTP/2 through a proxy.
    if (http === '1.1' || proxy !== undefined) return HTTP1
    if (http === '2') return HTTP2
    if (host.offered !== true) return HTTP1
    return host.waiting > 0 && at - host.silentSince > SILENT_MS ? HTTP1 : HTTP2
  }

  async function find(address: string, host: Host): Promise<Offer> {
    const offered = await ask(address).catch(() => undefined)
    host.asking = undefined
    // The next call asks again.
    if (offered === 'silent') return offered
    host.offered = offered ?? host.offered
    host.goodUntil = offered === true ? Number.POSITIVE_INFINITY : now() + HTTP1_FOR_MS
    return offered
  }

  async function overHttp2(host: Host, sending: Promise<Response>): Promise<Response> {
    if (host.waiting++ === 0) host.silentSince = now()
    try {
      const reply = await sending
      host.silentSince = now()
      return reply
    } finally {
      host.waiting--
    }
  }

  const send: (...args: Parameters<Transport>) => Promise<Response> = async (upstream, cancel, attempt, isOneShot) => {
    const host = hostOf(upstream.baseUrl)
    const asking = question(upstream, host)
    if (asking && (await untilCancelled(asking, cancel)) === 'silent')
      throw new ConnectTimeout('No connection in time.')
    const sentAt = now()
    const way = wayTo(upstream, host, sentAt)
    const sent = (next: ConnectionOptions) =>
      next.protocol === 'http2' ? overHttp2(host, attempt(next)) : attempt(next)
    try {
      const reply = await sent(way)
      host.answered = true
      return reply
    } catch (error) {
      const code = codeOf(error)
      const mayBeStale = host.answered && now() - sentAt < STALE_WITHIN_MS
      if (way === HTTP2 && failedItself(code) && upstream.http === undefined) {
        host.offered = false
        host.goodUntil = now() + HTTP1_FOR_MS
        report?.(upstream.id, code)
      }
      if (cancel.isCancelled) throw error
      // Through a proxy a handshake of ours would meet somebody else.
      const mayBeHandshake = code === 'EPROTO' && !host.answered && upstream.proxy === undefined
      if (mayBeHandshake && (await refuses(upstream.baseUrl))) throw new NoHandshake('The TLS handshake failed.')
      const next = optionsForResend(code, way, { mayBeStale, isOneShot, isChoice: upstream.http === undefined })
      if (next === undefined) throw error
      const reply = await sent(next)
      host.answered = true
      return reply
    }
  }

  function httpVersionOf(upstream: TransportTarget): HttpVersion | undefined {
    const offered = hosts.get(upstream.baseUrl)?.offered
    return fixedHttp(upstream) ?? (offered === undefined ? undefined : offered ? '2' : '1.1')
  }

  return Object.assign(send, { httpVersionOf })
}

/** What was asked may take longer than the call may. */
function untilCancelled(asking: Promise<Offer>, cancel: Cancel): Promise<Offer> {
  return new Promise((resolve, reject) => {
    cancel.target = { cancel: () => resolve(undefined) }
    asking.then(resolve, reject)
  })
}

/** Where the configuration leaves no choice; undefined: what the upstream offers decides. */
export function fixedHttp({ baseUrl, http, proxy }: TransportTarget): HttpVersion | undefined {
  return baseUrl.startsWith('https:') && proxy === undefined ? http : '1.1'
}

/** How to send it once more; undefined: not at all. */
function optionsForResend(
  code: string,
  way: ConnectionOptions,
  about: { mayBeStale: boolean; isChoice: boolean; isOneShot: boolean | undefined },
): ConnectionOptions | undefined {
  switch (code) {
    // Upstreams close idle connections whenever they like, also at the moment when a request is under way to them.
    case 'ECONNRESET':
      return about.mayBeStale ? { ...way, keepalive: false } : undefined
    // The upstream's word that it has done nothing with it: a reset that says so, or a GOAWAY that ends before it.
    case 'HTTP2RefusedStream':
      return about.isOneShot ? way : undefined
    // The handshake was good but for the version: the request never went out.
    case 'HTTP2Unsupported':
      return about.isChoice ? HTTP1 : undefined
    default:
      return undefined
  }
}

/** Not a byte of the request has left. */
class NoHandshake extends Error {
  readonly code = 'TlsHandshakeFailed'
}

/** The version, not the upstream, may be what failed: in HTTP/1.1 the next call could well work. */
const failedItself = (code: string): boolean =>
  (code.startsWith('HTTP2') && code !== 'HTTP2RefusedStream') || code === 'EPROTO'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
