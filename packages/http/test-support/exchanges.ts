// For tests: a server whose requests the test answers itself, plain or over TLS.
import { afterAll, afterEach, describe, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpRequest } from '../src/request.ts'
import type { HttpResponse } from '../src/response.ts'
import { RawClient } from './raw-client.ts'
import { serveForTest, type TestServer } from './serve.ts'

export type TestExchange = { request: HttpRequest; respond(answer: HttpResponse): void }

const fixture = (part: string) => readFileSync(join(import.meta.dir, `../fixtures/localhost.${part}.pem`), 'utf8')
export const CERTIFICATE = { cert: fixture('cert'), key: fixture('key') }

export class ManualServer {
  readonly failures: unknown[] = []
  readonly #visits: TestExchange[] = []
  readonly #isSecure: boolean
  #arrived = Promise.withResolvers<void>()
  #host: TestServer

  constructor(isSecure: boolean) {
    this.#isSecure = isSecure
    this.#host = this.#start()
  }

  #start(): TestServer {
    const handle = (request: HttpRequest) => {
      const { promise, resolve } = Promise.withResolvers<HttpResponse>()
      this.#visits.push({ request, respond: resolve })
      this.#arrived.resolve()
      this.#arrived = Promise.withResolvers<void>()
      return promise
    }
    const failed = (error: unknown) => void this.failures.push(error)
    return serveForTest(handle, { failed, tls: this.#isSecure ? CERTIFICATE : undefined })
  }

  get pending(): number {
    return this.#host.server.pending
  }

  open(): RawClient {
    return new RawClient(this.#host.port, this.#isSecure)
  }

  /** The next request. */
  async nextRequest(): Promise<TestExchange> {
    for (;;) {
      const next = this.#visits.shift()
      if (next) return next
      await this.#arrived.promise
    }
  }

  advance(ms: number): Promise<void> {
    return this.#host.advance(ms)
  }

  /** `stop(false)` resolves when no connection is left. */
  stop(now: boolean): Promise<void> {
    return this.#host.server.stop(now)
  }

  /** Starts another one in its place. Returns what went wrong: unanswered requests, and failures. */
  async renew(): Promise<unknown[]> {
    await until(() => this.pending === 0)
    await this.stop(false)
    await this.#host.stop()
    this.#host = this.#start()
    return [...this.#visits.splice(0), ...this.failures.splice(0)]
  }
}

/** The same over plain connections and over TLS. After every test no request, connection or failure may be left. */
export function describeBoth(tests: (host: ManualServer) => void): void {
  describe.each([
    ['plain', false],
    ['over TLS', true],
  ])('%s', (_, isSecure) => {
    const host = new ManualServer(isSecure)
    afterEach(async () => expect(await host.renew()).toEqual([]))
    afterAll(() => host.stop(true))
    tests(host)
  })
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2)
}

export const GET = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n'

export const post = (length: number, body: string) =>
  `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${body}`

/** No event tells that the server has read bytes: far longer than that takes, also on a busy machine. */
export const arrival = (): Promise<void> => Bun.sleep(200)
