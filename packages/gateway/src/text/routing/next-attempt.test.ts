// Whether another attempt may be made, with replaced dependencies.
import { expect, test } from 'bun:test'
import { responseOf } from '@trivium/http/client/upstream-response.ts'
import { serveForTest } from '../../../../http/test-support/serve.ts'
import { createTestDependencies } from '../../../test-support/dependencies.ts'
import { createApp } from '../../app.ts'
import { compileCatalogue } from '../../catalogue/catalogue.ts'

const ALIVE = {
  identity: () => ({ nodeId: 0, epoch: 1 }),
  mayDispatch: () => true,
  suspend: () => {},
  commitsLostAt: () => undefined,
  leave: async () => {},
}

test.each([
  ['a node that is alive', ALIVE, 2],
  ['a node whose lease is running out', { ...ALIVE, mayDispatch: () => false }, 1],
  ['a node that was taken for dead and has joined anew', { ...ALIVE, identity: () => ({ nodeId: 0, epoch: 2 }) }, 1],
])('after an error response, %s makes another attempt only while its hold is sure to stand', async (_, node, attempts) => {
  let sent = 0
  const { deps, ends } = createTestDependencies({
    async send() {
      sent++
      deps.node = node
      return responseOf(new Response('{}', { status: 503 }))
    },
  })
  const server = serveForTest(createApp(deps, { ready: () => true, accepting: () => true }))
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] }),
  })
  expect([response.status, sent]).toEqual([503, attempts])
  expect(ends).toEqual([{ cost: 0n, outcome: 'failed' }])
  void server.stop()
  deps.ticker.stop()
})

test.each([
  ['ECONNREFUSED', ['own one', 'other one']],
  ['ENOTFOUND', ['own one', 'other one']],
  ['CERT_HAS_EXPIRED', ['own one', 'other one']],
  // One connection of a working server: its other keys are as good as ever, and the retry has to be paid for.
  ['HTTP2RefusedStream', ['own one']],
])('after %s no other key of that host is tried, and the next upstream costs no retry', async (code, expected) => {
  const sent: string[] = []
  const { deps } = createTestDependencies({
    async send({ id, baseUrl }, { key }) {
      sent.push(`${id} ${key}`)
      if (baseUrl.includes('own.invalid')) throw Object.assign(new Error(code), { code })
      return responseOf(Response.json({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] }))
    },
  })
  deps.retryBudget = { addRequest: () => {}, take: () => false }
  const { config } = deps.catalogue()
  const own = config.upstreams.get('own')
  const model = config.models.get('same')
  const [first] = model?.type === 'text' ? model.routes : []
  if (!own || model?.type !== 'text' || !first) throw new Error('no such upstream or model')
  const upstreams = new Map([
    ['own', { ...own, keys: ['one', 'two', 'three'] }],
    ['alias', { ...own, id: 'alias', baseUrl: 'http://own.invalid/other/v1', keys: ['four'] }],
    ['other', { ...own, id: 'other', baseUrl: 'http://other.invalid/v1', keys: ['one'] }],
  ])
  const routes = [...upstreams.keys()].map((upstream, index) => ({ ...first, upstream, priority: index + 1 }))
  const catalogue = compileCatalogue({ ...config, upstreams, models: new Map([['same', { ...model, routes }]]) }, 0)
  deps.catalogue = () => catalogue
  const server = serveForTest(createApp(deps, { ready: () => true, accepting: () => true }))
  await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] }),
  })
  expect(sent).toEqual(expected)
  void server.stop()
  deps.ticker.stop()
})
