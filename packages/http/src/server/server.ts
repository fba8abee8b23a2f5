// HTTP/1.1 for clients, plain or over TLS: docs/decisions/0012 tells why it is not left to Bun.
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
  /** Others may listen on the same port, too. */
  reusePort: boolean
  tls: { cert: string; key: string } | undefined
  ticker: Ticker
  handle: Handler
  /** Absent: everybody is let in. */
  gate?: AdmissionGate
  /** Shared by all listeners of a process. Absent: there is none. */
  limit?: ConnectionLimit
  /** Whether clients are asked to go elsewhere with their next request. */
  isDraining(): boolean
  /** Told of what should not be possible; the connection is closed then. */
  failed(error: unknown): void
  /** Told of requests that were rejected as no HTTP, or never came to be one. */
  malformed?(): void
}

/** Connections that do not work any more are found out, also while nothing is sent. */
const PROBE_MS = 60_000
/** The versions that are spoken over TLS, each with its length before it. Whoever offers only others is not let in. */
const ALPN = '\x08http/1.1\x08http/1.0'
/** Of the event loop. Where there is much to do, a turn is long, many come in one, and each looks at 1,024 connections. */
const LAST_TURNS = 8
/** Between two looks at all connections. */
const LOOK_MS = 1_000

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
  #date = dateLine()
  #lookedAt = 0
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
    const secure = tls ? { tls: { ...tls, ALPNProtocols: ALPN } } : {}
    // Bun listens as told by `reusePort`, its types know of it for calls only.
    const shared: object = { reusePort }
    this.#listener = Bun.listen<Connection>({ hostname, port, ...shared, ...secure, socket: this.#handlers() })
    growBacklog(this.#listener)
    ticker.add(this)
  }

  get port(): number {
    return this.#listener.port
  }

  /** Requests whose answers have not left entirely. */
  get pending(): number {
    let busy = 0
    for (const connection of this.#connections) if (connection.isBusy) busy++
    return busy
  }

  /** Stops accepting; what runs goes on, and the last connection ends with it. `now`: whatever runs is cut off. */
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

  /** The same when those who have come by now are accepted, and what they have sent is read: they are answered. */
  async drain(): Promise<void> {
    if (!this.#isStopped) shrinkBacklog(this.#listener)
    for (let turn = 0; turn < LAST_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
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
    if (now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    this.#date = dateLine()
    for (const connection of this.#connections) this.#tick(connection, now)
  }

  #tick(connection: Connection, now: number): void {
    try {
      connection.tick(now)
    } catch (error) {
      // The timeouts of all other connections come after it.
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
      // With this, Bun tells of a connection before its handshake: one that never comes to an end is cut off like any other.
      handshake: () => {},
      data: (socket, bytes) => socket.data.received(bytes),
      drain: (socket) => socket.data.drained(),
      close: (socket) => socket.data.ended(),
      // What was thrown by the functions above. Nobody knows what the connection would do next.
      error: (socket, error) => {
        this.failed(error)
        socket.terminate()
      },
    }
  }
}

const dateLine = () => `date: ${new Date().toUTCString()}\r\n`
