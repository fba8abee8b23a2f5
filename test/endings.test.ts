// Every ending of a request and what it costs: clients that leave, upstreams that misbehave, balances that run out.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import OpenAI from 'openai'
import { audit, cost, quickKey } from './support/control.ts'
import { chat, type Gateway, startGateway } from './support/gateway.ts'
import {
  answer,
  chunk,
  configFor,
  DONE,
  event,
  finish,
  head,
  LAST_CHUNK,
  reply,
  role,
  STREAM_HEAD,
  startUpstream,
  stream,
  streamOpen,
  type Upstream,
  usage,
} from './support/upstream.ts'

let upstream: Upstream
let billing: Upstream
let gateway: Gateway
beforeAll(async () => {
  upstream = await startUpstream()
  billing = await startUpstream()
  const patient = 'timeouts: { first_byte: 20s, idle: 20s, total: 60s }'
  const config = configFor(upstream, {
    models: `
  - { id: billing, routes: [{ upstream: billing }], price: { input: 1, output: 4 } }
  - { id: patient, routes: [{ upstream: patient, model: inner-name }], price: { input: 1, output: 4 } }
  - { id: nobody, routes: [{ upstream: nobody }], price: { input: 1, output: 4 } }
  - { id: nowhere, routes: [{ upstream: nowhere }], price: { input: 1, output: 4 } }`,
  }).replace(
    'models:\n',
    `  - { id: billing, dialect: chat, base_url: "${billing.url}", keys: [k], bills_on_abort: input, ${patient} }
  - { id: patient, dialect: chat, base_url: "${upstream.url}", keys: [k], ${patient} }
  - { id: nobody, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [k] }
  - { id: nowhere, dialect: chat, base_url: "http://nowhere.invalid/v1", keys: [k] }
models:\n`,
  )
  gateway = await startGateway({ config })
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
  billing.stop()
})
afterEach(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

const MESSAGES = [{ role: 'user', content: 'Tell me something of about this length.' }]
const ask = (model: string, streamed: boolean, more: object = {}) => ({
  ...{ model, messages: MESSAGES, stream: streamed, ...more },
})

/** A client that can leave: gives what it has read so far once `until` is in it. */
async function openClient(secret: string, body: object) {
  const leaving = new AbortController()
  const response = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  })
  response.catch(() => {})
  return {
    response,
    leave: () => leaving.abort(),
    async readUntil(part: string): Promise<string> {
      const reader = (await response).body?.getReader()
      let text = ''
      while (!text.includes(part)) {
        const read = await reader?.read()
        if (!read || read.done) throw new Error(`the stream ended without ${part}: ${text}`)
        text += Buffer.from(read.value).toString()
      }
      reader?.releaseLock()
      return text
    },
  }
}

/** Resolves when the upstream has the request. */
async function received(place: Upstream, before: number): Promise<void> {
  while (place.received.length <= before) await Bun.sleep(5)
}

describe('the client leaves', () => {
  test.each([
    ['before the headers, streamed', true],
    ['before the headers, unstreamed', false],
  ])('%s: free, and the upstream is let go at once', async (_, streamed) => {
    const { secret, settled } = await quickKey(gateway)
    upstream.behave(() => {})
    const before = upstream.received.length
    const client = await openClient(secret, ask('patient', streamed))
    await received(upstream, before)
    client.leave()
    await upstream.letGo()
    expect(await settled()).toMatchObject([{ ending: 'client_gone', cost_usd: '0.00' }])
  })

  test('after the headers, before any output: free, unless the upstream bills the input', async () => {
    for (const [model, place] of [
      ['patient', upstream],
      ['billing', billing],
    ] as const) {
      const { secret, settled } = await quickKey(gateway)
      place.behave(streamOpen(role()))
      const before = place.received.length
      const client = await openClient(secret, ask(model, true))
      await received(place, before)
      await Bun.sleep(50)
      client.leave()
      await place.letGo()
      const [row] = await settled()
      expect(row?.ending).toBe('client_gone')
      if (model === 'patient') expect(row?.cost_usd).toBe('0.00')
      else {
        const { input = 0, output } = row?.receipt?.units ?? {}
        expect(input).toBeGreaterThan(0)
        expect([output, row?.cost_usd]).toEqual([0, cost(input, 0)])
      }
    }
  })

  test('in mid-stream: input and delivered output, counted; the upstream is let go', async () => {
    const { secret, settled } = await quickKey(gateway)
    upstream.behave(streamOpen(role(), event('a'.repeat(400))))
    const client = await openClient(secret, ask('patient', true))
    await client.readUntil('aaa')
    client.leave()
    await upstream.letGo()
    const [row] = await settled()
    expect(row).toMatchObject({ ending: 'client_gone', receipt: { counted: 'usage was missing' } })
    const { input = 0, output = 0 } = row?.receipt?.units ?? {}
    expect([input > 0, output > 50 && output < 200, row?.cost_usd]).toEqual([true, true, cost(input, output)])
  })

  test('after the finish reason: the usage is waited for', async () => {
    const { secret, settled } = await quickKey(gateway)
    let send = (_: string) => {}
    upstream.behave((socket) => {
      socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(event('Hello') + finish())]))
      send = (text) => void socket.write(Buffer.concat([chunk(text), Buffer.from(LAST_CHUNK)]))
    })
    const client = await openClient(secret, ask('patient', true))
    await client.readUntil('"stop"')
    client.leave()
    await Bun.sleep(100)
    send(usage({ prompt_tokens: 123, completion_tokens: 45 }) + DONE)
    expect(await settled()).toMatchObject([{ ending: 'client_gone', cost_usd: cost(123, 45) }])
  })

  test('after the finish reason, and no usage comes: two seconds, then it is counted', async () => {
    const { secret, settled } = await quickKey(gateway)
    upstream.behave(streamOpen(event('Hello'), finish()))
    const client = await openClient(secret, ask('patient', true))
    await client.readUntil('"stop"')
    client.leave()
    await upstream.letGo()
    expect(await settled()).toMatchObject([{ ending: 'client_gone', receipt: { counted: 'usage was missing' } }])
  })

  test('during an unstreamed answer: it is fetched to its end and charged', async () => {
    const { secret, settled } = await quickKey(gateway)
    const bytes = Buffer.from(JSON.stringify(reply()))
    let finishIt = () => {}
    upstream.behave((socket) => {
      socket.write(Buffer.concat([Buffer.from(head(200, bytes.length)), bytes.subarray(0, 20)]))
      finishIt = () => void socket.write(bytes.subarray(20))
    })
    const before = upstream.received.length
    const client = await openClient(secret, ask('patient', false))
    await received(upstream, before)
    await Bun.sleep(50)
    client.leave()
    await Bun.sleep(100)
    finishIt()
    expect(await settled()).toMatchObject([{ ending: 'client_gone', cost_usd: cost(10, 20) }])
  })

  test.each([
    ['streamed', true],
    ['unstreamed', false],
  ])('for nothing more than five times: from then on it is fetched and charged, %s', async (_, streamed) => {
    const { secret, rows, settled } = await quickKey(gateway)
    upstream.behave(() => {})
    for (let times = 0; times < 6; times++) {
      const before = upstream.received.length
      const client = await openClient(secret, ask('patient', streamed))
      await received(upstream, before)
      client.leave()
      while ((await rows()).filter(({ ending }) => ending === 'client_gone').length <= times) await Bun.sleep(10)
    }
    let finishIt = () => {}
    upstream.behave((socket, request) => {
      const respond = streamed ? stream(role(), event('Hello'), finish(), usage(), DONE) : answer(reply())
      finishIt = () => void respond(socket, request)
    })
    const before = upstream.received.length
    const client = await openClient(secret, ask('patient', streamed))
    await received(upstream, before)
    client.leave()
    await Bun.sleep(100)
    finishIt()
    const found = await settled()
    expect(found.map(({ ending }) => ending)).toEqual(Array(7).fill('client_gone'))
    expect(found.map((row) => row.cost_usd)).toEqual([cost(10, 20), ...Array(6).fill('0.00')])
  })
})

describe('the upstream', () => {
  test('output and an error in one piece: a real status, and nothing is charged', async () => {
    const { secret, settled } = await quickKey(gateway)
    const error = { error: { message: 'Overloaded', type: 'overloaded_error' } }
    upstream.behave(stream(`${role()}${event('Hello')}data: ${JSON.stringify(error)}\n\n`))
    const response = await chat(gateway.url, secret, ask('renamed', true))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await settled()).toMatchObject([{ ending: 'failed', cost_usd: '0.00' }])
  })

  test.each([
    ['an error', 'failed', `data: {"error":{"message":"Bad luck at sk-abcdefghijklmnop","type":"server_error"}}\n\n`],
    ['garbage', 'failed', 'data: {"id":"x","cho\n\n'],
    ['the end within an event', 'cut', 'data: {"id":"x","cho'],
    ['the end within an event, after the finish', 'cut', `${finish()}data: {"id":"x","cho`],
    ['the end without a finish', 'cut', ''],
  ])('after output: %s is an error ending, and what was delivered is charged', async (_, ending, last) => {
    const { secret, settled } = await quickKey(gateway)
    let send = (_: string) => {}
    upstream.behave((socket) => {
      socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(role() + event('b'.repeat(400)))]))
      send = (text) => {
        const rest = text === '' ? [] : [chunk(text)]
        socket.write(Buffer.concat([...rest, Buffer.from(LAST_CHUNK)]))
      }
    })
    const client = await openClient(secret, ask('patient', true))
    await client.readUntil('bbb')
    send(last)
    const rest = await client.readUntil('"error"')
    expect(rest).not.toContain('[DONE]')
    expect(rest).not.toContain('sk-abc')
    const [row] = await settled()
    const { input = 0, output = 0 } = row?.receipt?.units ?? {}
    expect([row?.ending, row?.cost_usd]).toEqual([ending, cost(input, output)])
    expect(output).toBeGreaterThan(50)
  })

  test('the official SDK throws on an error ending', async () => {
    const { secret } = await quickKey(gateway)
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
    upstream.behave((socket) => {
      socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(event('Hello'))]))
      setTimeout(() => socket.destroy(), 100)
    })
    const messages = [{ role: 'user' as const, content: 'x' }]
    const events = await client.chat.completions.create({ model: 'patient', stream: true, messages })
    const read = async () => {
      for await (const _ of events);
    }
    await expect(read()).rejects.toMatchObject({ name: 'Error', code: 'upstream_error' })
  })

  test('a last event without its blank line still counts', async () => {
    const { secret, settled } = await quickKey(gateway)
    const events = [event('Hello'), finish(), usage({ prompt_tokens: 7, completion_tokens: 8 }).trimEnd()]
    upstream.behave(stream(...events))
    const response = await chat(gateway.url, secret, ask('renamed', true))
    expect(await response.text()).not.toContain('"usage"')
    expect(await settled()).toMatchObject([{ ending: 'completed', cost_usd: cost(7, 8) }])
  })

  test.each([
    ['refuses the connection', 'nobody'],
    ['has a name that does not exist', 'nowhere'],
  ])('%s: 502, free', async (_, model) => {
    const { secret, settled } = await quickKey(gateway)
    for (const streamed of [true, false]) {
      const response = await chat(gateway.url, secret, ask(model, streamed))
      const text = await response.text()
      expect([response.status, JSON.parse(text).error.code]).toEqual([502, 'upstream_error'])
      expect(text).not.toMatch(/127\.0\.0\.1|nowhere\.invalid/)
    }
    expect((await settled()).map((row) => [row.ending, row.cost_usd])).toEqual(Array(2).fill(['failed', '0.00']))
  })

  test('a reply that is shorter than announced, and one that is too large', async () => {
    const { secret, settled } = await quickKey(gateway)
    upstream.behave((socket) => {
      socket.write(head(200, 1000) + JSON.stringify(reply()))
      setTimeout(() => socket.end(), 20)
    })
    expect((await chat(gateway.url, secret, ask('renamed', false))).status).toBe(502)
    upstream.behave((socket) => void socket.write(head(200, 65 * 1024 * 1024)))
    expect((await chat(gateway.url, secret, ask('renamed', false))).status).toBe(502)
    await upstream.letGo()
    expect((await settled()).map((row) => [row.ending, row.cost_usd])).toEqual([
      ['failed', '0.00'],
      ['cut', '0.00'],
    ])
  })

  test('a name of its own for the model stays inside, also when it complains', async () => {
    const { secret } = await quickKey(gateway)
    const message = 'inner-name does not take this. Ask https://internal.example.com with key sk-proj-abcdefghijk'
    upstream.behave(answer({ error: { message, type: 'invalid_request_error', param: 'seed', code: null } }, 400))
    const response = await chat(gateway.url, secret, ask('renamed', false))
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: {
        message: 'renamed does not take this. Ask https://[host] with key [key]',
        ...{ type: 'invalid_request_error', param: 'seed', code: null },
      },
    })
  })

  test('closes the idle connection just when the next request is on its way: it is sent again', async () => {
    const { secret, settled } = await quickKey(gateway)
    for (const streamed of [false, true]) {
      const perSocket = new WeakSet<object>()
      upstream.behave((socket, request) => {
        if (perSocket.has(socket)) return void socket.destroy()
        perSocket.add(socket)
        const respond = streamed ? stream(event('Hi'), finish(), usage(), DONE) : answer(reply())
        return respond(socket, request)
      })
      const long = { messages: [{ role: 'user', content: 'x'.repeat(streamed ? 10_000 : 10) }] }
      for (let times = 0; times < 4; times++) {
        const response = await chat(gateway.url, secret, ask('renamed', streamed, long))
        expect([response.status, (await response.text()).length > 0]).toEqual([200, true])
      }
    }
    expect((await settled()).map(({ ending }) => ending)).toEqual(Array(8).fill('completed'))
  })

  test('breaks a first connection without a word: it is not asked twice', async () => {
    const fresh = await startUpstream((socket) => void socket.destroy())
    const other = await startGateway({ config: configFor(fresh) })
    const { secret } = await quickKey(other)
    expect((await chat(other.url, secret, ask('renamed', false))).status).toBe(502)
    expect(fresh.received.length).toBe(1)
    await other.stop()
    fresh.stop()
  })
})

test('a reader that stalls stalls the upstream', async () => {
  const { secret, settled } = await quickKey(gateway, '100')
  let written = 0
  let filled = false
  upstream.behave(async (socket) => {
    socket.write(STREAM_HEAD)
    const piece = chunk(event('x'.repeat(60_000)))
    while (!socket.destroyed && written < 400_000_000) {
      written += piece.length
      if (socket.write(piece)) continue
      const drained = new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
      const isDrained = await Promise.race([drained.then(() => true), Bun.sleep(2_000).then(() => false)])
      filled ||= !isDrained
      await drained
    }
  })
  const { hostname, port } = new URL(gateway.url)
  const client = connect(Number(port), hostname)
  const body = JSON.stringify(ask('patient', true))
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  client.pause()
  while (!filled && written < 400_000_000) await Bun.sleep(20)
  expect(written).toBeLessThan(60_000_000)
  client.destroy()
  await upstream.letGo()
  const [row] = await settled()
  expect(row?.ending).toBe('client_gone')
})
