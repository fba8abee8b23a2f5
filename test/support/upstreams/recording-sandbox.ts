// The sandbox as a server of its own, in all four dialects, which records every request.
import { createSandbox } from '../../../packages/sandbox/src/handler.ts'

export type SentBody = Record<string, unknown>

export type RecordingSandbox = {
  /** Without a path: the dialects' paths follow. */
  origin: string
  /** The requests so far, newest last. */
  asked: { path: string; body: SentBody }[]
  last(): SentBody
  /** Answers instead of the sandbox, where it returns a response. */
  intercept(answer: ((path: string, body: SentBody) => Response | undefined) | undefined): void
  stop(): void
}

export function startRecordingSandbox(): RecordingSandbox {
  const handle = createSandbox({ faults: true, pace: 0 })
  const asked: { path: string; body: SentBody }[] = []
  let intercept: Parameters<RecordingSandbox['intercept']>[0]
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const text = await request.text()
      const path = new URL(request.url).pathname
      if (request.method !== 'POST') return handle(new Request(request.url, { headers: request.headers }))
      const body = JSON.parse(text) as SentBody
      asked.push({ path, body })
      const { url, headers } = request
      return intercept?.(path, body) ?? handle(new Request(url, { method: 'POST', headers, body: text }))
    },
  })
  return {
    origin: `http://127.0.0.1:${server.port}`,
    asked,
    last() {
      const request = asked.at(-1)
      if (!request) throw new Error('the upstream has received nothing')
      return request.body
    },
    intercept(answer) {
      intercept = answer
    },
    stop: () => void server.stop(true),
  }
}
