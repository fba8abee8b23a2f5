// A server on loopback that sends any bytes, for the tests of requests to URLs that come from outside.
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'

const fixture = (name: string) => Bun.file(join(import.meta.dir, '../fixtures', name)).text()
export const ca = await fixture('test-ca.cert.pem')
const certificate = { cert: await fixture('test-host.cert.pem'), key: await fixture('test-host.key.pem') }

export type Site = { port: number; requests: string[]; serverNames: string[] }
const open: { close(): void }[] = []

export function closeSites(): void {
  for (const server of open.splice(0)) server.close()
}

/** A server that sends these bytes, whatever HTTP says about it. */
export async function site(answer: string | ((socket: Socket) => void), secure = false): Promise<Site> {
  const seen: Site = { port: 0, requests: [], serverNames: [] }
  const sockets: Socket[] = []
  const serve = (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => {
      seen.requests.push(data.toString())
      if (secure) seen.serverNames.push(String((socket as TLSSocket).servername))
      if (typeof answer === 'string') socket.end(answer)
      else answer(socket)
    })
  }
  const server = secure ? createTlsServer(certificate, serve) : createServer(serve)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  const address = server.address()
  seen.port = typeof address === 'object' && address !== null ? address.port : 0
  return seen
}

export const head = (status: string, ...headers: string[]) => [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n')

export const ok = (body: string, headers = '') =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`
