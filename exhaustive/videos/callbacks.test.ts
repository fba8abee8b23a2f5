// Callbacks: each change of a task's status, in order, three tries each; and never a reason for a task to wait.
import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { newVideoClient, startVideoGateway } from '../../test/support/gateway/video-gateway.ts'
import { errorOf, type ShownTask, videoBody } from '../../test/support/requests/videos.ts'
import { respondWith, startUpstream } from '../../test/support/upstreams/raw-upstream.ts'

const receiver = await startUpstream(respondWith({}))
/** Waits for receivers far longer than a task takes, even on a busy machine. */
const { gateway, first } = await startVideoGateway({
  more: 'callbacks: { allow_private: true }',
  timing: { acknowledgedWithinMs: 30_000 },
})
const impatient = await startVideoGateway({
  more: 'callbacks: { allow_private: true }',
  timing: { acknowledgedWithinMs: 1_000 },
})
const guarded = await startVideoGateway()
afterAll(() => receiver.stop())
afterEach(() => {
  receiver.behave(respondWith({}))
  receiver.received.length = 0
})
const newClient = () => newVideoClient(gateway)
const body = (more: object = {}) => videoBody('vid', { callback_url: `${receiver.url}/hook?a=1`, ...more })
const received = () => receiver.received.map((request) => JSON.parse(request.body.toString()) as ShownTask)

test('each change, in order, with the task as it was then', async () => {
  const client = await newClient()
  first.script.states = ['queued', 'running', 'running', 'succeeded']
  const id = await client.submit(body())
  const done = await client.until(id, 'succeeded')
  await eventually(() => received().length >= 2)
  await Bun.sleep(200)
  expect(received().map(({ status }) => status)).toEqual(['running', 'succeeded'])
  const [running, succeeded] = received()
  expect(running).toMatchObject({ id, model: 'vid', resolution: '720p' })
  expect(running).not.toHaveProperty('content')
  expect(succeeded).toMatchObject({ id, updated_at: done.updated_at, usage: { total_tokens: 1_000 } })
  expect((await fetch(succeeded?.content?.video_url ?? '')).status).toBe(200)
  const [request] = receiver.received
  expect(request?.head).toStartWith('POST /v1/hook?a=1 HTTP/1.1')
  expect(request?.headers).toMatchObject({ 'content-type': 'application/json' })
  expect(request?.headers).not.toHaveProperty('authorization')
  const [submit] = first.requests
  expect(JSON.parse(submit?.received.body.toString() ?? '')).not.toHaveProperty('callback_url')
})

test('a callback is signed with the secret of its account, which its keys and the operator can read', async () => {
  const [client, other] = [await newClient(), await newClient()]
  const secretOf = async ({ secret }: { secret: string }) => {
    const response = await fetch(`${gateway.url}/v1/callback-secret`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    return ((await response.json()) as { secret: string }).secret
  }
  const [secret, foreign] = [await secretOf(client), await secretOf(other)]
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(foreign).not.toBe(secret)
  expect(await operate(gateway, 'account callback-secret', { account: client.email })).toEqual({
    account: client.email,
    secret,
  })
  expect((await fetch(`${gateway.url}/v1/callback-secret`)).status).toBe(401)
  const capped = await operate<{ secret: string }>(gateway, 'key create', {
    account: client.email,
    name: 'capped',
    cap: '1',
  })
  expect(await secretOf(capped)).toBeUndefined()
  let times = 0
  receiver.behave((socket, request) => respondWith({}, ++times === 1 ? 500 : 200)(socket, request))
  first.script.states = ['failed']
  const id = await client.submit(body())
  await eventually(() => receiver.received.length === 2)
  const verify = await documentedVerification()
  for (const { headers, body: received } of receiver.received) {
    // The same for every try.
    expect(headers['webhook-id']).toBe(`${id}_failed`)
    expect(verify(headers, received, secret)).toBe(true)
    expect(verify(headers, received, foreign)).toBe(false)
    expect(verify(headers, Buffer.concat([received, Buffer.from(' ')]), secret)).toBe(false)
    for (const name of ['webhook-id', 'webhook-timestamp'])
      expect(verify({ ...headers, [name]: `${Number.parseInt(headers[name] ?? '', 10) - 1}` }, received, secret)).toBe(
        false,
      )
    const old = String(Math.floor(Date.now() / 1_000) - 301)
    expect(verify({ ...headers, 'webhook-timestamp': old }, received, secret)).toBe(false)
  }
})

type Verify = (headers: Record<string, string>, body: Uint8Array, secret: string) => boolean

/** The example of the documentation, as a reader would use it. */
async function documentedVerification(): Promise<Verify> {
  const page = await Bun.file(new URL('../../docs/use/videos.md', import.meta.url)).text()
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'trivium-verify-'))
  try {
    writeFileSync(join(folder, 'verify.mjs'), code)
    const { verify } = (await import(join(folder, 'verify.mjs'))) as { verify: Verify }
    return verify
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('callbacks to a receiver that never answers delay neither tasks nor callbacks of another account', async () => {
  const silent = await startUpstream(() => {})
  const [greedy, polite] = [await newVideoClient(gateway), await newVideoClient(gateway)]
  first.script.states = ['failed']
  const slow = body({ callback_url: `${silent.url}/hook` })
  const ids: string[] = []
  for (let sent = 0; sent < 40; sent++) ids.push(await greedy.submit(slow))
  for (const id of ids) await greedy.until(id, 'failed')
  await eventually(() => silent.received.length >= 8)
  await polite.submit(body())
  await eventually(() => received().length === 1)
  // The greedy account has its share of one receiver's, and no more.
  expect(silent.received.length).toBeLessThan(ids.length)
  silent.stop()
})

test.each(['failed', 'expired'])('%s', async (status) => {
  const client = await newClient()
  first.script.states = [status]
  await client.submit(body())
  await eventually(() => received().length === 1)
  expect(received()[0]).toMatchObject({ status })
})

test('cancelled', async () => {
  const client = await newClient()
  first.script.states = ['queued']
  await client.remove(await client.submit(body()))
  await eventually(() => received().length === 1)
  expect(received()[0]).toMatchObject({ status: 'cancelled' })
})

test.each([500, 404, 302])('%d: tried three times, with longer and longer pauses', async (status) => {
  const client = await newClient()
  const at: number[] = []
  receiver.behave((socket, request) => {
    at.push(performance.now())
    return respondWith({}, status, { location: `${receiver.url}/other` })(socket, request)
  })
  first.script.states = ['failed']
  const id = await client.submit(body())
  await eventually(() => at.length === 3)
  await Bun.sleep(400)
  const [one = 0, two = 0, three = 0] = at
  expect(at).toHaveLength(3)
  expect(two - one).toBeGreaterThan(90)
  expect(three - two).toBeGreaterThan(190)
  expect(receiver.received.every(({ head }) => head.includes('/v1/hook'))).toBe(true)
  expect(await client.read(id)).toMatchObject({ status: 'failed' })
})

test('a second try that works is the last, and later changes follow it', async () => {
  const client = await newClient()
  let times = 0
  receiver.behave((socket, request) => respondWith({}, ++times === 1 ? 500 : 200)(socket, request))
  first.script.states = ['running', 'succeeded']
  await client.submit(body())
  await eventually(() => times >= 3)
  await Bun.sleep(400)
  expect(received().map(({ status }) => status)).toEqual(['running', 'running', 'succeeded'])
})

test('a receiver that never answers delays neither the task nor its queries', async () => {
  const silent = await startUpstream(() => {})
  const client = await newClient()
  first.script.states = ['running', 'running', 'running', 'succeeded']
  const id = await client.submit(body({ callback_url: `${silent.url}/hook` }))
  await client.until(id, 'succeeded')
  // The first change is still on its way.
  expect(silent.received).toHaveLength(1)
  expect(await client.rows()).toMatchObject([{ outcome: 'completed' }])
  expect(first.count('query')).toBe(4)
  silent.stop()
})

test('a receiver that never answers gets all tries of one change before those of the next', async () => {
  const client = await newVideoClient(impatient.gateway)
  receiver.behave(() => {})
  impatient.first.script.states = ['running', 'running', 'running', 'succeeded']
  const id = await client.submit(body())
  await client.until(id, 'succeeded')
  expect(await client.rows()).toMatchObject([{ outcome: 'completed' }])
  expect(impatient.first.count('query')).toBe(4)
  await eventually(() => receiver.received.length === 6)
  expect(received().map(({ status }) => status)).toEqual([...Array(3).fill('running'), ...Array(3).fill('succeeded')])
})

test('a receiver that fails does not make the gateway query more often', async () => {
  const client = await newClient()
  receiver.behave(respondWith({}, 500))
  first.script.states = ['running', 'running', 'running', 'running', 'succeeded']
  const id = await client.submit(body())
  await client.until(id, 'succeeded')
  expect(first.count('query')).toBe(5)
  await eventually(() => receiver.received.length === 6)
  await Bun.sleep(200)
  expect([first.count('query'), receiver.received.length]).toEqual([5, 6])
})

test.each([
  'http://127.0.0.1:9/hook',
  'http://[::1]/hook',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest',
  'http://localhost/',
  'http://0x7f000001/',
  'ftp://example.com/',
  'http://user:secret@example.com/',
  'javascript:alert(1)',
  'nonsense',
  `https://example.com/${'a'.repeat(2_048)}`,
])('%s is rejected at the submit', async (url) => {
  const client = await newVideoClient(guarded.gateway)
  const response = await client.send(videoBody('vid', { callback_url: url }))
  expect(await errorOf(response)).toEqual([400, 'InvalidParameter', 'callback_url'])
  expect(await client.rows()).toEqual([])
  expect(guarded.first.count('submit')).toBe(0)
})
