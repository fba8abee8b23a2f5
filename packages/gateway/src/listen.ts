// The listening socket: plain or TLS, one port. A renewed certificate is taken up by a second listener on the same port,
// after which the first stops accepting: nobody is refused in between.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AdmissionGate } from '@trivium/http/server/admission-gate.ts'
import type { ConnectionLimit } from '@trivium/http/server/connection-limit.ts'
import { HttpServer } from '@trivium/http/server/server.ts'
import { steerNewConnections } from '@trivium/http/system/steer-connections.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { App } from './app.ts'
import type { ServerConfig } from './config/types.ts'

export type Listener = {
  readonly url: string
  readonly port: number
  /** Requests whose answers have not left entirely. */
  readonly pending: number
  /**
   * Takes up the certificate that is on disk now; true if it is another one. Throws, and keeps the former, if it cannot
   * serve. Where the port is shared with other processes, the former listener stays until `retire`.
   */
  renewCertificate(): boolean
  /** The listener of this number, in the order of their opening in all processes, gets all new connections. */
  steer(number: number): boolean
  retire(): void
  /** Stops accepting; what runs goes on. `now`: closes what runs, too. */
  stop(now: boolean): Promise<void>
}

/** Of the two listeners on the port, the first being the former. */
const SECOND = 1
/** Handshakes that have begun are finished by then, and whoever keeps a connection has used it once more. */
const GOODBYE_MS = 5_000

export type ListenOptions = {
  /** Other processes of ours listen there, too. */
  shared: boolean
  /** Whether clients are asked to go elsewhere with their next request. */
  isDraining(): boolean
  ticker: Ticker
  gate: AdmissionGate
  limit: ConnectionLimit
  /** Told of what should not be possible. */
  failed(error: unknown): void
  /** Told of requests that were rejected as no HTTP, or never came to be one. */
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
  /** The one before the certificate was renewed, while it has connections; they are asked to leave. */
  let former: HttpServer | undefined
  let retirement: ReturnType<typeof setTimeout> | undefined
  /** Retired, with answers still under way. */
  const retired = new Set<HttpServer>()

  function open(port: number, certificate: Certificate | undefined): HttpServer {
    const opened: HttpServer = new HttpServer({
      hostname: host,
      port,
      // Only where it is needed, also to change certificates: without it a second start on the same port fails, as it should.
      reusePort: options.shared || certificate !== undefined,
      tls: certificate,
      ticker: options.ticker,
      handle: app,
      gate: options.gate,
      limit: options.limit,
      isDraining: () => opened === former || options.isDraining(),
      failed: options.failed,
      malformed: options.malformed,
    })
    return opened
  }

  /** Connections that are idle when a listener stops are closed: by then there should be none. */
  function retire(): void {
    clearTimeout(retirement)
    const leaving = former
    former = undefined
    if (!leaving) return
    retired.add(leaving)
    void leaving.stop(false).finally(() => retired.delete(leaving))
  }

  const steer = (number: number) => steerNewConnections(number, server.port)
  const all = () => [server, ...(former ? [former] : []), ...retired]

  return {
    url: `${tls ? 'https' : 'http'}://${urlHost(host)}:${server.port}`,
    port: server.port,
    get pending() {
      return all().reduce((sum, each) => sum + each.pending, 0)
    },
    renewCertificate() {
      const next = tls && readCertificate(tls)
      if (!next || (next.cert === certificate?.cert && next.key === certificate?.key)) return false
      checkPair(next)
      retire()
      former = server
      server = open(former.port, next)
      certificate = next
      if (options.shared) return true
      if (steer(SECOND)) retirement = setTimeout(retire, GOODBYE_MS)
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

/** Two files are not replaced at one instant: for a moment the new certificate may stand beside the old key. */
function checkPair({ cert, key }: Certificate): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  throw new Error('the private key does not belong to the certificate')
}

/** An address that can be pasted: 0.0.0.0 is no place to go to, and IPv6 needs brackets. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
