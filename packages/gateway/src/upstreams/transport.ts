// Selects the HTTP version of a request over TLS or a proxy, and sends it again after a few failures.
//
// Sending again may buy the same answer twice, so it is done only if the upstream has not processed the request, or if a
// reused connection was stale (docs/decisions/0005 and 0010). TLS errors are excluded: Bun reports a record that breaks in
// the middle of a response with the same code as a failed handshake. For the same reason a separate handshake finds out
// whether HTTP/2 is offered. Only if a host has never responded, and fails that handshake too, was certainly nothing sent.

import type { Cancel } from '@trivium/http/cancel.ts'
import { ConnectTimeout } from '@trivium/http/client/errors.ts'
import type { Upstream } from '../config/types.ts'
import { offersHttp2, refusesTls } from './alpn.ts'

export type ConnectionOptions = {
  protocol?: 'http1.1' | 'http2'
  /** false: a new connection. */
  keepalive?: false
}

/** Sends the request, with an unread body. */
export type SendOnce = (connection: ConnectionOptions) => Promise<Response>

export type HttpVersion = '1.1' | '2'

/**
 * `isOneShot`: the body can be read once, so that `fetch` cannot by itself send a refused HTTP/2 stream again. `isOnce`: the
 * request may only be sent again if the upstream has certainly not processed it.
 */
export type Transport = ((
  upstream: TransportTarget,
  cancel: Cancel,
  sendOnce: SendOnce,
  isOneShot?: boolean,
  isOnce?: boolean,
) => Promise<Response>) & {
  /** The version of the next request; undefined: not known yet. */
  httpVersionOf(upstream: TransportTarget): HttpVersion | undefined
}

type TransportTarget = Pick<Upstream, 'id' | 'baseUrl' | 'proxy' | 'http'>

/** `silent`: the handshake timed out. Undefined: it failed. */
type Offer = boolean | 'silent' | undefined

export type TransportOptions = {
  offersHttp2?: (address: string) => Promise<Offer>
  refusesTls?: (address: string) => Promise<boolean>
  /** Monotonic, in milliseconds. */
  now?: () => number
  /** HTTP/2 failed and is not used for a while. */
  report?: (upstream: string, code: string) => void
}

const HTTP1: ConnectionOptions = { protocol: 'http1.1' }
const HTTP2: ConnectionOptions = { protocol: 'http2' }
/** Plain http through a proxy: there is no version to choose. */
const PLAIN: ConnectionOptions = {}

/** A stale connection fails within a round trip. A failure after this time means that the upstream was at work. */
const STALE_WITHIN_MS = 1_000
/** HTTP/1.1 is used for this time after HTTP/2 was not offered, or failed. */
const HTTP2_RETRY_MS = 600_000
/** Requests share an HTTP/2 connection. If it is silent for this time, it may be dead: new requests use HTTP/1.1. */
const SILENCE_MS = 30_000
/** Hosts that are remembered: reloaded configurations may add new ones without end. */
const MAX_HOSTS = 1_000

type Host = {
  /** Whether HTTP/2 is offered, and until when that is believed. Undefined: not known yet. */
  offered: boolean | undefined
  validUntil: number
  /** The handshake that finds out, while it runs. */
  query: Promise<Offer> | undefined
  /** There may be a reusable connection, which may be stale. */
  hasResponded: boolean
  /** HTTP/2 requests without a response, and since when none of them has got one. */
  pending: number
  silentSince: number
}

export function createTransport(options: TransportOptions = {}): Transport {
  const { offersHttp2: askOffer = offersHttp2, refusesTls: failsTls = refusesTls } = options
  const { now = () => performance.now(), report } = options
  const hosts = new Map<string, Host>()

  function hostOf(address: string): Host {
    let host = hosts.get(address)
    if (host === undefined) {
      const [oldest] = hosts.size >= MAX_HOSTS ? hosts.keys() : []
      if (oldest !== undefined) hosts.delete(oldest)
      host = { offered: undefined, validUntil: 0, query: undefined, hasResponded: false, pending: 0, silentSince: 0 }
      hosts.set(address, host)
    }
    return host
  }

  /**
   * The first requests wait for the handshake: HTTP/1.1 would fail at a host that offers HTTP/2 only, and `fetch` has no
   * timeout for connecting.
   */
  function queryFor(upstream: TransportTarget, host: Host): Promise<Offer> | undefined {
    if (fixedHttpVersion(upstream) !== undefined) return undefined
    if (now() >= host.validUntil) host.query ??= queryOffer(upstream.baseUrl, host)
    return host.offered === undefined ? host.query : undefined
  }

  function optionsFor({ baseUrl, http, proxy }: TransportTarget, host: Host, at: number): ConnectionOptions {
    if (!baseUrl.startsWith('https:')) return PLAIN
    // `fetch` does not support HTTP/2 through a proxy.
    if (http === '1.1' || proxy !== undefined) return HTTP1
    if (http === '2') return HTTP2
    if (host.offered !== true) return HTTP1
    return host.pending > 0 && at - host.silentSince > SILENCE_MS ? HTTP1 : HTTP2
  }

  async function queryOffer(address: string, host: Host): Promise<Offer> {
    const offered = await askOffer(address).catch(() => undefined)
    host.query = undefined
    // The next request asks again.
    if (offered === 'silent') return offered
    host.offered = offered ?? host.offered
    host.validUntil = offered === true ? Number.POSITIVE_INFINITY : now() + HTTP2_RETRY_MS
    return offered
  }

  async function overHttp2(host: Host, sending: Promise<Response>): Promise<Response> {
    if (host.pending++ === 0) host.silentSince = now()
    try {
      const response = await sending
      host.silentSince = now()
      return response
    } finally {
      host.pending--
    }
  }

  const send: (...args: Parameters<Transport>) => Promise<Response> = async (
    upstream,
    cancel,
    sendOnce,
    isOneShot,
    isOnce,
  ) => {
    const host = hostOf(upstream.baseUrl)
    const query = queryFor(upstream, host)
    if (query && (await untilCancelled(query, cancel)) === 'silent') throw new ConnectTimeout('Connecting timed out.')
    const sentAt = now()
    const connection = optionsFor(upstream, host, sentAt)
    const sent = (next: ConnectionOptions) =>
      next.protocol === 'http2' ? overHttp2(host, sendOnce(next)) : sendOnce(next)
    try {
      const response = await sent(connection)
      host.hasResponded = true
      return response
    } catch (error) {
      const code = codeOf(error)
      const mayBeStale = !isOnce && host.hasResponded && now() - sentAt < STALE_WITHIN_MS
      if (connection === HTTP2 && isVersionFailure(code) && upstream.http === undefined) {
        host.offered = false
        host.validUntil = now() + HTTP2_RETRY_MS
        report?.(upstream.id, code)
      }
      if (cancel.isCancelled) throw error
      // Behind a proxy our own handshake would reach another host.
      const mayBeHandshake = code === 'EPROTO' && !host.hasResponded && upstream.proxy === undefined
      if (mayBeHandshake && (await failsTls(upstream.baseUrl)))
        throw new TlsHandshakeFailed('The TLS handshake failed.')
      const next = optionsForResend(code, connection, { mayBeStale, isOneShot, isChoice: upstream.http === undefined })
      if (next === undefined) throw error
      const response = await sent(next)
      host.hasResponded = true
      return response
    }
  }

  function httpVersionOf(upstream: TransportTarget): HttpVersion | undefined {
    const offered = hosts.get(upstream.baseUrl)?.offered
    return fixedHttpVersion(upstream) ?? (offered === undefined ? undefined : offered ? '2' : '1.1')
  }

  return Object.assign(send, { httpVersionOf })
}

/** The handshake may take longer than the request may. */
function untilCancelled(query: Promise<Offer>, cancel: Cancel): Promise<Offer> {
  return new Promise((resolve, reject) => {
    cancel.target = { cancel: () => resolve(undefined) }
    query.then(resolve, reject)
  })
}

/** The version if the configuration leaves no choice; undefined: it depends on what the upstream offers. */
export function fixedHttpVersion({ baseUrl, http, proxy }: TransportTarget): HttpVersion | undefined {
  return baseUrl.startsWith('https:') && proxy === undefined ? http : '1.1'
}

/** How to send the request again; undefined: not at all. */
function optionsForResend(
  code: string,
  connection: ConnectionOptions,
  about: { mayBeStale: boolean; isChoice: boolean; isOneShot: boolean | undefined },
): ConnectionOptions | undefined {
  switch (code) {
    // Upstreams may close an idle connection at the moment when a request is sent over it.
    case 'ECONNRESET':
      return about.mayBeStale ? { ...connection, keepalive: false } : undefined
    // The upstream has not processed the request: REFUSED_STREAM, or a GOAWAY with a lower stream id.
    case 'HTTP2RefusedStream':
      return about.isOneShot ? connection : undefined
    // Only the version negotiation failed: nothing was sent.
    case 'HTTP2Unsupported':
      return about.isChoice ? HTTP1 : undefined
    default:
      return undefined
  }
}

/** Nothing of the request was sent. */
class TlsHandshakeFailed extends Error {
  readonly code = 'TlsHandshakeFailed'
}

/** HTTP/2 may have failed, not the upstream: the next request may work over HTTP/1.1. */
const isVersionFailure = (code: string): boolean =>
  (code.startsWith('HTTP2') && code !== 'HTTP2RefusedStream') || code === 'EPROTO'

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
