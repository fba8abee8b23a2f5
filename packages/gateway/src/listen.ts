// The listening socket: plain or TLS, one port. A renewed certificate is taken up by a second listener on the same port,
// after which the first stops accepting: nobody is refused in between.
import { readFileSync } from 'node:fs'
import type { App } from './app.ts'
import type { ServerConfig } from './config/types.ts'

export type Listener = {
  readonly url: string
  readonly port: number
  /** Takes up the certificate that is on disk now; true if it is another one. */
  renewCertificate(): boolean
  /** Stops accepting; what runs goes on. `now`: closes what runs, too. */
  stop(now: boolean): Promise<void>
}

/** Longer than the balancers in front usually keep theirs, so that it is they who close. */
const IDLE_SECONDS = 75
/** Bodies are limited by us, byte by byte and in the caller's dialect; this only keeps Bun's own limit out of the way. */
const FAR_ABOVE = 1024 * 1024 * 1024

export function listen(host: string, port: number, tls: ServerConfig['tls'], app: App): Listener {
  let certificate = tls && readCertificate(tls)
  let server = open(port, certificate)

  function open(port: number, certificate: Certificate | undefined) {
    return Bun.serve({
      hostname: host,
      port,
      // Only needed to change certificates; without it a second start on the same port fails, as it should.
      reusePort: certificate !== undefined,
      // For connections that send nothing; a request under way has limits of its own.
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: FAR_ABOVE,
      ...(certificate ? { tls: certificate } : {}),
      fetch(http, server) {
        server.timeout(http, 0)
        return app(http)
      },
      error: () => new Response(null, { status: 500 }),
    })
  }

  return {
    url: `${tls ? 'https' : 'http'}://${urlHost(host)}:${server.port}`,
    port: server.port ?? port,
    renewCertificate() {
      const next = tls && readCertificate(tls)
      if (!next || (next.cert === certificate?.cert && next.key === certificate?.key)) return false
      const former = server
      server = open(former.port ?? port, next)
      certificate = next
      void former.stop(false)
      return true
    },
    stop: (now) => server.stop(now),
  }
}

type Certificate = { cert: string; key: string }

function readCertificate({ certFile, keyFile }: { certFile: string; keyFile: string }): Certificate {
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}

/** An address that can be pasted: 0.0.0.0 is no place to go to, and IPv6 needs brackets. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
