// Finds out by a TLS handshake without a request which version of HTTP a server offers.
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { CONNECT_TIMEOUT_MS } from '@trivium/http/client/errors.ts'

/** `silent`: the handshake timed out. Undefined: it failed; a request will report the reason. */
export async function offersHttp2(address: string): Promise<boolean | 'silent' | undefined> {
  const offered = await handshake(address)
  return offered === 'refused' ? undefined : offered
}

/** The server does not support TLS, or no version of ours: no request can have reached it over a new connection. */
export async function refusesTls(address: string): Promise<boolean> {
  return (await handshake(address)) === 'refused'
}

/** Whether HTTP/2 is offered; undefined: no connection, or it was closed. */
function handshake(address: string): Promise<boolean | 'refused' | 'silent' | undefined> {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: port === '' ? 443 : Number(port),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ['h2', 'http/1.1'],
      // This connection carries no data. Those that carry requests check certificates.
      rejectUnauthorized: false,
    })
    socket.unref()
    const end = (offered: boolean | 'refused' | 'silent' | undefined) => {
      clearTimeout(timer)
      resolve(offered)
      // An orderly close keeps errors out of the server's log.
      if (typeof offered === 'boolean') socket.end(() => socket.destroy())
      else socket.destroy()
    }
    const timer = setTimeout(() => end('silent'), CONNECT_TIMEOUT_MS)
    timer.unref()
    socket.once('secureConnect', () => end(socket.alpnProtocol === 'h2'))
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      end(code.startsWith('ERR_SSL') ? 'refused' : undefined),
    )
    socket.once('close', () => end(undefined))
  })
}
