// An upstream on plain sockets: it records every byte that the gateway sends, and can send any bytes.
import { createServer, type Socket } from 'node:net'

export type Received = {
  /** The request line and the headers as received. */
  head: string
  headers: Record<string, string>
  body: Buffer
}

export type Behaviour = (socket: Socket, request: Received) => void | Promise<void>

export type Upstream = {
  url: string
  /** All requests so far. */
  received: Received[]
  last(): Received
  /** Sets the response to the next requests. */
  behave(next: Behaviour): void
  /** How many connections were opened so far, and are open now. */
  connections(): { opened: number; open: number }
  /** Resolves as soon as the connection of the last request is closed. */
  connectionClosed(): Promise<void>
  /** Closes all connections; new ones are accepted. */
  disconnect(): void
  stop(): void
}

/** `port`: 0 is any free one. */
export async function startUpstream(behaviour: Behaviour = respondWith(reply()), port = 0): Promise<Upstream> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let lastClosed = Promise.resolve()
  let current = behaviour
  let opened = 0
  const server = createServer((socket) => {
    opened++
    sockets.add(socket)
    let buffer = Buffer.alloc(0)
    socket.on('error', () => {})
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    void closed.then(() => sockets.delete(socket))
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, Buffer.from(chunk)])
      const request = parse(buffer)
      if (!request) return
      buffer = Buffer.alloc(0)
      // `upstream list` and `doctor` probe this path; that is not counted as a request.
      if (/^GET \S+\/models /.test(request.head)) return void respondWith(MODELS)(socket, request)
      received.push(request)
      lastClosed = closed
      void current(socket, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : 0
  const disconnect = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${bound}/v1`,
    received,
    last() {
      const request = received.at(-1)
      if (!request) throw new Error('the upstream has received nothing')
      return request
    },
    behave(next) {
      current = next
    },
    connections: () => ({ opened, open: sockets.size }),
    connectionClosed: () => lastClosed,
    disconnect,
    stop() {
      disconnect()
      server.close()
    },
  }
}

/** Undefined while the request is not complete. */
function parse(bytes: Buffer): Received | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.subarray(0, end).toString('latin1')
  const lines = head.split('\r\n').slice(1)
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = bytes.subarray(end + 4)
  const length = Number(headers['content-length'] ?? 0)
  return body.length < length ? undefined : { head, headers, body }
}

const MODELS = { object: 'list', data: [] }
const USAGE = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }

/** An unstreamed reply; `more` replaces or adds fields. */
export function reply(more: Record<string, unknown> = {}): Record<string, unknown> {
  const message = { role: 'assistant', content: 'Hello there.' }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'inner-name',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: USAGE,
    ...more,
  }
}

export type Piece = string | Record<string, unknown>

/** One event of a stream: text of the answer, or a chunk with these fields. */
export function event(piece: Piece): string {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'inner-name' }
  const choices = [{ index: 0, delta: typeof piece === 'string' ? { content: piece } : {}, finish_reason: null }]
  return `data: ${JSON.stringify({ ...chunk, choices, ...(typeof piece === 'string' ? {} : piece) })}\n\n`
}

export const role = () => event({ choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] })
export const finish = (reason = 'stop') => event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
export const usage = (figures: Record<string, unknown> = USAGE) => event({ choices: [], usage: figures })
export const DONE = 'data: [DONE]\n\n'

export const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n'
export const LAST_CHUNK = '0\r\n\r\n'

export function chunk(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

export function head(status: number, bytes: number, headers: Record<string, string> = {}): string {
  const all = { 'content-type': 'application/json', 'content-length': String(bytes), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`
}

/** Responds with this JSON, or this text unchanged. */
export function respondWith(body: object | string, status = 200, headers: Record<string, string> = {}): Behaviour {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return (socket) => void socket.write(Buffer.concat([Buffer.from(head(status, bytes.length, headers)), bytes]))
}

const TEXT = 'Hello there.'

/** The same answer as `reply()`, in the dialect of the path. */
const REPLIES: readonly (readonly [path: RegExp, body: object])[] = [
  [
    /\/responses /,
    {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'inner-name',
      output: [
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: TEXT, annotations: [] }],
        },
      ],
      usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
    },
  ],
  [
    /\/messages /,
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'inner-name',
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 20 },
    },
  ],
  [
    /:generateContent /,
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
    },
  ],
]

/** Responds in the dialect of the request. A response in another dialect would be a failure and open the circuit breaker. */
export const respondInDialect: Behaviour = (socket, request) => {
  const line = request.head.slice(0, request.head.indexOf('\r\n')).replace(/\?\S*/, '')
  const [, body] = REPLIES.find(([path]) => path.test(line)) ?? []
  return respondWith(body ?? reply())(socket, request)
}

/** Streams these events, with a proper end. */
export function stream(...events: string[]): Behaviour {
  return (socket) =>
    void socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), ...events.map(chunk), Buffer.from(LAST_CHUNK)]))
}

/** A chat response, streamed if the request wants that. */
export const respondAsRequested: Behaviour = (socket, request) => {
  const isStream = JSON.parse(request.body.toString()).stream
  return (isStream ? stream(role(), event('Hello'), finish(), usage(), DONE) : respondWith(reply()))(socket, request)
}

export const respondWithError = (status: number, headers: Record<string, string> = {}, message = 'no'): Behaviour =>
  respondWith({ error: { message, type: 'x', code: null, param: null } }, status, headers)

/** Sends these events and keeps the connection open. */
export function streamWithoutEnd(...events: string[]): Behaviour {
  return (socket) => void socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), ...events.map(chunk)]))
}

/** Timeouts longer than any test. */
/** Without a circuit breaker, so that the failures of one test do not affect the next. */
const TIMEOUTS = 'timeouts: { first_byte: 20s, idle: 20s, total: 60s }, breaker: false'

export type OtherUpstream = { url: string; more?: string }

/**
 * A configuration with this upstream behind two models, one of which has the upstream's own name.
 * `others` are more upstreams, each behind a model of its name.
 */
export function configFor(upstream: { url: string }, others: Record<string, OtherUpstream> = {}): string {
  const all: [string, OtherUpstream][] = [['own', upstream], ...Object.entries(others)]
  const price = 'price: { input: 1, output: 4 }'
  const upstreams = all.map(
    ([id, { url, more = '' }]) =>
      `  - { id: ${id}, dialect: chat, base_url: "${url}", keys: ["upstream-key"], ${TIMEOUTS}${more} }`,
  )
  const models = Object.keys(others).map((id) => `  - { id: ${id}, routes: [{ upstream: ${id} }], ${price} }`)
  return `
sandbox: { faults: true }
upstreams:
${upstreams.join('\n')}
models:
  - { id: renamed, routes: [{ upstream: own, model: inner-name }], ${price} }
  - { id: same, routes: [{ upstream: own, model: same }], ${price} }
${models.join('\n')}
`
}
