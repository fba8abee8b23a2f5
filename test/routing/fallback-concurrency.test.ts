// Many requests time out in the queue of one upstream and fall back to another one at once.
import { expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, startGateway } from '../support/gateway/gateway.ts'
import { type Behaviour, reply, respondWith, startUpstream } from '../support/upstreams/raw-upstream.ts'

test.each(['max_concurrency', 'max_concurrency_per_key'])('its %s is not exceeded', async (cap) => {
  let [underWay, most] = [0, 0]
  const slow: Behaviour = async (socket, request) => {
    most = Math.max(most, ++underWay)
    await Bun.sleep(1_000)
    underWay--
    await respondWith(reply())(socket, request)
  }
  const [busy, other] = [await startUpstream(() => {}), await startUpstream(slow)]
  const price = 'price: { input: 1, output: 4 }'
  const gateway = await startGateway({
    config: `
upstreams:
  - { id: busy, dialect: chat, base_url: "${busy.url}", keys: [one], ${cap}: 1 }
  - { id: other, dialect: chat, base_url: "${other.url}", keys: [two], ${cap}: 4 }
models:
  - { id: wanted, routes: [{ upstream: busy }], fallbacks: [stand-in], ${price} }
  - { id: stand-in, routes: [{ upstream: other }], ${price} }
`,
  })
  try {
    const { secret } = await newKey(gateway)
    const ask = () =>
      chat(gateway.url, secret, { model: 'wanted', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] })
    void ask().catch(() => {})
    while (busy.received.length === 0) await Bun.sleep(5)
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await ask()).status))
    // An account gets half of the four slots.
    expect(most).toBe(2)
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
    expect(statuses.filter((status) => status === 503)).toHaveLength(10)
  } finally {
    await gateway.stop()
    busy.stop()
    other.stop()
  }
})
