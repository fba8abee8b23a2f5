import { expect, test } from 'bun:test'
import { responseOf } from '@trivium/http/client/upstream-response.ts'
import { serveForTest } from '../../http/test-support/serve.ts'
import { createTestDependencies } from '../test-support/dependencies.ts'
import { createApp } from './app.ts'
import type { RequestObserver } from './observe/request-observer.ts'
import type { RequestRecord } from './observe/request-record.ts'

const event = (data: object) => `data: ${JSON.stringify({ id: 'c', model: 'same', ...data })}\n\n`
const STREAM = [
  event({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] }),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }),
  'data: [DONE]\n\n',
].join('')

function observed() {
  const records: RequestRecord[] = []
  const ended = Promise.withResolvers<void>()
  const observer: RequestObserver = {
    ended(record) {
      records.push(record)
      if (records.length === 3) ended.resolve()
    },
    shed: () => {},
    malformed: () => {},
  }
  return { observer, records, ended: ended.promise }
}

test('every observer gets the complete record of each request, with no log on', async () => {
  const { deps } = createTestDependencies({
    send: async () => responseOf(new Response(STREAM, { headers: { 'content-type': 'text/event-stream' } })),
  })
  const [first, second] = [observed(), observed()]
  const app = createApp(
    { ...deps, observers: [first.observer, second.observer] },
    { ready: () => true, accepting: () => true },
  )
  const server = serveForTest(app)
  try {
    const body = JSON.stringify({ model: 'same', stream: true, messages: [{ role: 'user', content: 'x' }] })
    const headers = { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect(await response.text()).toContain('Hello')
    for (const path of ['/health', '/v1/chat/completions', '/v1/nothing'])
      await (await fetch(`${server.url}${path}`)).text()
    await Promise.all([first.ended, second.ended])
    expect(second.records).toEqual(first.records)
    expect(first.records).toMatchObject([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        route: 'chat',
        status: 200,
        account: expect.any(BigInt),
        key: expect.any(BigInt),
        model: 'same',
        upstream: 'own',
        outcome: 'completed',
        tokens: { input: 7, cached: 0, output: 3 },
        charged: expect.any(BigInt),
        firstTokenMs: expect.any(Number),
        totalMs: expect.any(Number),
      },
      { route: undefined, status: 405, error: 'method_not_allowed', outcome: undefined },
      { route: undefined, status: 404, error: 'unknown_url' },
    ])
  } finally {
    server.stop()
    deps.ticker.stop()
  }
})
