// An upstream that has said when to come back is not asked again a moment later by the same request.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { quickKey } from './support/control.ts'
import { chat, type Gateway, startGateway } from './support/gateway.ts'
import { answer, startUpstream, type Upstream } from './support/upstream.ts'

let upstream: Upstream
let gateway: Gateway
let secret: string

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startGateway({
    config: `
upstreams:
  - { id: alone, dialect: chat, base_url: "${upstream.url}", keys: [key-of-alone] }
models:
  - { id: alone, routes: [{ upstream: alone }], price: { input: 1, output: 4 } }
`,
  })
  secret = (await quickKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

async function ask(status: number, headers: Record<string, string>) {
  upstream.behave(answer({ error: { message: 'no', type: 'x', code: null, param: null } }, status, headers))
  const before = upstream.received.length
  const body = { model: 'alone', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
  const response = await chat(gateway.url, secret, body)
  await response.text()
  return [response.status, upstream.received.length - before, response.headers.get('retry-after')]
}

test.each([503, 529])('%p: asked once more, unless it has said when', async (status) => {
  const [, calls] = await ask(status, {})
  expect(calls).toBe(2)
  expect(await ask(status, { 'retry-after': '20' })).toEqual([expect.any(Number), 1, '20'])
})
