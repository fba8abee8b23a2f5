// Whether another attempt may be made at all, with parts of the test's own.
import { expect, test } from 'bun:test'
import { createApp } from '../app.ts'
import { serveForTest } from '../http/test-support.ts'
import { replyOf } from '../upstreams/reply.ts'
import { createTestParts } from './test-parts.ts'

const ALIVE = { identity: () => ({ slot: 0, epoch: 1 }), mayDispatch: () => true, leave: async () => {} }

test.each([
  ['a node that is alive', ALIVE, 2],
  ['a node whose lease is running out', { ...ALIVE, mayDispatch: () => false }, 1],
  ['a node that was taken for dead and has joined anew', { ...ALIVE, identity: () => ({ slot: 0, epoch: 2 }) }, 1],
])('after a refusal, %s asks again only while its hold is sure to stand', async (_, node, attempts) => {
  let sent = 0
  const { parts, ends } = createTestParts({
    async send() {
      sent++
      parts.node = node
      return replyOf(new Response('{}', { status: 503 }))
    },
  })
  const server = serveForTest(createApp(parts, { ready: () => true, accepting: () => true }))
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] }),
  })
  expect([response.status, sent]).toEqual([503, attempts])
  expect(ends).toEqual([{ cost: 0n, ending: 'failed' }])
  void server.stop()
  parts.ticker.stop()
})
