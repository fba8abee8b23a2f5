// How long an upstream may be silent is the configuration's business alone: Bun's client has a limit of its own (5 minutes).
import { expect, test } from 'bun:test'
import { ask } from './support/client.ts'
import { quickKey } from './support/control.ts'
import { chat, startGateway } from './support/gateway.ts'
import { json, startHttp2Upstream, TRUSTED } from './support/http2-upstream.ts'
import { answer, configFor, reply, startUpstream } from './support/upstream.ts'

/** Bun looks every 4 s; with a limit of one second, a call that waits this long would have been ended. */
const LONGER_MS = 8_500

test('an upstream that thinks for longer than the client library would wait is waited for', async () => {
  const upstream = await startUpstream((socket, request) => {
    setTimeout(() => void answer(reply())(socket, request), LONGER_MS)
  })
  const http2 = await startHttp2Upstream()
  http2.behave((call) => void setTimeout(() => json()(call), LONGER_MS))
  const gateway = await startGateway({
    config: configFor(upstream, { second: { url: http2.url, more: ', http: 2' } }),
    env: { NODE_EXTRA_CA_CERTS: TRUSTED, BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' },
  })
  try {
    const { secret } = await quickKey(gateway)
    const calls = ['same', 'second'].map(async (model) => (await chat(gateway.url, secret, ask(model, false))).status)
    expect(await Promise.all(calls)).toEqual([200, 200])
  } finally {
    await gateway.stop()
    upstream.stop()
    http2.stop()
  }
})
