// A client on a plain socket that reads a number of bytes of a response and disconnects.
import { connect } from 'node:net'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { bodyIn, type CallOptions, headersIn, pathIn } from '../test/support/requests/dialect-calls.ts'

export type Disconnected = { received: string; bytes: number; leftAt: number; ended: boolean }

/** Disconnects after `offset` bytes; with an offset of 0, as soon as `mayLeave` resolves. */
export function readAndDisconnect(
  origin: string,
  {
    dialect,
    secret,
    calling,
    offset,
  }: { dialect: TextDialectId; secret: string; calling: CallOptions; offset: number },
  mayLeave: () => Promise<unknown>,
): Promise<Disconnected> {
  const { hostname, port } = new URL(origin)
  const body = JSON.stringify(bodyIn(dialect, calling))
  const headers = {
    host: 'x',
    connection: 'close',
    ...headersIn(dialect, secret),
    'content-length': String(Buffer.byteLength(body)),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const parts: Buffer[] = []
    let bytes = 0
    const leave = (ended: boolean) => {
      socket.removeAllListeners('data').destroy()
      resolve({ received: Buffer.concat(parts).toString(), bytes, leftAt: performance.now(), ended })
    }
    socket.on('error', () => leave(true))
    socket.on('end', () => leave(true))
    socket.on('data', (chunk) => {
      parts.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes >= offset) leave(false)
    })
    socket.write(`POST ${pathIn(dialect, calling)} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    if (offset === 0) void mayLeave().then(() => leave(false))
  })
}
