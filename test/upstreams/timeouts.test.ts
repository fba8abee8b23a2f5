// Only the configuration limits how long an upstream may be silent; Bun's client has its own idle timeout (5 minutes).
import { expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, startGateway } from '../support/gateway/gateway.ts'
import { chatBody } from '../support/requests/client.ts'
import { json, startHttp2Upstream, TRUSTED } from '../support/upstreams/http2-upstream.ts'
import {
  type Behaviour,
  chunk,
  configFor,
  reply,
  respondWith,
  STREAM_HEAD,
  startUpstream,
} from '../support/upstreams/raw-upstream.ts'

/** Bun checks every 4 s; with an idle timeout of one second, a call of this length would have been ended. */
const LONGER_MS = 8_500

test('a response that takes longer than the idle timeout of the client library arrives', async () => {
  const upstream = await startUpstream((socket, request) => {
    setTimeout(() => void respondWith(reply())(socket, request), LONGER_MS)
  })
  const http2 = await startHttp2Upstream()
  http2.behave((call) => void setTimeout(() => json()(call), LONGER_MS))
  const gateway = await startGateway({
    config: configFor(upstream, { second: { url: http2.url, more: ', http: 2' } }),
    env: { NODE_EXTRA_CA_CERTS: TRUSTED, BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' },
  })
  try {
    const { secret } = await newKey(gateway)
    const calls = ['same', 'second'].map(
      async (model) => (await chat(gateway.url, secret, chatBody(model, false))).status,
    )
    expect(await Promise.all(calls)).toEqual([200, 200])
  } finally {
    await gateway.stop()
    upstream.stop()
    http2.stop()
  }
})

test('the total timeout covers all attempts together', async () => {
  const ERROR = '{"error":{"message":"busy","code":"server_is_overloaded"}}'
  const lateError: Behaviour = async (socket, { body }) => {
    const { stream } = JSON.parse(body.toString())
    socket.write(stream ? STREAM_HEAD : STREAM_HEAD.replace('text/event-stream', 'application/json'))
    await Bun.sleep(1_400)
    socket.write(Buffer.concat([chunk(stream ? `data: ${ERROR}\n\n` : ERROR), Buffer.from('0\r\n\r\n')]))
  }
  const upstreams = [await startUpstream(lateError), await startUpstream(lateError), await startUpstream()]
  const entries = upstreams.map(
    ({ url }, index) =>
      `  - { id: up-${index}, dialect: chat, base_url: "${url}", keys: [k], timeouts: { first_byte: 5s, idle: 5s, total: 2s } }`,
  )
  const routes = upstreams.map((_, index) => `{ upstream: up-${index}, priority: ${index + 1} }`)
  const model = `  - { id: m, routes: [${routes}], price: { input: 1, output: 4 } }`
  const gateway = await startGateway({ config: ['upstreams:', ...entries, 'models:', model, ''].join('\n') })
  try {
    const { secret } = await newKey(gateway)
    const calls = [true, false].map(async (stream) => (await chat(gateway.url, secret, chatBody('m', stream))).status)
    expect(await Promise.all(calls)).toEqual([504, 504])
  } finally {
    await gateway.stop()
    for (const upstream of upstreams) upstream.stop()
  }
})
