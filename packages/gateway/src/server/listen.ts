// The listening socket: one port, plain or TLS. A renewed certificate is served by a second listener on the same port, after
// which the first stops accepting: no connection is rejected in between.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { serverUrl } from '@trivium/http/addresses/server-url.ts'
import type { AdmissionGate } from '@trivium/http/server/admission-gate.ts'
import type { ConnectionLimit } from '@trivium/http/server/connection-limit.ts'
import { HttpServer } from '@trivium/http/server/server.ts'
import { steerNewConnections } from '@trivium/http/system/steer-connections.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { ServerConfig } from '../config/sections/server.ts'
import type { App } from '../handler.ts'

/** Open connections of clients. */
export type ConnectionCount = { readonly connections: number }

export type Listener = ConnectionCount & {
  readonly url: string
  readonly port: number
  /** Requests whose responses have not been sent completely. */
  readonly pending: number
  /**
   * Loads the certificate on disk; true if it has changed. Throws, and keeps the previous one, if it is invalid. If the port is
   * shared with other processes, the previous listener stays until `retire`.
   */
  renewCertificate(): boolean
  /** Directs all new connections to the listener of this number, in the order of opening across processes. */
  steer(number: number): boolean
  retire(): void
  /** Stops accepting; running requests finish. `now`: resets their connections. */
  stop(now: boolean): Promise<void>
}

/** The number of the new listener; the previous one is 0. */
const SECOND = 1
/** Time for started handshakes to finish, and for kept-alive connections to be closed after a response. */
const RETIRE_AFTER_MS = 5_000

export type ListenOptions = {
  /** Other workers listen on the same port. */
  shared: boolean
  /** Whether connections are closed after their next response. */
  isDraining(): boolean
  ticker: Ticker
  gate: AdmissionGate
  limit: ConnectionLimit
  /** The most that responses may take in memory while they wait for clients that do not read. */
  unsentLimit(): number
  /** Reports an internal error. */
  failed(error: unknown): void
  /** Counts requests that were rejected as malformed, or whose heads never arrived. */
  malformed(): void
}

export function listen(
  host: string,
  port: number,
  tls: ServerConfig['tls'],
  app: App,
  options: ListenOptions,
): Listener {
  let certificate = tls && readCertificate(tls)
  let server = open(port, certificate)
  /** The server with the previous certificate, while it is draining. */
  let previous: HttpServer | undefined
  let retirement: ReturnType<typeof setTimeout> | undefined
  /** Servers that have stopped accepting and still have running requests. */
  const retired = new Set<HttpServer>()

  function open(port: number, certificate: Certificate | undefined): HttpServer {
    const opened: HttpServer = new HttpServer({
      hostname: host,
      port,
      // Only where needed, also to change certificates: otherwise a second start on the same port must fail.
      reusePort: options.shared || certificate !== undefined,
      tls: certificate,
      ticker: options.ticker,
      handle: app,
      gate: options.gate,
      limit: options.limit,
      unsentLimit: options.unsentLimit,
      isDraining: () => opened === previous || options.isDraining(),
      failed: options.failed,
      malformed: options.malformed,
    })
    return opened
  }

  function retire(): void {
    clearTimeout(retirement)
    const retiring = previous
    previous = undefined
    if (!retiring) return
    retired.add(retiring)
    void retiring.stop(false).finally(() => retired.delete(retiring))
  }

  const steer = (number: number) => steerNewConnections(number, server.port)
  const all = () => [server, ...(previous ? [previous] : []), ...retired]

  return {
    url: serverUrl(host, server.port, tls !== undefined),
    port: server.port,
    get connections() {
      return options.limit.size
    },
    get pending() {
      return all().reduce((sum, each) => sum + each.pending, 0)
    },
    renewCertificate() {
      const next = tls && readCertificate(tls)
      if (!next || (next.cert === certificate?.cert && next.key === certificate?.key)) return false
      checkPair(next)
      retire()
      previous = server
      server = open(previous.port, next)
      certificate = next
      if (options.shared) return true
      if (steer(SECOND)) retirement = setTimeout(retire, RETIRE_AFTER_MS)
      else retire()
      return true
    },
    steer,
    retire,
    async stop(now) {
      clearTimeout(retirement)
      await Promise.all(all().map((each) => (now ? each.stop(true) : each.drain())))
    },
  }
}

type Certificate = { cert: string; key: string }

function readCertificate({ certFile, keyFile }: { certFile: string; keyFile: string }): Certificate {
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}

/** The two files are not replaced atomically: for a moment a new certificate may be paired with the old key. */
function checkPair({ cert, key }: Certificate): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  throw new Error('the private key does not belong to the certificate')
}
