// An HTTP/1.1 client without TLS, with a connection pool per host. docs/decisions/0011 explains why Bun's is not used.

import type { Socket, SocketHandler } from 'bun'
import { isMetadataAddress, parseIp } from '../addresses/ip-address.ts'
import type { Cancel } from '../cancel.ts'
import { Connection, type ConnectionOwner, type ResponseListener } from './connection.ts'
import { CONNECT_TIMEOUT_MS, ConnectionClosed, ConnectTimeout, MetadataHost } from './errors.ts'
import type { Pieces } from './request-writer.ts'
import { decompressed, type UpstreamResponse } from './upstream-response.ts'

/** A stale connection fails within a round trip. A failure after this time means that the upstream was at work. */
const STALE_WITHIN_MS = 1_000
/**
 * Idle connections in all pools together. More than the requests that may run at once (`in_flight`), because opening a
 * connection costs more than the rest of a short request.
 */
const MAX_IDLE = 8_192
/** TCP keep-alive: a dead connection is detected while nothing is sent. */
const KEEP_ALIVE_MS = 60_000

/** Idle connections in all pools together, and their limit. */
type IdleCount = { count: number; readonly max: number }

/** One host and its idle connections. */
class ConnectionPool implements ConnectionOwner {
  readonly #hostname: string
  readonly #port: number
  readonly #connectTimeoutMs: number
  readonly #idle: Connection[] = []
  readonly #allIdle: IdleCount
  readonly #isForbidden: (address: string) => boolean

  constructor(
    hostname: string,
    port: number,
    connectTimeoutMs: number,
    allIdle: IdleCount,
    isForbidden: (address: string) => boolean,
  ) {
    this.#isForbidden = isForbidden
    this.#allIdle = allIdle
    this.#hostname = hostname
    this.#port = port
    this.#connectTimeoutMs = connectTimeoutMs
  }

  /** Takes the connection used last: the upstream is least likely to have closed it, and the others may time out. */
  take(): Connection | undefined {
    const connection = this.#idle.pop()
    if (connection) this.#allIdle.count--
    return connection
  }

  release(connection: Connection): void {
    if (this.#allIdle.count < this.#allIdle.max) {
      this.#allIdle.count++
      this.#idle.push(connection)
    } else connection.cancel()
  }

  closed(connection: Connection): void {
    const index = this.#idle.lastIndexOf(connection)
    if (index === -1) return
    this.#idle.splice(index, 1)
    this.#allIdle.count--
  }

  open(cancel: Cancel): Promise<Connection> {
    const connection = new Connection(this)
    return new Promise((resolve, reject) => {
      // Bun cannot cancel connecting; a connection that is no longer awaited is closed when it is there.
      let isAwaited = true
      const giveUp = (error: Error) => {
        isAwaited = false
        clearTimeout(timer)
        reject(error)
      }
      const timer = setTimeout(() => giveUp(new ConnectTimeout('Connecting timed out.')), this.#connectTimeoutMs)
      cancel.target = { cancel: () => giveUp(new ConnectionClosed('Cancelled while connecting.')) }
      Bun.connect({ hostname: this.#hostname, port: this.#port, socket: HANDLERS, data: connection }).then((socket) => {
        clearTimeout(timer)
        // A name is known by where it leads: neither the configuration nor a resolver has the last word.
        const isForbidden = this.#isForbidden(socket.remoteAddress)
        if (isForbidden || !isAwaited) socket.terminate()
        if (isForbidden) reject(new MetadataHost('The host leads to a metadata service.'))
        else resolve(connection)
      }, giveUp)
    })
  }
}

const HANDLERS: SocketHandler<Connection> = {
  binaryType: 'buffer',
  open(socket: Socket<Connection>) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.data.onOpen(socket)
  },
  data: (socket, bytes) => socket.data.onData(bytes),
  drain: (socket) => socket.data.onDrain(),
  close: (socket, error) => socket.data.onClose(error),
  // Reported by `close`, or by the promise of `connect`.
  error: () => {},
  connectError: () => {},
  timeout: (socket) => socket.data.onTimeout(),
}

/** `address`: `http://host:port`, without a path. `isOnce`: over a new connection, so that the request is never sent again. */
export type HttpClient = (
  address: string,
  request: Pieces,
  cancel: Cancel,
  isOnce?: boolean,
  observer?: SendObserver,
) => Promise<UpstreamResponse>

function leadsToMetadata(address: string): boolean {
  const ip = parseIp(address)
  return ip !== undefined && isMetadataAddress(ip)
}

/** Hosts that have a pool: reloaded configurations may add new ones without end. */
const MAX_POOLS = 1_000

export function createHttpClient(
  now: () => number = () => performance.now(),
  connectTimeoutMs: number = CONNECT_TIMEOUT_MS,
  maxIdle: number = MAX_IDLE,
  isForbidden: (address: string) => boolean = leadsToMetadata,
): HttpClient {
  const pools = new Map<string, ConnectionPool>()
  const allIdle: IdleCount = { count: 0, max: Math.min(maxIdle, MAX_IDLE) }

  function poolOf(address: string): ConnectionPool {
    const known = pools.get(address)
    if (known) return known
    const [oldest] = pools.size >= MAX_POOLS ? pools.keys() : []
    if (oldest !== undefined) pools.delete(oldest)
    const { hostname, port } = new URL(address)
    // `URL` writes IPv6 addresses in brackets.
    const plainHost = hostname.replace(/^\[|\]$/g, '')
    const pool = new ConnectionPool(plainHost, port === '' ? 80 : Number(port), connectTimeoutMs, allIdle, isForbidden)
    pools.set(address, pool)
    return pool
  }

  return (address, request, cancel, isOnce = false, observer = undefined) =>
    new Promise((resolve, reject) => {
      const pending = new PendingRequest(poolOf(address), request, cancel, { resolve, reject, now, observer })
      if (cancel.isCancelled) pending.onError(new ConnectionClosed('Cancelled before the request was sent.'))
      else pending.begin(isOnce)
    })
}

/** Learns how a request ended before its sender does. Another promise for it would cost more than all that it notes. */
export type SendObserver = { answered(response: UpstreamResponse): void; failed(error: unknown): void }

type Callbacks = {
  resolve(response: UpstreamResponse): void
  reject(error: unknown): void
  now(): number
  observer: SendObserver | undefined
}

/** A request until its response begins. The connection calls it back: a promise for each step would cost more than the step. */
class PendingRequest implements ResponseListener {
  readonly cancel: Cancel
  readonly #pool: ConnectionPool
  readonly #request: Pieces
  readonly #callbacks: Callbacks
  /** The connection that the request was sent over, if it was taken from the pool. */
  #used: Connection | undefined
  #sentAt = 0

  constructor(pool: ConnectionPool, request: Pieces, cancel: Cancel, callbacks: Callbacks) {
    this.#pool = pool
    this.#request = request
    this.cancel = cancel
    this.#callbacks = callbacks
  }

  begin(isOnce: boolean): void {
    const used = isOnce ? undefined : this.#pool.take()
    if (used) {
      this.#used = used
      this.#sentAt = this.#callbacks.now()
      used.send(this.#request, this)
    } else this.#connect()
  }

  #connect(): void {
    this.#used = undefined
    const opening = this.#pool.open(this.cancel)
    opening.then((fresh) => fresh.send(this.#request, this)).catch((error) => this.#fail(error))
  }

  onResponse(response: UpstreamResponse): void {
    const decoded = decompressed(response)
    this.#callbacks.observer?.answered(decoded)
    this.#callbacks.resolve(decoded)
  }

  /** Upstreams may close an idle connection at the moment when a request is sent over it: the request is sent again. */
  onError(error: unknown): void {
    const isFirst = this.#used?.hasBegun === false && error instanceof ConnectionClosed
    const isStale = isFirst && this.#callbacks.now() - this.#sentAt < STALE_WITHIN_MS
    if (isStale && !this.cancel.isCancelled) this.#connect()
    else this.#fail(error)
  }

  #fail(error: unknown): void {
    this.#callbacks.observer?.failed(error)
    this.#callbacks.reject(error)
  }
}
