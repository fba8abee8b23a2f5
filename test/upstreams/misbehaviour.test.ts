// Upstreams that break off, send errors, lie about lengths and close connections: the response, and its cost.
import { expect, test } from 'bun:test'
import OpenAI from 'openai'
import { cost, newKey } from '../support/gateway/accounts.ts'
import { chat, startGateway } from '../support/gateway/gateway.ts'
import { startGatewayOverUpstream } from '../support/gateway/gateway-over-upstream.ts'
import { chatBody, openClient } from '../support/requests/client.ts'
import {
  chunk,
  configFor,
  DONE,
  event,
  finish,
  head,
  LAST_CHUNK,
  reply,
  respondWith,
  role,
  STREAM_HEAD,
  startUpstream,
  stream,
  streamWithoutEnd,
  usage,
} from '../support/upstreams/raw-upstream.ts'

const { upstream, gateway } = await startGatewayOverUpstream({
  others: { closed: { url: 'http://127.0.0.1:1/v1' }, nowhere: { url: 'http://nowhere.invalid/v1' } },
})

test('output and an error in one chunk: a real status, and no charge', async () => {
  const { secret, settled } = await newKey(gateway)
  const error = { error: { message: 'Overloaded', type: 'overloaded_error' } }
  upstream.behave(stream(`${role()}${event('Hello')}data: ${JSON.stringify(error)}\n\n`))
  const response = await chat(gateway.url, secret, chatBody('renamed', true))
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
})

test.each([
  ['an error', 'failed', `data: {"error":{"message":"Bad luck at sk-abcdefghijklmnop","type":"server_error"}}\n\n`],
  ['garbage', 'failed', 'data: {"id":"x","cho\n\n'],
  ['the end within an event', 'cut', 'data: {"id":"x","cho'],
  ['the end within an event, after the finish', 'cut', `${finish()}data: {"id":"x","cho`],
  ['the end without a finish', 'cut', ''],
])('after output: %s ends the stream in an error, and delivered output is charged', async (_, outcome, last) => {
  const { secret, settled } = await newKey(gateway)
  let send = (_: string) => {}
  upstream.behave((socket) => {
    socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(role() + event('b'.repeat(400)))]))
    send = (text) => {
      const rest = text === '' ? [] : [chunk(text)]
      socket.write(Buffer.concat([...rest, Buffer.from(LAST_CHUNK)]))
    }
  })
  const client = await openClient(gateway.url, secret, chatBody('renamed', true))
  await client.readUntil('bbb')
  send(last)
  const rest = await client.readUntil('"error"')
  expect(rest).not.toContain('[DONE]')
  expect(rest).not.toContain('sk-abc')
  const [row] = await settled()
  const { input = 0, output = 0 } = row?.receipt?.units ?? {}
  expect([row?.outcome, row?.cost_usd]).toEqual([outcome, cost(input, output)])
  expect(output).toBeGreaterThan(50)
})

test('the official SDK throws when a stream ends in an error', async () => {
  const { secret } = await newKey(gateway)
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
  upstream.behave((socket) => {
    socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(event('Hello'))]))
    setTimeout(() => socket.destroy(), 100)
  })
  const messages = [{ role: 'user' as const, content: 'x' }]
  const events = await client.chat.completions.create({ model: 'renamed', stream: true, messages })
  const read = async () => {
    for await (const _ of events);
  }
  await expect(read()).rejects.toMatchObject({ name: 'Error', code: 'upstream_error' })
})

test('a last event without its blank line still counts', async () => {
  const { secret, settled } = await newKey(gateway)
  const events = [event('Hello'), finish(), usage({ prompt_tokens: 7, completion_tokens: 8 }).trimEnd()]
  upstream.behave(stream(...events))
  const response = await chat(gateway.url, secret, chatBody('renamed', true))
  expect(await response.text()).not.toContain('"usage"')
  expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost(7, 8) }])
})

test('does not end after its last event: the client gets its response, and the connection is closed', async () => {
  const { secret, settled } = await newKey(gateway)
  upstream.behave(streamWithoutEnd(event('Hello'), finish(), usage(), DONE))
  expect(await (await chat(gateway.url, secret, chatBody('renamed', true))).text()).toEndWith(DONE)
  expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost(10, 20) }])
  await upstream.connectionClosed()
})

test('gets the next request over the same connection, also after streams', async () => {
  const { secret } = await newKey(gateway)
  upstream.behave(stream(event('Hello'), finish(), usage(), DONE))
  await (await chat(gateway.url, secret, chatBody('renamed', true))).text()
  await Bun.sleep(50)
  const { opened } = upstream.connections()
  for (let times = 0; times < 5; times++) {
    await (await chat(gateway.url, secret, chatBody('renamed', true))).text()
    await Bun.sleep(20)
  }
  expect(upstream.connections().opened).toBe(opened)
})

test.each([
  ['refuses the connection', 'closed'],
  ['has a name that does not exist', 'nowhere'],
])('%s: 502, free', async (_, model) => {
  const { secret, settled } = await newKey(gateway)
  for (const streamed of [true, false]) {
    const response = await chat(gateway.url, secret, chatBody(model, streamed))
    const text = await response.text()
    expect([response.status, JSON.parse(text).error.code]).toEqual([502, 'upstream_error'])
    expect(text).not.toMatch(/127\.0\.0\.1|nowhere\.invalid/)
  }
  expect((await settled()).map((row) => [row.outcome, row.cost_usd])).toEqual(Array(2).fill(['failed', '0.00']))
})

test('a response that is shorter than announced, and one that is too large', async () => {
  const { secret, settled } = await newKey(gateway)
  upstream.behave((socket) => {
    socket.write(head(200, 1000) + JSON.stringify(reply()))
    setTimeout(() => socket.end(), 20)
  })
  expect((await chat(gateway.url, secret, chatBody('renamed', false))).status).toBe(502)
  upstream.behave((socket) => void socket.write(head(200, 65 * 1024 * 1024)))
  expect((await chat(gateway.url, secret, chatBody('renamed', false))).status).toBe(502)
  await upstream.connectionClosed()
  expect((await settled()).map((row) => [row.outcome, row.cost_usd])).toEqual([
    ['failed', '0.00'],
    ['cut', '0.00'],
  ])
})

test('the upstream’s name of the model is not exposed, in errors either', async () => {
  const { secret } = await newKey(gateway)
  const message = 'inner-name does not take this. Ask https://internal.example.com with key sk-proj-abcdefghijk'
  upstream.behave(respondWith({ error: { message, type: 'invalid_request_error', param: 'seed', code: null } }, 400))
  const response = await chat(gateway.url, secret, chatBody('renamed', false))
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    error: {
      message: 'renamed does not take this. Ask https://[host] with key [key]',
      type: 'invalid_request_error',
      param: 'seed',
      code: null,
    },
  })
})

test('closes an idle connection while the next request is being sent: the request is sent again', async () => {
  const { secret, settled } = await newKey(gateway)
  for (const streamed of [false, true]) {
    const perSocket = new WeakSet<object>()
    upstream.behave((socket, request) => {
      if (perSocket.has(socket)) return void socket.destroy()
      perSocket.add(socket)
      const respond = streamed ? stream(event('Hi'), finish(), usage(), DONE) : respondWith(reply())
      return respond(socket, request)
    })
    const long = { messages: [{ role: 'user', content: 'x'.repeat(streamed ? 10_000 : 10) }] }
    for (let times = 0; times < 4; times++) {
      const response = await chat(gateway.url, secret, chatBody('renamed', streamed, long))
      expect([response.status, (await response.text()).length > 0]).toEqual([200, true])
    }
  }
  expect((await settled()).map(({ outcome }) => outcome)).toEqual(Array(8).fill('completed'))
})

test('closes a new connection without a response: the request is not sent again', async () => {
  const fresh = await startUpstream((socket) => void socket.destroy())
  const other = await startGateway({ config: configFor(fresh) })
  const { secret } = await newKey(other)
  expect((await chat(other.url, secret, chatBody('renamed', false))).status).toBe(502)
  expect(fresh.received.length).toBe(1)
  await other.stop()
  fresh.stop()
})
