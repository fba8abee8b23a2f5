// Requests that the available balance does not cover: streams are stopped, output caps lowered, requests rejected with 402.
import { expect, test } from 'bun:test'
import { cost, newKey } from '../support/gateway/accounts.ts'
import { chat, startGateway } from '../support/gateway/gateway.ts'
import { startGatewayOverUpstream } from '../support/gateway/gateway-over-upstream.ts'
import { operate } from '../support/gateway/operate.ts'
import { chatBody } from '../support/requests/client.ts'
import { CLIENTS, callIn, errorIn } from '../support/requests/dialect-calls.ts'
import {
  chunk,
  configFor,
  DONE,
  event,
  finish,
  reply,
  respondWith,
  role,
  STREAM_HEAD,
  stream,
  usage,
} from '../support/upstreams/raw-upstream.ts'

const { upstream, gateway } = await startGatewayOverUpstream()
const reachable = await startGateway({
  config:
    'server: { public_url: "https://gw.example.com" }\nconsole: { support_url: "mailto:ops@example.com" }\nsandbox: true\n',
})

test('a stream that exceeds the balance is stopped as if it had reached its cap', async () => {
  // Enough for 50,000 tokens: more than any default cap.
  const { secret, settled, account } = await newKey(gateway, '0.2')
  upstream.behave(async (socket) => {
    socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(role())]))
    while (!socket.destroyed) {
      socket.write(chunk(event('word '.repeat(400))))
      await Bun.sleep(1)
    }
  })
  const response = await chat(
    gateway.url,
    secret,
    chatBody('renamed', true, { n: 2, stream_options: { include_usage: true } }),
  )
  const text = await response.text()
  expect(text).toEndWith(DONE)
  const frames = text.split('\n\n').map((frame) => frame.slice(6))
  const [first, second, charged] = frames.slice(-5, -2).map((frame) => JSON.parse(frame))
  expect(first).toMatchObject({ id: 'chatcmpl-1', model: 'renamed', choices: [{ index: 0, finish_reason: 'length' }] })
  expect(second).toMatchObject({ id: 'chatcmpl-1', model: 'renamed', choices: [{ index: 1, finish_reason: 'length' }] })
  const [row] = await settled()
  expect(row).toMatchObject({ outcome: 'stopped_by_balance', receipt: { warnings: ['output;stopped-by-balance'] } })
  expect(charged.usage.completion_tokens).toBe(row?.receipt?.units.output)
  expect(Number(row?.cost_usd)).toBeGreaterThan(0.1)
  expect(Number(row?.cost_usd)).toBeLessThanOrEqual(0.2)
  expect(Number((await account()).balance_usd)).toBeGreaterThanOrEqual(0)
  await upstream.connectionClosed()
})

test('an unstreamed response is not delivered beyond what is paid for', async () => {
  // Enough for about 230 of the 1,000 tokens.
  const { secret, settled, account } = await newKey(gateway, '0.001')
  const events = Array.from({ length: 250 }, () => event('sixteen letters.'))
  upstream.behave(stream(role(), ...events, finish(), usage({ prompt_tokens: 10, completion_tokens: 1_000 }), DONE))
  const text = await (await chat(gateway.url, secret, chatBody('renamed', true, { max_tokens: 1_000 }))).text()
  expect(text).toEndWith(DONE)
  expect(text).toContain('"finish_reason":"length"')
  const [row] = await settled()
  expect(row?.outcome).toBe('stopped_by_balance')
  const delivered = text.split('sixteen letters.').length - 1
  expect(row?.receipt?.units.output).toBe(delivered * 4)
  // No more than what one more event can bring.
  expect(Number(row?.shortfall_usd)).toBeLessThanOrEqual(Number(cost(0, 4)))
  expect(await account()).toMatchObject({ held_usd: '0.00' })
})

test('a long stream without a cap continues while the balance lasts', async () => {
  const { secret, settled } = await newKey(gateway)
  const events = Array.from({ length: 100 }, () => event('word '.repeat(400)))
  upstream.behave(stream(...events, finish(), usage({ prompt_tokens: 10, completion_tokens: 50_000 }), DONE))
  expect(await (await chat(gateway.url, secret, chatBody('renamed', true))).text()).toEndWith(DONE)
  expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost(10, 50_000) }])
})

test.each([
  ['without a cap', {}, 'max_tokens', 'max_tokens;lowered-to-balance'],
  ['with a cap', { max_tokens: 100_000 }, 'max_tokens', 'max_tokens;lowered-to-balance'],
  [
    'with the newer cap',
    { max_completion_tokens: 90_000 },
    'max_completion_tokens',
    'max_completion_tokens;lowered-to-balance',
  ],
])('an unstreamed request %s above the balance is sent with a lower cap', async (_, cap, field, warning) => {
  const { secret, settled } = await newKey(gateway, '0.01')
  upstream.behave(respondWith(reply()))
  const response = await chat(gateway.url, secret, chatBody('renamed', false, cap))
  expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, warning])
  const sent = JSON.parse(upstream.last().body.toString())
  // 0.01 USD at 4 USD per million, less the bound of the input.
  expect(sent[field]).toBeGreaterThan(2_000)
  expect(sent[field]).toBeLessThan(2_500)
  expect(await settled()).toMatchObject([{ cost_usd: cost(10, 20), receipt: { warnings: [warning] } }])
})

test.each([
  ['small', ''],
  ['large', 'x'.repeat(20_000)],
])('a second name of the cap in a %s body gets no more than the hold', async (_, padding) => {
  const { secret } = await newKey(gateway, '0.03')
  upstream.behave(respondWith(reply()))
  const others = { n_predict: 100_000, options: { num_predict: -1 }, best_of: 8, padding }
  const response = await chat(gateway.url, secret, chatBody('renamed', false, { max_tokens: 100_000, ...others }))
  const warnings = response.headers.get('x-trivium-warnings')?.split(', ')
  expect([response.status, warnings]).toEqual([
    200,
    ['options.num_predict;lowered', 'best_of;dropped', 'max_tokens;lowered-to-balance'],
  ])
  const sent = JSON.parse(upstream.last().body.toString())
  expect(sent.max_tokens).toBeLessThan(7_500)
  expect(sent).toMatchObject({ n_predict: sent.max_tokens, options: { num_predict: sent.max_tokens } })
  expect(sent).not.toHaveProperty('best_of')
  const within = await chat(gateway.url, secret, chatBody('renamed', false, { max_tokens: 100, ...others }))
  expect(within.headers.get('x-trivium-warnings')).toBe(
    'n_predict;lowered, options.num_predict;lowered, best_of;dropped',
  )
  const lowered = { max_tokens: 100, n_predict: 100, options: { num_predict: 100 } }
  expect(JSON.parse(upstream.last().body.toString())).toMatchObject(lowered)
})

test('a sufficient balance lowers nothing', async () => {
  const { secret } = await newKey(gateway)
  upstream.behave(respondWith(reply()))
  const response = await chat(gateway.url, secret, chatBody('renamed', false, { max_tokens: 100 }))
  expect(response.headers.get('x-trivium-warnings')).toBeNull()
  expect(JSON.parse(upstream.last().body.toString()).max_tokens).toBe(100)
})

test('too little for any response: 402 with the available and the required amount, and no row', async () => {
  const { secret, rows } = await newKey(gateway, '0.00005')
  const before = upstream.received.length
  for (const streamed of [true, false]) {
    const response = await chat(gateway.url, secret, chatBody('renamed', streamed))
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([402, 'false'])
    const { error } = (await response.json()) as { error: { message: string; type: string; code: string } }
    expect([error.type, error.code]).toEqual(['insufficient_quota', 'insufficient_balance'])
    expect(error.message).toMatch(/Available: 0\.00005 USD; this request needs at least 0\.000\d+ USD/)
  }
  expect(upstream.received.length).toBe(before)
  expect(await rows()).toEqual([])
})

test("a key's cap: 402 as well", async () => {
  const { secret } = await newKey(gateway, '10', { cap: '0.00005' })
  const response = await chat(gateway.url, secret, chatBody('renamed', false))
  expect([response.status, JSON.stringify(await response.json())]).toEqual([
    402,
    expect.stringContaining('key_quota_exceeded'),
  ])
})

test('usage ten times above the hold: the available balance is charged, the rest is a shortfall', async () => {
  const { secret, settled, account } = await newKey(gateway, '0.01')
  upstream.behave(respondWith(reply({ usage: { prompt_tokens: 20_000, completion_tokens: 20_000 } })))
  expect((await chat(gateway.url, secret, chatBody('renamed', false))).status).toBe(200)
  expect(await settled()).toMatchObject([{ cost_usd: '0.01', shortfall_usd: '0.09' }])
  expect(await account()).toMatchObject({ balance_usd: '0.00', held_usd: '0.00' })
  expect((await chat(gateway.url, secret, chatBody('renamed', false))).status).toBe(402)
})

test('fifty concurrent requests on a balance for five', async () => {
  // Each holds 1,000 output tokens, and a little for its input: 0.004 USD and some.
  const { secret, settled, account } = await newKey(gateway, '0.021')
  const waiting: (() => void)[] = []
  upstream.behave((socket, request) => {
    waiting.push(
      () => void respondWith(reply({ usage: { prompt_tokens: 30, completion_tokens: 900 } }))(socket, request),
    )
  })
  const calls = Array.from({ length: 50 }, () =>
    chat(gateway.url, secret, chatBody('renamed', false, { max_tokens: 1000 })),
  )
  let rejected = 0
  for (const call of calls) void call.then(({ status }) => (rejected += status === 402 ? 1 : 0))
  while (waiting.length + rejected < 50) await Bun.sleep(10)
  expect(Number((await account()).held_usd)).toBeLessThanOrEqual(0.021)
  for (const respond of waiting) respond()
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  const served = statuses.filter((status) => status === 200).length
  expect(served).toBeGreaterThanOrEqual(5)
  expect(served).toBeLessThanOrEqual(6)
  expect(statuses.filter((status) => status === 402).length).toBe(50 - served)
  expect((await settled()).length).toBe(served)
  expect(Number((await account()).balance_usd)).toBeGreaterThanOrEqual(0)
})

test('images and streams of small balances that were paid in full do not raise the holds of others', async () => {
  const own = await startGateway({ config: configFor(upstream) })
  const held = async () => {
    upstream.behave(respondWith(reply({ usage: { prompt_tokens: 10_000, completion_tokens: 1 } })))
    const { secret, settled } = await newKey(own)
    const messages = [{ role: 'user', content: 'word '.repeat(6_000) }]
    await (await chat(own.url, secret, chatBody('same', false, { messages, max_tokens: 1 }))).text()
    return Number((await settled())[0]?.held_usd)
  }
  const before = await held()
  const url = `data:image/png;base64,${'A'.repeat(2_000)}`
  const seeing = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
  for (let times = 0; times < 8; times++) {
    upstream.behave(respondWith(reply({ usage: { prompt_tokens: 90, completion_tokens: 1 } })))
    const { secret } = await newKey(own)
    await (await chat(own.url, secret, chatBody('same', false, { messages: seeing }))).text()
    const long = usage({ prompt_tokens: 10, completion_tokens: 1_000 })
    upstream.behave(stream(role(), ...Array(40).fill(event('word '.repeat(20))), finish(), long, DONE))
    const poor = await newKey(own, '0.01')
    await (await chat(own.url, poor.secret, chatBody('same', true))).text()
    expect(await poor.settled()).toMatchObject([{ outcome: 'completed', shortfall_usd: '0.00' }])
  }
  expect(await held()).toBeLessThanOrEqual(before)
  await own.stop()
})

test.each(
  CLIENTS,
)('%s: errors about funds name the page to pay on and the operator, a disabled account also why', async (dialect) => {
  const { secret, email } = await newKey(reachable, '0')
  const capped = await newKey(reachable, '10', { cap: '0.0000001' })
  const call = async (key: string) => {
    const response = await callIn(dialect, reachable.url, key, { model: 'sandbox-text' })
    return [response.status, errorIn(dialect, await response.json()).message]
  }
  const contact = 'Contact the operator: ops@example.com.'
  const [status, message] = await call(secret)
  expect([status, message]).toEqual([
    402,
    expect.stringMatching(/ USD\. Add credit at https:\/\/gw\.example\.com\/console\/wallet\. /),
  ])
  expect(message).toEndWith(contact)
  // Rejected from the cache.
  expect(String((await call(secret))[1])).toEndWith(contact)
  expect(await call(capped.secret)).toEqual([
    402,
    expect.stringMatching(/spending cap.* Contact the operator: ops@example\.com\.$/),
  ])
  await operate(reachable, 'account disable', { account: email, reason: 'Invoice 42 is unpaid.' })
  expect(await call(secret)).toEqual([403, `This account is disabled: Invoice 42 is unpaid. ${contact}`])
  await operate(reachable, 'account enable', { account: email })
  await operate(reachable, 'account disable', { account: email })
  expect(await call(secret)).toEqual([403, `This account is disabled. ${contact}`])
})
