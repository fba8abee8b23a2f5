// More than the gateway, or an upstream, takes at once: a clear "come back" in the caller's dialect; what runs goes on.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { audit, quickKey } from './support/control.ts'
import { chat, type Gateway, startGateway } from './support/gateway.ts'
import {
  answer,
  chunk,
  DONE,
  event,
  finish,
  LAST_CHUNK,
  reply,
  STREAM_HEAD,
  startUpstream,
  type Upstream,
  usage,
} from './support/upstream.ts'

let upstream: Upstream
let gateway: Gateway
let key: Awaited<ReturnType<typeof quickKey>>
beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startGateway({
    config: `
server: { limits: { in_flight: 2, body: 1MiB, memory: 1MiB } }
upstreams:
  - { id: own, dialect: chat, base_url: "${upstream.url}", keys: [k] }
  - { id: single, dialect: chat, base_url: "${upstream.url}", keys: [k], max_concurrency: 1 }
  - { id: keyed, dialect: chat, base_url: "${upstream.url}", keys: [k2], max_concurrency_per_key: 1 }
models:
  - { id: keyed, routes: [{ upstream: keyed }], price: { input: 1, output: 4 } }
  - { id: same, routes: [{ upstream: own }], price: { input: 1, output: 4 } }
  - { id: single, routes: [{ upstream: single }], price: { input: 1, output: 4 } }
  - { id: spare, routes: [{ upstream: single }, { upstream: own, priority: 2 }], price: { input: 1, output: 4 } }
`,
  })
  key = await quickKey(gateway)
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})

const ask = (model: string, streamed: boolean, content = 'x') =>
  chat(gateway.url, key.secret, { model, stream: streamed, messages: [{ role: 'user', content }] })

/** Opens a stream that has begun and goes on when `end` is called. */
async function openStream(model: string): Promise<{ end(): Promise<string> }> {
  let finishIt = () => {}
  upstream.behave((socket) => {
    socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(event('Hello'))]))
    finishIt = () => void socket.write(Buffer.concat([chunk(finish() + usage() + DONE), Buffer.from(LAST_CHUNK)]))
  })
  const response = await ask(model, true)
  expect(response.status).toBe(200)
  const end = finishIt
  return {
    end: async () => {
      end()
      return await response.text()
    },
  }
}

async function refused(response: Response): Promise<void> {
  expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true])
  expect(await response.json()).toMatchObject({ error: { type: 'server_error', code: 'service_unavailable' } })
}

test('the third of two gets 503, nothing is booked, running streams go on, health answers', async () => {
  const [first, second] = [await openStream('same'), await openStream('same')]
  const rows = (await key.rows()).length
  await refused(await ask('same', true))
  await refused(await ask('same', false))
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  expect((await key.rows()).length).toBe(rows)
  for (const { end } of [first, second]) expect(await end()).toEndWith(DONE)
  upstream.behave(answer(reply()))
  for (let times = 0; times < 5; times++) expect((await ask('same', false)).status).toBe(200)
})

test('who comes while there is no place waits for one, and is served', async () => {
  const [first, second] = [await openStream('same'), await openStream('same')]
  upstream.behave(answer(reply()))
  const waiting = ask('same', false)
  await Bun.sleep(50)
  await first.end()
  expect((await waiting).status).toBe(200)
  await second.end()
  expect((await key.rows())[0]).toMatchObject({ model: 'same', ending: 'completed' })
})

test('more than can wait are refused in the dialect of their path, each with an id of its own', async () => {
  const running = [await openStream('same'), await openStream('same')]
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
  const pushing = Array.from({ length: 100 }, async () => {
    while (!over) seen.add((await post('/v1/chat/completions')).status)
  })
  /** Also whoever has no key: that is not looked at. Only in the moment when a place in line is free it is. */
  async function refusal(path: string): Promise<Response> {
    for (;;) {
      const response = await post(path, { authorization: 'Bearer sk-nobodys-key-0000000000' })
      if (response.status !== 401) return response
    }
  }
  const ids = new Set<string | null>()
  for (const [path, expected] of paths) {
    const response = await refusal(path)
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
  // The rest of the gateway answers as ever.
  for (const path of ['/health', '/ready', '/v1/models', '/v1/usage'])
    expect([path, (await fetch(`${gateway.url}${path}`, { headers })).status]).toEqual([path, 200])
  over = true
  await Promise.all(pushing)
  expect([...seen]).toEqual([503])
  expect((await key.rows()).length).toBe(rows)
  for (const { end } of running) expect(await end()).toEndWith(DONE)
})

test('a client that leaves the line takes nothing from those behind it', async () => {
  const running = [await openStream('same'), await openStream('same')]
  upstream.behave(answer(reply()))
  const received = upstream.received.length
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] })
  const left = fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body, signal: leaving.signal })
  await Bun.sleep(50)
  leaving.abort()
  await left.catch(() => {})
  await Bun.sleep(50)
  const waiting = ask('same', false)
  await Bun.sleep(50)
  await running[0]?.end()
  expect((await waiting).status).toBe(200)
  expect(upstream.received.length).toBe(received + 1)
  await running[1]?.end()
})

test('a request that is refused, broken off or fails gives its place back', async () => {
  const broken = `{"model":"same","messages":[]}`
  for (let times = 0; times < 5; times++) expect((await chat(gateway.url, key.secret, broken)).status).toBe(400)
  for (let times = 0; times < 5; times++) {
    const leaving = new AbortController()
    upstream.behave(() => leaving.abort())
    const body = JSON.stringify({ model: 'same', stream: true, messages: [{ role: 'user', content: 'x' }] })
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, signal: leaving.signal }
    await fetch(`${gateway.url}/v1/chat/completions`, init).catch(() => {})
    await upstream.letGo()
  }
  upstream.behave((socket) => void socket.destroy())
  for (let times = 0; times < 5; times++) expect((await ask('same', times % 2 === 0)).status).toBe(502)
  upstream.behave(answer(reply()))
  expect((await ask('same', false)).status).toBe(200)
})

test('a body of unknown size weighs the most until it is read, and then what it is', async () => {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key.secret}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
  socket.write(head)
  await Bun.sleep(100)
  upstream.behave(answer(reply()))
  await refused(await ask('same', false))
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
  // The stream is running, and the memory is free again for others.
  upstream.behave(answer(reply()))
  expect((await ask('same', false, 'y'.repeat(900_000))).status).toBe(200)
  finishIt()
  socket.destroy()
})

test('who finds an upstream busy waits until it is not, without money on hold', async () => {
  const running = await openStream('single')
  upstream.behave(answer(reply()))
  const waiting = ask('single', false)
  await Bun.sleep(100)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 1 })
  await running.end()
  expect((await waiting).status).toBe(200)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

test('so many calls with one key as it may have, never more, and everybody is served in turn', async () => {
  let [running, most] = [0, 0]
  upstream.behave((socket, request) => {
    most = Math.max(most, ++running)
    setTimeout(() => {
      running--
      answer(reply())(socket, request)
    }, 20)
  })
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask('keyed', false)))
  expect([answers.map(({ status }) => status), most]).toEqual([answers.map(() => 200), 1])
})

test("an upstream's own limit: 503, or the next upstream", async () => {
  const running = await openStream('single')
  await refused(await ask('single', false))
  upstream.behave(answer(reply()))
  expect((await ask('spare', false)).status).toBe(200)
  expect((await key.rows())[0]).toMatchObject({ model: 'spare', upstream: 'own' })
  expect(await running.end()).toEndWith(DONE)
  const poor = await quickKey(gateway, '0')
  const body = { model: 'single', messages: [{ role: 'user', content: 'x' }] }
  for (let times = 0; times < 3; times++) expect((await chat(gateway.url, poor.secret, body)).status).toBe(402)
  expect((await ask('single', false)).status).toBe(200)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})
