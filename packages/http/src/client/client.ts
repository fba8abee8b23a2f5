// HTTP/1.1 to upstreams without TLS, over connections that are kept: docs/decisions/0011 tells why it is not left to Bun.

import type { Socket, SocketHandler } from 'bun'
import type { Cancel } from '../cancel.ts'
import { Connection, type ConnectionOwner, type ResponseListener } from './connection.ts'
import { CONNECT_TIMEOUT_MS, ConnectionClosed, ConnectTimeout } from './errors.ts'
import type { Pieces } from './request-writer.ts'
import { decompressed, type UpstreamResponse } from './upstream-response.ts'

/** A connection that the upstream had closed already shows within a round trip; later, the upstream was at work. */
const STALE_WITHIN_MS = 1_000
/**
 * Of connections that wait for their next request, to all hosts together. More than may run at once (`in_flight`): under load whoever
 * finds none has to open one, which costs more than the rest of a short call.
 */
const MAX_IDLE = 8_192
/** A closed connection that does not work is found out, also while nothing is sent. */
const KEEP_ALIVE_MS = 60_000

/** How many connections wait at all hosts together, and how many may. */
type IdleCount = { count: number; readonly most: number }

/** A host, and the connections to it that nobody uses at the moment. */
class ConnectionPool implements ConnectionOwner {
  readonly #hostname: string
  readonly #port: number
  readonly #connectWithinMs: number
  readonly #idle: Connection[] = []
  readonly #allIdle: IdleCount

  constructor(hostname: string, port: number, connectWithinMs: number, allIdle: IdleCount) {
    this.#allIdle = allIdle
    this.#hostname = hostname
    this.#port = port
    this.#connectWithinMs = connectWithinMs
  }

  /** The one used last: it is the least likely to have been closed meanwhile, and the others may get old and go. */
  take(): Connection | undefined {
    const connection = this.#idle.pop()
    if (connection) this.#allIdle.count--
    return connection
  }

  release(connection: Connection): void {
    if (this.#allIdle.count < this.#allIdle.most) {
      this.#allIdle.count++
      this.#idle.push(connection)
    } else connection.cancel()
  }

  closed(connection: Connection): void {
    const place = this.#idle.lastIndexOf(connection)
    if (place === -1) return
    this.#idle.splice(place, 1)
    this.#allIdle.count--
  }

  open(cancel: Cancel): Promise<Connection> {
    const connection = new Connection(this)
    return new Promise((resolve, reject) => {
      // Connecting cannot be called off, but nobody has to wait for it.
      let isAwaited = true
      const giveUp = (error: Error) => {
        isAwaited = false
        clearTimeout(timer)
        reject(error)
      }
      const timer = setTimeout(() => giveUp(new ConnectTimeout('No connection in time.')), this.#connectWithinMs)
      cancel.target = { cancel: () => giveUp(new ConnectionClosed('Given up while connecting.')) }
      Bun.connect({ hostname: this.#hostname, port: this.#port, socket: HANDLERS, data: connection }).then((socket) => {
        clearTimeout(timer)
        if (isAwaited) resolve(connection)
        else socket.terminate()
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
  // What follows is `close`, or the promise of `connect` has told already.
  error: () => {},
  connectError: () => {},
  timeout: (socket) => socket.data.onTimeout(),
}

/** `address` is up to and without the path: `http://host:port`. */
export type HttpClient = (address: string, request: Pieces, cancel: Cancel) => Promise<UpstreamResponse>

/** Of addresses that are remembered: reloaded configurations may bring ever new ones. */
const MAX_POOLS = 1_000

export function createHttpClient(
  now: () => number = () => performance.now(),
  connectWithinMs: number = CONNECT_TIMEOUT_MS,
  mostIdle: number = MAX_IDLE,
): HttpClient {
  const origins = new Map<string, ConnectionPool>()
  const allIdle: IdleCount = { count: 0, most: Math.min(mostIdle, MAX_IDLE) }

  function originOf(address: string): ConnectionPool {
    const known = origins.get(address)
    if (known) return known
    const [oldest] = origins.size >= MAX_POOLS ? origins.keys() : []
    if (oldest !== undefined) origins.delete(oldest)
    const { hostname, port } = new URL(address)
    // An address of version 6 stands in brackets there.
    const plainHost = hostname.replace(/^\[|\]$/g, '')
    const origin = new ConnectionPool(plainHost, port === '' ? 80 : Number(port), connectWithinMs, allIdle)
    origins.set(address, origin)
    return origin
  }

  return (address, request, cancel) =>
    new Promise((resolve, reject) => {
      if (cancel.isCancelled) reject(new ConnectionClosed('Given up before it was sent.'))
      else new PendingRequest(originOf(address), request, cancel, { resolve, reject, now }).begin()
    })
}

type Callbacks = { resolve(reply: UpstreamResponse): void; reject(error: unknown): void; now(): number }

/** A request until its reply begins. Told by its connection how it goes: a promise for each step costs more than the step. */
class PendingRequest implements ResponseListener {
  readonly cancel: Cancel
  readonly #origin: ConnectionPool
  readonly #request: Pieces
  readonly #told: Callbacks
  /** The connection that it was sent over, if others were before. */
  #used: Connection | undefined
  #sentAt = 0

  constructor(origin: ConnectionPool, request: Pieces, cancel: Cancel, told: Callbacks) {
    this.#origin = origin
    this.#request = request
    this.cancel = cancel
    this.#told = told
  }

  begin(): void {
    const used = this.#origin.take()
    if (used) {
      this.#used = used
      this.#sentAt = this.#told.now()
      used.send(this.#request, this)
    } else this.#connect()
  }

  #connect(): void {
    this.#used = undefined
    const opening = this.#origin.open(this.cancel)
    opening.then((fresh) => fresh.send(this.#request, this)).catch(this.#told.reject)
  }

  onResponse(reply: UpstreamResponse): void {
    this.#told.resolve(decompressed(reply))
  }

  /** Upstreams close idle connections whenever they like, also at the moment when a request is under way to them. */
  onError(error: unknown): void {
    const isFirst = this.#used?.hasBegun === false && error instanceof ConnectionClosed
    const isStale = isFirst && this.#told.now() - this.#sentAt < STALE_WITHIN_MS
    if (isStale && !this.cancel.isCancelled) this.#connect()
    else this.#told.reject(error)
  }
}
