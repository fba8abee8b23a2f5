// A TLS upstream that writes single HTTP/2 frames: it may offer HTTP/2 or not, and violate it in any way.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { reply } from './raw-upstream.ts'

const FIXTURES = join(import.meta.dir, '../../../packages/gateway/fixtures')
/** The value of NODE_EXTRA_CA_CERTS with which a gateway trusts it. */
export const TRUSTED = join(FIXTURES, 'localhost.cert.pem')

const [DATA, HEADERS, RESET, SETTINGS, GOAWAY, WINDOW] = [0, 1, 3, 4, 7, 8]
const [END_STREAM, END_HEADERS, ACK] = [1, 4, 1]
const PREFACE_BYTES = 24

/** Codes of RST_STREAM and GOAWAY. */
export const CODES = { none: 0, internal: 2, refused: 7, cancel: 8, calm: 11, http1Required: 13 } as const

/** A complete request over HTTP/2, and ways to respond. */
export type Call = {
  id: number
  body: string
  /** The connection's number, from 1. */
  connection: number
  /** Status 200, of this type. */
  head(type: string): void
  data(text: string, end?: boolean): void
  reset(code: number): void
  goaway(last: number, code: number): void
  /** Ends the connection. */
  close(): void
}

export type Play = (call: Call) => void

export type Http2Upstream = {
  url: string
  /** Requests by version, connections by what was agreed on, and resets by the gateway. */
  seen: { http1: number; http2: number; connections1: number; connections2: number; resets: number[] }
  behave(next: Play): void
  stop(): void
}

export type Http2Options = { offers?: string[]; maxStreams?: number }

export async function startHttp2Upstream(options: Http2Options = {}): Promise<Http2Upstream> {
  const { offers = ['h2', 'http/1.1'], maxStreams = 100 } = options
  const seen = { http1: 0, http2: 0, connections1: 0, connections2: 0, resets: [] as number[] }
  const sockets = new Set<TLSSocket>()
  let play: Play = json()
  const [cert, key] = ['cert', 'key'].map((part) => readFileSync(join(FIXTURES, `localhost.${part}.pem`)))
  const server = createServer({ cert, key, ALPNProtocols: offers }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    if (socket.alpnProtocol !== 'h2') {
      seen.connections1++
      answerHttp1(socket, () => seen.http1++)
      return
    }
    const connection = ++seen.connections2
    socket.write(frame(SETTINGS, 0, 0, setting(3, maxStreams)))
    const bodies = new Map<number, string>()
    eachFrame(socket, (type, flags, id, payload) => {
      if (type === SETTINGS && !(flags & ACK)) socket.write(frame(SETTINGS, ACK, 0))
      if (type === RESET) seen.resets.push(payload.readUInt32BE(0))
      if (type !== HEADERS && type !== DATA) return
      if (type === DATA && payload.length > 0) {
        bodies.set(id, (bodies.get(id) ?? '') + payload.toString())
        socket.write(
          Buffer.concat([frame(WINDOW, 0, 0, u32(payload.length)), frame(WINDOW, 0, id, u32(payload.length))]),
        )
      }
      if (!(flags & END_STREAM)) return
      seen.http2++
      play(callOver(socket, { id, connection, body: bodies.get(id) ?? '' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `https://localhost:${typeof address === 'object' && address ? address.port : 0}/v1`,
    seen,
    behave(next) {
      play = next
    },
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Responds with an unstreamed reply. */
export function json(): Play {
  return (call) => {
    call.head('application/json')
    call.data(JSON.stringify(reply()), true)
  }
}

/** Streams these events; `end`: with a proper end. */
export function events(texts: readonly string[], end = true): Play {
  return (call) => {
    call.head('text/event-stream')
    for (const text of texts) call.data(text)
    if (end) call.data('', true)
  }
}

function callOver(socket: TLSSocket, call: Pick<Call, 'id' | 'connection' | 'body'>): Call {
  const { id } = call
  return {
    ...call,
    // `:status 200` and `content-type` by their indexes in the static table, then the value as a literal.
    head: (type) =>
      void socket.write(frame(HEADERS, END_HEADERS, id, [0x88, 0x0f, 0x10, type.length, ...Buffer.from(type)])),
    data: (text, end = false) => void socket.write(frame(DATA, end ? END_STREAM : 0, id, Buffer.from(text))),
    reset: (code) => void socket.write(frame(RESET, 0, id, u32(code))),
    goaway: (last, code) => void socket.write(frame(GOAWAY, 0, 0, Buffer.concat([u32(last), u32(code)]))),
    close: () => void socket.end(),
  }
}

function eachFrame(socket: TLSSocket, on: (type: number, flags: number, id: number, payload: Buffer) => void): void {
  let bytes = Buffer.alloc(0)
  let skip = PREFACE_BYTES
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.length < skip) return
    bytes = bytes.subarray(skip)
    skip = 0
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const end = 9 + bytes.readUIntBE(0, 3)
      const [type = 0, flags = 0] = bytes.subarray(3, 5)
      const [id, payload] = [bytes.readUInt32BE(5), bytes.subarray(9, end)]
      bytes = bytes.subarray(end)
      on(type, flags, id, payload)
    }
  })
}

/** Responds to HTTP/1.1 requests one after the other. */
function answerHttp1(socket: TLSSocket, onRequest: () => void): void {
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const [head = '', body] = text.split('\r\n\r\n', 2)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (body === undefined || body.length < length) return
    text = ''
    onRequest()
    const answer = JSON.stringify(reply())
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`,
    )
  })
}

function frame(type = 0, flags = 0, id = 0, payload: Uint8Array | readonly number[] = []): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.set([type, flags], 3)
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, Uint8Array.from(payload)])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const setting = (name: number, value: number): Buffer => Buffer.concat([Uint8Array.of(0, name), u32(value)])
