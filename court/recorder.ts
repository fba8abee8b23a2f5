// A proxy between clients and the gateway. It keeps requests and responses, so that a failing cell can show them, and passes on
// every byte as it comes: order, pace, breaks and disconnects are what is tried.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export type Exchange = {
  at: number
  method: string
  path: string
  requestHeaders: Record<string, string>
  requestBody: string
  /** Undefined: no response has begun. */
  status: number | undefined
  headers: Record<string, string>
  /** As far as it has arrived, and not more than `MOST_KEPT` characters. */
  body: string
  /** How it ended; undefined: not yet. */
  end: 'complete' | 'broken' | 'client left' | undefined
}

export type Recorder = {
  /** The base URL of a cell. */
  originOf(cell: string): string
  exchangesOf(cell: string): readonly Exchange[]
  stop(): void
}

export type RecorderOptions = {
  gateway: string
  /** Headers that this gateway needs besides. */
  headers?: Record<string, string>
  /** Not kept, wherever they are. */
  secrets: readonly string[]
  /** The first bytes of a response have reached the client. */
  onBody?(cell: string): void
}

const MOST_KEPT = 200_000
const HOP_BY_HOP = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade']
const CREDENTIALS = /^(authorization|cookie|set-cookie|x-.*(key|token|secret).*|api-key)$/i

export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const base = new URL(options.gateway)
  const send = base.protocol === 'https:' ? requestHttps : requestHttp
  const kept = new Map<string, Exchange[]>()
  const exchangesOf = (cell: string) => {
    const known = kept.get(cell) ?? []
    kept.set(cell, known)
    return known
  }
  const server = createServer(async (incoming, outgoing) => {
    const [, cell = '', ...rest] = (incoming.url ?? '').split('/')
    const path = `${base.pathname.replace(/\/$/, '')}/${rest.join('/')}`
    // The client may already have left.
    const body = await whole(incoming).catch(() => undefined)
    if (body === undefined) return
    const headers = forwarded(incoming.headers, options.headers)
    const exchange: Exchange = {
      at: Date.now(),
      method: incoming.method ?? 'GET',
      path: masked(path, options.secrets),
      requestHeaders: maskedHeaders(headers, options.secrets),
      requestBody: masked(body.toString('utf8').slice(0, MOST_KEPT), options.secrets),
      status: undefined,
      headers: {},
      body: '',
      end: undefined,
    }
    exchangesOf(cell).push(exchange)
    const end = (how: NonNullable<Exchange['end']>) => {
      exchange.end ??= how
    }
    const { hostname, port, protocol } = base
    const onward = send({ hostname, port, protocol, path, method: exchange.method, headers }, (response) => {
      exchange.status = response.statusCode
      exchange.headers = maskedHeaders(flat(response.headers), options.secrets)
      outgoing.writeHead(response.statusCode ?? 502, flat(response.headers, ['connection', 'transfer-encoding']))
      outgoing.flushHeaders()
      const decoder = new TextDecoder()
      response.on('data', (bytes: Buffer) => {
        if (exchange.body.length < MOST_KEPT)
          exchange.body = masked(exchange.body + decoder.decode(bytes, { stream: true }), options.secrets)
        if (!outgoing.write(bytes)) {
          response.pause()
          outgoing.once('drain', () => response.resume())
        }
        options.onBody?.(cell)
      })
      response.on('end', () => {
        end(response.complete ? 'complete' : 'broken')
        if (response.complete) outgoing.end()
        else outgoing.destroy()
      })
      response.on('error', () => {
        end('broken')
        outgoing.destroy()
      })
    })
    onward.on('error', () => {
      end('broken')
      outgoing.destroy()
    })
    outgoing.on('close', () => {
      end('client left')
      onward.destroy()
    })
    onward.end(body)
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    originOf: (cell) => `http://127.0.0.1:${port}/${cell}`,
    exchangesOf,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function whole(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

function forwarded(headers: IncomingHttpHeaders, more: Record<string, string> = {}): Record<string, string> {
  return { ...flat(headers, HOP_BY_HOP), ...more }
}

function flat(headers: IncomingHttpHeaders, without: readonly string[] = []): Record<string, string> {
  const found = Object.entries(headers).filter(([name, value]) => value !== undefined && !without.includes(name))
  return Object.fromEntries(
    found.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  )
}

function maskedHeaders(headers: Record<string, string>, secrets: readonly string[]): Record<string, string> {
  const all = Object.entries(headers)
  return Object.fromEntries(all.map(([name, value]) => [name, CREDENTIALS.test(name) ? '***' : masked(value, secrets)]))
}

const masked = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '***')), text)
