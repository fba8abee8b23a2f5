// For tests: a server on a port that is free, and requests that came from nowhere.
import { AnswerHeaders, fixedHeaders } from './answer.ts'
import type { HttpRequest } from './request.ts'
import type { Handler } from './server/connection.ts'
import { HttpServer } from './server/server.ts'
import { createTicker } from './ticker.ts'

export type TestServer = { url: string; port: number; stop(): Promise<void> }

export function serveForTest(handle: Handler): TestServer {
  const ticker = createTicker(5)
  const options = { hostname: '127.0.0.1', port: 0, reusePort: false, tls: undefined, ticker, handle }
  const server = new HttpServer({ ...options, isLeaving: () => false, failed: rethrow })
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    async stop() {
      await server.stop(true)
      ticker.stop()
    },
  }
}

export function testRequest(
  target: string,
  headers: Record<string, string> = {},
  body = '',
  from = '127.0.0.1',
): HttpRequest {
  const pieces = body === '' ? [] : [Buffer.from(body)]
  const sent = new Headers({ 'content-length': String(Buffer.byteLength(body)), ...headers })
  return {
    ...{ method: body === '' ? 'GET' : 'POST', target, headers: sent, isGone: false, onGone: undefined },
    ...{ body: { read: () => pieces.shift() }, address: () => from, signal: new AbortController().signal },
  }
}

export const testHeaders = () => new AnswerHeaders(fixedHeaders({}), 'req_0000000000000000')

/** So that a test fails by it. */
const rethrow = (error: unknown) => queueMicrotask(() => Promise.reject(error))
