// HTTP/1.1 server, plain or over TLS. docs/decisions/0012 explains why Bun's own server is not used.
import type { Socket, SocketHandler } from 'bun'
import { growBacklog, shrinkBacklog } from '../system/backlog.ts'
import { type Ticker, Ticking } from '../ticker.ts'
import { ADMIT_ALL, type AdmissionGate } from './admission-gate.ts'
import { Connection } from './connection.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import type { Handler, ServerContext } from './server-context.ts'

export type ServerOptions = {
  hostname: string
  port: number
  /** Other processes may listen on the same port. */
  reusePort: boolean
  tls: { cert: string; key: string } | undefined
  ticker: Ticker
  handle: Handler
  /** Default: all requests are admitted. */
  gate?: AdmissionGate
  /** Shared by all listeners of a process. Default: no limit. */
  limit?: ConnectionLimit
  /** The most that responses may take in memory while they wait for clients that do not read. Default: no limit. */
  unsentLimit?(): number
  /** Whether connections are closed after their next response. */
  isDraining(): boolean
  /** Reports an internal error; its connection is closed. */
  failed(error: unknown): void
  /** Counts requests that were rejected as malformed, or whose heads never arrived. */
  malformed?(): void
}

/** Interval of TCP keep-alive probes, which detect dead connections while nothing is sent. */
const PROBE_MS = 60_000
/** ALPN protocols, each preceded by its length. Clients that offer none of them fail the handshake. */
const ALPN = '\x08http/1.1\x08http/1.0'
/** Event loop iterations before a drained listener closes. Each accepts up to 1,024 connections. */
const DRAIN_ITERATIONS = 8
/** Interval between two checks of all connections for timeouts. */
const CHECK_MS = 1_000
/** A client that reads makes progress from one check to the next. */
const UNREAD_MS = 2 * CHECK_MS

export class HttpServer extends Ticking implements ServerContext<Connection> {
  readonly handle: Handler
  readonly gate: AdmissionGate
  readonly failed: (error: unknown) => void
  readonly malformed: () => void
  readonly #connections = new Set<Connection>()
  readonly #listener: Bun.TCPSocketListener<Connection>
  readonly #ticker: Ticker
  readonly #isLeaving: () => boolean
  readonly #limit: ConnectionLimit | undefined
  readonly #unsentLimit: () => number
  #date = dateLine()
  #checkedAt = 0
  #isStopped = false
  #stopped: PromiseWithResolvers<void> | undefined

  constructor(options: ServerOptions) {
    super()
    const {
      hostname,
      port,
      reusePort,
      tls,
      ticker,
      handle,
      gate: door,
      limit,
      unsentLimit,
      isDraining: isLeaving,
      failed,
      malformed,
    } = options
    this.handle = handle
    this.gate = door ?? ADMIT_ALL
    this.failed = failed
    this.malformed = malformed ?? (() => {})
    this.#ticker = ticker
    this.#isLeaving = isLeaving
    this.#limit = limit
    this.#unsentLimit = unsentLimit ?? (() => Number.POSITIVE_INFINITY)
    const secure = tls ? { tls: { ...tls, ALPNProtocols: ALPN } } : {}
    // `Bun.listen` supports `reusePort`, but its types do not declare it.
    const shared: object = { reusePort }
    this.#listener = Bun.listen<Connection>({ hostname, port, ...shared, ...secure, socket: this.#handlers() })
    growBacklog(this.#listener)
    ticker.add(this)
  }

  get port(): number {
    return this.#listener.port
  }

  /** Requests whose responses have not been sent completely. */
  get pending(): number {
    let busy = 0
    for (const connection of this.#connections) if (connection.isBusy) busy++
    return busy
  }

  /** Stops accepting and resolves when the last request has ended. `now`: resets all connections. */
  stop(now: boolean): Promise<void> {
    this.#isStopped = true
    this.#listener.stop(false)
    for (const connection of this.#connections) {
      if (now) connection.cut()
      else connection.closeIfIdle()
    }
    this.#stopped ??= Promise.withResolvers<void>()
    this.#endIfDone()
    return this.#stopped.promise
  }

  /** Stops after accepting pending connections and reading what they have sent: those requests are answered. */
  async drain(): Promise<void> {
    if (!this.#isStopped) shrinkBacklog(this.#listener)
    for (let iteration = 0; iteration < DRAIN_ITERATIONS; iteration++)
      await new Promise((resolve) => setImmediate(resolve))
    await this.stop(false)
  }

  now(): number {
    return this.#ticker.now()
  }

  date(): string {
    return this.#date
  }

  isDraining(): boolean {
    return this.#isStopped || this.#isLeaving()
  }

  isStopping(): boolean {
    return this.#isStopped
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection)
    this.#limit?.remove(connection)
    this.#endIfDone()
  }

  tick(now: number): void {
    if (now - this.#checkedAt < CHECK_MS) return
    this.#checkedAt = now
    this.#date = dateLine()
    let unsent = 0
    for (const connection of this.#connections) {
      this.#tick(connection, now)
      unsent += connection.unsentBytes
    }
    const excess = unsent - this.#unsentLimit()
    if (excess > 0) this.#cutUnread(now, excess)
  }

  /** Frees so much memory, if clients that do not read have it: the largest responses first. */
  #cutUnread(now: number, excess: number): void {
    const unread = [...this.#connections].filter(({ stalledSince = now }) => now - stalledSince >= UNREAD_MS)
    let left = excess
    for (const connection of unread.sort((one, other) => other.unsentBytes - one.unsentBytes)) {
      if (left <= 0) return
      left -= connection.unsentBytes
      connection.cut()
    }
  }

  #tick(connection: Connection, now: number): void {
    try {
      connection.tick(now)
    } catch (error) {
      // An error must not keep the remaining connections from being checked.
      this.failed(error)
      connection.cut()
    }
  }

  #endIfDone(): void {
    if (!this.#isStopped || this.#connections.size > 0) return
    this.#ticker.remove(this)
    this.#stopped?.resolve()
  }

  #handlers(): SocketHandler<Connection> {
    return {
      binaryType: 'buffer',
      open: (socket: Socket<Connection>) => {
        socket.setNoDelay(true)
        socket.setKeepAlive(true, PROBE_MS)
        const connection = new Connection(this, socket)
        socket.data = connection
        this.#connections.add(connection)
        if (this.#limit?.add(connection, connection.address()) === false) connection.cut()
      },
      // With this handler Bun reports connections before their TLS handshake, so a stalled handshake times out, too.
      handshake: () => {},
      data: (socket, bytes) => socket.data.received(bytes),
      drain: (socket) => socket.data.drained(),
      close: (socket) => socket.data.ended(),
      // Errors thrown by the handlers above leave the connection in an unknown state.
      error: (socket, error) => {
        this.failed(error)
        socket.terminate()
      },
    }
  }
}

const dateLine = () => `date: ${new Date().toUTCString()}\r\n`
