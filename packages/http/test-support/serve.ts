// For tests: a server on a free port, and requests without a connection.

import type { Client, HttpRequest } from '../src/request.ts'
import { fixedHeaders, ResponseHeaders } from '../src/response.ts'
import { HttpServer, type ServerOptions } from '../src/server/server.ts'
import type { Handler } from '../src/server/server-context.ts'
import { createTicker } from '../src/ticker.ts'

export type TestServer = {
  url: string
  port: number
  server: HttpServer
  /** Advances the clock. */
  advance(ms: number): Promise<void>
  stop(): Promise<void>
}

type TestOptions = Partial<Pick<ServerOptions, 'tls' | 'gate' | 'limit' | 'unsentLimit' | 'isDraining' | 'failed'>>

export function serveForTest(handle: Handler, options: TestOptions = {}): TestServer {
  let ahead = 0
  const ticker = createTicker(TICK_MS, { clock: () => performance.now() + ahead })
  const where = { hostname: '127.0.0.1', port: 0, reusePort: false, tls: undefined }
  const server = new HttpServer({ ...where, ticker, handle, isDraining: () => false, failed: rethrow, ...options })
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    server,
    async advance(ms) {
      ahead += ms
      await Bun.sleep(3 * TICK_MS)
    },
    async stop() {
      await server.stop(true)
      ticker.stop()
    },
  }
}

const TICK_MS = 5

export function testRequest(
  target: string,
  headers: Record<string, string> = {},
  body = '',
  from = '127.0.0.1',
): HttpRequest {
  const pieces = body === '' ? [] : [Buffer.from(body)]
  const sent = new Headers({ 'content-length': String(Buffer.byteLength(body)), ...headers })
  const all = { get: (name: string) => sent.get(name), getAll: (name: string) => sent.get(name)?.split(', ') ?? [] }
  return {
    method: body === '' ? 'GET' : 'POST',
    target,
    headers: all,
    isDisconnected: false,
    onDisconnect: undefined,
    queuedMs: 0,
    body: { received: Buffer.byteLength(body), read: () => pieces.shift() },
    address: () => from,
  }
}

export const testHeaders = () => new ResponseHeaders(fixedHeaders({}), 'req_0000000000000000')

/** Makes the test fail. */
const rethrow = (error: unknown) => queueMicrotask(() => Promise.reject(error))

/** A client that may disconnect. */
export class TestClient implements Client {
  queuedMs = 0
  isDisconnected = false
  onDisconnect: (() => void) | undefined

  disconnect(): void {
    this.isDisconnected = true
    this.onDisconnect?.()
  }
}
