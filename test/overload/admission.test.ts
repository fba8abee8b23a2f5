// More requests than the gateway or an upstream accepts: 503 in the caller's dialect, while running requests continue.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import {
  chunk,
  DONE,
  event,
  finish,
  LAST_CHUNK,
  reply,
  respondWith,
  STREAM_HEAD,
  startUpstream,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'

let upstream: Upstream
let gateway: Gateway
let key: Awaited<ReturnType<typeof newKey>>
/** Keys of two more accounts. */
let others: (typeof key)[]
beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startGateway({
    config: `
server: { limits: { in_flight: 4, body: 1MiB, memory: 1MiB } }
upstreams:
  - { id: own, dialect: chat, base_url: "${upstream.url}", keys: [k] }
  - { id: single, dialect: chat, base_url: "${upstream.url}", keys: [k], max_concurrency: 1 }
  - { id: keyed, dialect: chat, base_url: "${upstream.url}", keys: [k2], max_concurrency_per_key: 1 }
  - { id: pair, dialect: chat, base_url: "${upstream.url}", keys: [k], max_concurrency: 2 }
models:
  - { id: pair, routes: [{ upstream: pair }], price: { input: 1, output: 4 } }
  - { id: keyed, routes: [{ upstream: keyed }], price: { input: 1, output: 4 } }
  - { id: same, routes: [{ upstream: own }], price: { input: 1, output: 4 } }
  - { id: single, routes: [{ upstream: single }], price: { input: 1, output: 4 } }
  - { id: spare, routes: [{ upstream: single }, { upstream: own, priority: 2 }], price: { input: 1, output: 4 } }
`,
  })
  key = await newKey(gateway)
  others = [await newKey(gateway), await newKey(gateway)]
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const ask = (model: string, streamed: boolean, content = 'x', { secret } = key) =>
  chat(gateway.url, secret, { model, stream: streamed, messages: [{ role: 'user', content }] })

/** Opens a stream that has started and completes when `end` is called. */
async function openStream(model: string, of = key): Promise<{ end(): Promise<string> }> {
  let finishIt = () => {}
  upstream.behave((socket) => {
    socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(event('Hello'))]))
    finishIt = () => void socket.write(Buffer.concat([chunk(finish() + usage() + DONE), Buffer.from(LAST_CHUNK)]))
  })
  const response = await ask(model, true, 'x', of)
  expect(response.status).toBe(200)
  const end = finishIt
  return {
    end: async () => {
      end()
      return await response.text()
    },
  }
}

async function rejected(response: Response): Promise<void> {
  expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true])
  expect(await response.json()).toMatchObject({ error: { type: 'server_error', code: 'service_unavailable' } })
}

/** Takes all four slots: an account gets two of them, and the last one is reserved for an account that holds none. */
async function takeAllSlots() {
  const [second, third] = others
  return [
    await openStream('same'),
    await openStream('same'),
    await openStream('same', second),
    await openStream('same', third),
  ]
}

test('an account holds at most half of the slots: its third request gets 503, others are served', async () => {
  const running = [await openStream('same'), await openStream('same')]
  await rejected(await ask('same', true))
  upstream.behave(respondWith(reply()))
  for (const other of others) expect((await ask('same', false, 'x', other)).status).toBe(200)
  const third = await openStream('same', others[0])
  await rejected(await ask('same', true, 'x', others[0]))
  upstream.behave(respondWith(reply()))
  expect((await ask('same', false, 'x', others[1])).status).toBe(200)
  for (const { end } of [...running, third]) expect(await end()).toEndWith(DONE)
})

test('the next free slot goes to the account that holds the fewest', async () => {
  const running = await takeAllSlots()
  upstream.behave(respondWith(reply()))
  const order: string[] = []
  const asking = (name: string, of: typeof key) =>
    ask('same', false, 'x', of).then(({ status }) => void order.push(`${name}: ${status}`))
  const first = asking('holds two', key)
  await Bun.sleep(50)
  const second = asking('holds none', await newKey(gateway))
  await Bun.sleep(50)
  await running[2]?.end()
  await Promise.all([first, second])
  expect(order).toEqual(['holds none: 200', 'holds two: 503'])
  for (const index of [0, 1, 3]) expect(await running[index]?.end()).toEndWith(DONE)
})

test('the third request for two slots gets 503 without a row; running streams continue, /health responds', async () => {
  const [first, second] = [await openStream('same'), await openStream('same')]
  const rows = (await key.rows()).length
  await rejected(await ask('same', true))
  await rejected(await ask('same', false))
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  expect((await key.rows()).length).toBe(rows)
  for (const { end } of [first, second]) expect(await end()).toEndWith(DONE)
  upstream.behave(respondWith(reply()))
  for (let times = 0; times < 5; times++) expect((await ask('same', false)).status).toBe(200)
})

test('a request queues while no slot is free, and is served', async () => {
  const [first, second] = [await openStream('same'), await openStream('same')]
  upstream.behave(respondWith(reply()))
  const waiting = ask('same', false)
  await Bun.sleep(50)
  await first.end()
  expect((await waiting).status).toBe(200)
  await second.end()
  expect((await key.rows())[0]).toMatchObject({ model: 'same', outcome: 'completed' })
})

test('requests beyond the queue are rejected in the dialect of their path, each with its own id', async () => {
  const running = await takeAllSlots()
  const rows = (await key.rows()).length
  const paths = [
    ['/v1/chat/completions', { error: { type: 'server_error', code: 'service_unavailable' } }],
    ['/v1/responses', { error: { type: 'server_error', code: 'service_unavailable' } }],
    ['/v1/messages', { type: 'error', error: { type: 'overloaded_error' } }],
    ['/v1beta/models/same:generateContent', { error: { code: 503, status: 'UNAVAILABLE' } }],
  ] as const
  const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] })
  const post = (path: string, more = {}) =>
    fetch(`${gateway.url}${path}`, { method: 'POST', headers: { ...headers, ...more }, body })
  let over = false
  const seen = new Set<number>()
  const keys = [key, ...others]
  const pushing = Array.from({ length: 120 }, async (_, index) => {
    const authorization = `Bearer ${keys[index % keys.length]?.secret}`
    while (!over) seen.add((await post('/v1/chat/completions', { authorization })).status)
  })
  /** Requests without a key get the same: keys are checked only while the queue has room. */
  async function rejection(path: string): Promise<Response> {
    for (;;) {
      const response = await post(path, { authorization: 'Bearer sk-unknown-key-0000000000' })
      if (response.status !== 401) return response
    }
  }
  const ids = new Set<string | null>()
  for (const [path, expected] of paths) {
    const response = await rejection(path)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-type')).toStartWith('application/json')
    const id = response.headers.get('x-request-id')
    expect([id?.slice(0, 4), response.headers.get('request-id')]).toEqual(['req_', id])
    ids.add(id)
    const said = (await response.json()) as { request_id?: string }
    expect(said).toMatchObject(expected)
    if (said.request_id !== undefined) expect([said.request_id]).toEqual([id ?? ''])
  }
  expect(ids.size).toBe(paths.length)
  // Other endpoints respond as usual.
  for (const path of ['/health', '/ready', '/v1/models', '/v1/usage'])
    expect([path, (await fetch(`${gateway.url}${path}`, { headers })).status]).toEqual([path, 200])
  over = true
  await Promise.all(pushing)
  expect([...seen]).toEqual([503])
  expect((await key.rows()).length).toBe(rows)
  for (const { end } of running) expect(await end()).toEndWith(DONE)
})

test('a queued client that disconnects does not cost the requests behind it a slot', async () => {
  const running = [await openStream('same'), await openStream('same')]
  upstream.behave(respondWith(reply()))
  const received = upstream.received.length
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] })
  const left = fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body, signal: abort.signal })
  await Bun.sleep(50)
  abort.abort()
  await left.catch(() => {})
  await Bun.sleep(50)
  const waiting = ask('same', false)
  await Bun.sleep(50)
  await running[0]?.end()
  expect((await waiting).status).toBe(200)
  expect(upstream.received.length).toBe(received + 1)
  await running[1]?.end()
})

test('a request that is rejected, cut off or failed releases its slot', async () => {
  const broken = `{"model":"same","messages":[]}`
  for (let times = 0; times < 5; times++) expect((await chat(gateway.url, key.secret, broken)).status).toBe(400)
  for (let times = 0; times < 5; times++) {
    const abort = new AbortController()
    upstream.behave(() => abort.abort())
    const body = JSON.stringify({ model: 'same', stream: true, messages: [{ role: 'user', content: 'x' }] })
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, signal: abort.signal }
    await fetch(`${gateway.url}/v1/chat/completions`, init).catch(() => {})
    await upstream.connectionClosed()
  }
  upstream.behave((socket) => void socket.destroy())
  for (let times = 0; times < 5; times++) expect((await ask('same', times % 2 === 0)).status).toBe(502)
  upstream.behave(respondWith(reply()))
  expect((await ask('same', false)).status).toBe(200)
})

/** The head of a request whose body follows later. */
const headOf = (secret: string, length: string) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`

function upload(secret: string, length = 'transfer-encoding: chunked') {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.write(headOf(secret, length))
  return socket
}

test('incomplete bodies count by the bytes received: slow uploads block no other request', async () => {
  const uploads = Array.from({ length: 16 }, (_, index) =>
    upload(key.secret, index % 2 ? 'content-length: 1000000' : 'transfer-encoding: chunked'),
  )
  await Bun.sleep(100)
  upstream.behave(respondWith(reply()))
  for (const other of others) expect((await ask('same', false, 'y'.repeat(900_000), other)).status).toBe(200)
  for (const socket of uploads) socket.destroy()
  await Bun.sleep(50)
  expect((await ask('same', false, 'y'.repeat(900_000))).status).toBe(200)
})

test('a complete upload runs, and its memory is released once the response streams', async () => {
  const socket = upload(key.secret)
  const body = JSON.stringify({ model: 'same', stream: true, messages: [{ role: 'user', content: 'x' }] })
  let finishIt = () => {}
  const arrived = new Promise<void>((resolve) => {
    upstream.behave((to) => {
      to.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(event('Hello'))]))
      finishIt = () => void to.write(Buffer.concat([chunk(finish() + DONE), Buffer.from(LAST_CHUNK)]))
      resolve()
    })
  })
  socket.write(Buffer.concat([chunk(body), Buffer.from(LAST_CHUNK)]))
  await arrived
  upstream.behave(respondWith(reply()))
  expect((await ask('same', false, 'y'.repeat(900_000))).status).toBe(200)
  finishIt()
  socket.destroy()
})

test('requests queue for a busy upstream without a hold', async () => {
  const running = await openStream('single')
  upstream.behave(respondWith(reply()))
  const waiting = ask('single', false)
  await Bun.sleep(100)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 1 })
  await running.end()
  expect((await waiting).status).toBe(200)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

test('max_concurrency_per_key is never exceeded, and every request is served', async () => {
  let [running, most] = [0, 0]
  upstream.behave((socket, request) => {
    most = Math.max(most, ++running)
    setTimeout(() => {
      running--
      respondWith(reply())(socket, request)
    }, 20)
  })
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask('keyed', false)))
  expect([answers.map(({ status }) => status), most]).toEqual([answers.map(() => 200), 1])
})

test("an upstream's own limit: 503, or the next upstream", async () => {
  const running = await openStream('single')
  await rejected(await ask('single', false))
  upstream.behave(respondWith(reply()))
  expect((await ask('spare', false)).status).toBe(200)
  expect((await key.rows())[0]).toMatchObject({ model: 'spare', upstream: 'own' })
  expect(await running.end()).toEndWith(DONE)
  const poor = await newKey(gateway, '0')
  const body = { model: 'single', messages: [{ role: 'user', content: 'x' }] }
  for (let times = 0; times < 3; times++) expect((await chat(gateway.url, poor.secret, body)).status).toBe(402)
  expect((await ask('single', false)).status).toBe(200)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

test('an account gets at most half of the concurrency of an upstream; accounts with the fewest requests go first', async () => {
  const running = await openStream('pair')
  await rejected(await ask('pair', false))
  upstream.behave(respondWith(reply()))
  expect((await ask('pair', false, 'x', others[0])).status).toBe(200)
  const second = await openStream('pair', others[0])
  upstream.behave(respondWith(reply()))
  const order: string[] = []
  const asking = (name: string, of: typeof key) =>
    ask('pair', false, 'x', of).then(({ status }) => void order.push(`${name}: ${status}`))
  const waiting = [asking('has one', key), Bun.sleep(50).then(() => asking('has none', others[1] ?? key))]
  await Bun.sleep(120)
  await second.end()
  await Promise.all(waiting)
  expect(order).toEqual(['has none: 200', 'has one: 503'])
  expect(await running.end()).toEndWith(DONE)
})
