// The listening socket: plain or TLS, one port. A renewed certificate is taken up by a second listener on the same port,
// after which the first stops accepting: nobody is refused in between.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { App } from './app.ts'
import type { ServerConfig } from './config/types.ts'
import { giveNewConnectionsTo } from './http/steer.ts'
import type { Connection } from './journey/journey.ts'

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

/** Longer than the balancers in front usually keep theirs, so that it is they who close. */
const IDLE_SECONDS = 75
/** Bodies are limited by us, byte by byte and in the caller's dialect; this only keeps Bun's own limit out of the way. */
const FAR_ABOVE = 1024 * 1024 * 1024
/** Of the two listeners on the port, the first being the former. */
const SECOND = 1
/** Handshakes that have begun are finished by then, and whoever keeps a connection has used it once more. */
const GOODBYE_MS = 5_000

export type Manners = {
  /** Other processes of ours listen there, too. */
  shared: boolean
  /** Whether clients are asked to go elsewhere with their next request. */
  leaving(): boolean
}

export function listen(host: string, port: number, tls: ServerConfig['tls'], app: App, manners: Manners): Listener {
  let certificate = tls && readCertificate(tls)
  let server: Server = open(port, certificate)
  /** The one before the certificate was renewed, while it has connections; they are asked to leave. */
  let former: Server | undefined
  let retirement: ReturnType<typeof setTimeout> | undefined
  /** Retired, with answers still under way. */
  const retired = new Set<Server>()

  function open(port: number, certificate: Certificate | undefined): Server {
    return Bun.serve({
      hostname: host,
      port,
      // Only where it is needed, also to change certificates: without it a second start on the same port fails, as it should.
      reusePort: manners.shared || certificate !== undefined,
      // For connections that send nothing; a request under way has limits of its own.
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: FAR_ABOVE,
      ...(certificate ? { tls: certificate } : {}),
      fetch(http, server) {
        const answer = app(http, new OpenConnection(server, http))
        return server === former || manners.leaving() ? sayGoodbye(answer) : answer
      },
      error: () => new Response(null, { status: 500 }),
    })
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

  const steer = (number: number) => giveNewConnectionsTo(number, server.port ?? port)
  const all = () => [server, ...(former ? [former] : []), ...retired]

  return {
    url: `${tls ? 'https' : 'http'}://${urlHost(host)}:${server.port}`,
    port: server.port ?? port,
    get pending() {
      return all().reduce((sum, each) => sum + each.pendingRequests, 0)
    },
    renewCertificate() {
      const next = tls && readCertificate(tls)
      if (!next || (next.cert === certificate?.cert && next.key === certificate?.key)) return false
      checkPair(next)
      retire()
      former = server
      server = open(former.port ?? port, next)
      certificate = next
      if (manners.shared) return true
      if (steer(SECOND)) retirement = setTimeout(retire, GOODBYE_MS)
      else retire()
      return true
    },
    steer,
    retire,
    async stop(now) {
      clearTimeout(retirement)
      await Promise.all(all().map((each) => each.stop(now)))
    },
  }
}

/** A class and not closures: one is made for every request, and few ask it anything. */
class OpenConnection implements Connection {
  readonly #server: Server
  readonly #http: Request

  constructor(server: Server, http: Request) {
    this.#server = server
    this.#http = http
  }

  keepOpen(): void {
    this.#server.timeout(this.#http, 0)
  }

  address(): string {
    return this.#server.requestIP(this.#http)?.address ?? ''
  }
}

async function sayGoodbye(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  response.headers.set('connection', 'close')
  return response
}

type Server = Bun.Server<undefined>
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
