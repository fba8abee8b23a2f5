// Limits of keys and accounts on both engines, through a real gateway and the operator's commands.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { chatBody } from '../support/requests/client.ts'
import {
  chunk,
  configFor,
  DONE,
  event,
  finish,
  LAST_CHUNK,
  reply,
  respondWith,
  role,
  STREAM_HEAD,
  startUpstream,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'

/** The usage that the upstream reports for each request: 30 tokens. */
const USED = 30
const MODEL = 'same'
const call = (more: object = {}) => chatBody(MODEL, false, { max_tokens: 100, ...more })

type Seen = { error: { message: string; code: string | null } }
const errorOf = async (response: Response) => ((await response.json()) as Seen).error

describe.each([...ENGINES])('%s', (engine) => {
  let upstream: Upstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = await startGateway({ engine, config: configFor(upstream) })
  })
  afterAll(async () => {
    expect(await gateway.command<object>('audit')).toMatchObject({ ok: true, open_holds: 0 })
    await gateway.stop()
    upstream.stop()
  })

  const key = (options: Record<string, string> = {}) => newKey(gateway, undefined, options)
  const post = (secret: string, more: object = {}) => chat(gateway.url, secret, call(more))
  /** The statuses of so many requests, sent one after the other. */
  async function statuses(secret: string, times: number): Promise<number[]> {
    const seen: number[] = []
    for (let at = 0; at < times; at++) {
      const response = await post(secret)
      seen.push(response.status)
      await response.text()
    }
    return seen
  }

  test('requests per minute of a key: exactly the limit, and the next gets retry-after', async () => {
    upstream.behave(respondWith(reply()))
    const { secret } = await key({ rpm: '3' })
    expect(await statuses(secret, 5)).toEqual([200, 200, 200, 429, 429])
    const rejected = await post(secret)
    const seconds = Number(rejected.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(61)
    expect(Number(rejected.headers.get('retry-after-ms'))).toBeLessThanOrEqual(seconds * 1_000)
    expect(rejected.headers.get('x-ratelimit-limit-requests')).toBe('3')
    expect(rejected.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(rejected.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+ms|\d+s|1m\d+s)$/)
    expect(await errorOf(rejected)).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/^This key has reached its limit of 3 requests per minute\. Retry in \d+ s\.$/),
    })
  })

  test('the limit of an account covers all of its keys, and takes effect on running gateways', async () => {
    upstream.behave(respondWith(reply()))
    const { secret, email } = await key()
    const other = await gateway.command<{ secret: string }>('key', 'create', '--account', email, '--name', 'other')
    expect(await statuses(secret, 2)).toEqual([200, 200])
    expect(await gateway.command<object>('account', 'limit', '--account', email, '--rpm', '2')).toMatchObject({
      rpm: 2,
    })
    expect(await statuses(secret, 1)).toEqual([200])
    expect(await statuses(other.secret, 2)).toEqual([200, 429])
    const { message } = await errorOf(await post(secret))
    expect(message).toStartWith('This account has reached its limit of 2 requests per minute.')
    await gateway.command('account', 'limit', '--account', email, '--rpm', 'none')
    await eventually(async () => (await post(secret)).status === 200)
  })

  test('changed terms of a key take effect on running gateways with the next request', async () => {
    upstream.behave(respondWith(reply()))
    const { secret, keyId } = await key()
    const limit = (...options: string[]) => gateway.command<object>('key', 'limit', keyId, ...options)
    const soon = (status: number) => eventually(async () => (await post(secret)).status === status)
    expect(await statuses(secret, 2)).toEqual([200, 200])
    // Past spending counts under a cap without a period.
    expect(await limit('--cap', '0.0002')).toMatchObject({ cap_usd: '0.0002', spent_under_cap_usd: '0.00018' })
    expect(await statuses(secret, 1)).toEqual([402])
    expect(await limit('--cap', 'none', '--models', 'renamed')).toMatchObject({ cap_usd: null, models: ['renamed'] })
    // The gateway caches a 402 for half a second, unless the change is made in its own process.
    await soon(403)
    await limit('--models', 'none', '--ips', '203.0.113.0/24')
    await soon(403)
    await limit('--ips', 'none', '--rpm', '2')
    await soon(200)
    expect(await statuses(secret, 2)).toContain(429)
    await limit('--rpm', 'none')
    await soon(200)
    expect((await gateway.cli('key', 'limit', keyId, '--expires', '2020-01-01')).stderr).toContain(
      'must be in the future',
    )
    expect(await statuses(secret, 1)).toEqual([200])
  })

  test('tokens per minute: the output cap is lowered to the rest, then requests are rejected', async () => {
    upstream.behave(respondWith(reply()))
    const { secret, email } = await key({ tpm: '200' })
    const first = await post(secret, { max_tokens: 5_000 })
    expect(first.status).toBe(200)
    expect(first.headers.get('x-trivium-warnings')).toBe('max_tokens;lowered-to-limit')
    const sent = JSON.parse(upstream.last().body.toString()) as { max_tokens: number }
    expect(sent.max_tokens).toBeGreaterThanOrEqual(16)
    expect(sent.max_tokens).toBeLessThan(200)
    // The unused part of the hold was released: only the usage counts.
    expect(await statuses(secret, 4)).toEqual([200, 200, 200, 200])
    expect(await statuses(secret, 4)).toContain(429)
    const rejected = await post(secret)
    expect(rejected.headers.get('x-ratelimit-limit-tokens')).toBe('200')
    expect(rejected.headers.get('x-should-retry')).toBeNull()
    expect((await errorOf(rejected)).message).toStartWith('This key has too little left of its limit of 200 tokens')
    const rows = await gateway.command<{ outcome: string }[]>('usage', '--account', email)
    expect(rows.length * USED).toBeLessThanOrEqual(200 + USED)
  })

  test('a request larger than the limit gets `x-should-retry: false`', async () => {
    const { secret } = await key({ tpm: '200' })
    const rejected = await post(secret, { messages: [{ role: 'user', content: 'word '.repeat(2_000) }] })
    expect(rejected.status).toBe(429)
    expect(rejected.headers.get('x-should-retry')).toBe('false')
    expect((await errorOf(rejected)).message).toMatch(/at least \d+ tokens, which is more than this key's limit of 200/)
  })

  test('concurrency: the next request is served when one has ended', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    upstream.behave(async (socket, request) => {
      await held
      await respondWith(reply())(socket, request)
    })
    const { secret } = await key({ concurrent: '2' })
    const before = upstream.received.length
    const running = [post(secret), post(secret)]
    await eventually(() => upstream.received.length === before + 2)
    expect((await errorOf(await post(secret))).message).toContain('reached its limit of 2 concurrent requests')
    release()
    for (const response of await Promise.all(running)) expect(response.status).toBe(200)
    await eventually(async () => (await post(secret)).status === 200)
  })

  test('a stream that has used up its tokens waits for others to release theirs, and is not stopped', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { secret, email } = await key({ tpm: '2000' })
    upstream.behave(async (socket, request) => {
      const { stream } = JSON.parse(request.body.toString()) as { stream: boolean }
      if (!stream) {
        await held
        return await respondWith(reply())(socket, request)
      }
      socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(role()), chunk(event('a'))]))
      await Bun.sleep(20)
      // About 1,000 tokens.
      socket.write(chunk(event('word '.repeat(600))))
      socket.write(chunk(event('word '.repeat(200)) + finish() + usage() + DONE))
      socket.write(LAST_CHUNK)
    })
    const blocking = post(secret, { max_tokens: 1_600 })
    await eventually(() => upstream.received.some(({ body }) => body.includes('1600')))
    const streamed = await chat(gateway.url, secret, chatBody(MODEL, true))
    expect(streamed.status).toBe(200)
    const text = streamed.text()
    await Bun.sleep(200)
    release()
    expect((await blocking).status).toBe(200)
    expect((await text).split('word ').length - 1).toBe(800)
    expect((await text).slice(-800)).toMatch(/"finish_reason":"stop"/)
    const rows = await gateway.command<{ outcome: string }[]>('usage', '--account', email)
    expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
  })

  test('the 402 of a cap that renews names the available and the required amount, and when it renews', async () => {
    upstream.behave(respondWith(reply()))
    const { secret, email } = await key({ cap: '0.0002', 'cap-period': 'day' })
    expect(await statuses(secret, 1)).toEqual([200])
    const rejected = await post(secret, { messages: [{ role: 'user', content: 'word '.repeat(200) }] })
    expect(rejected.status).toBe(402)
    expect(rejected.headers.get('x-should-retry')).toBe('false')
    const { message, code } = await errorOf(rejected)
    expect(code).toBe('key_quota_exceeded')
    expect(message).toMatch(
      /^This request would exceed the key's spending cap of 0\.0002 USD per day\. Available: 0\.00011 USD; this request needs at least 0\.\d+ USD\. It resets at \d{4}-\d\d-\d\dT00:00:00Z\.$/,
    )
    const [listed] = await gateway.command<object[]>('key', 'list', '--account', email)
    const spent = { spent_usd: '0.00009', spent_today_usd: '0.00009', spent_this_month_usd: '0.00009' }
    expect(listed).toMatchObject({ cap_period: 'day', spent_under_cap_usd: '0.00009', ...spent })
    const account = await gateway.command<object>('account', 'show', '--account', email)
    expect(account).toMatchObject({ spent_today_usd: '0.00009', spent_this_month_usd: '0.00009' })
  })

  test('a key with a list of models may use only those', async () => {
    upstream.behave(respondWith(reply()))
    const { secret, keyId } = await key({ models: 'renamed' })
    const rejected = await post(secret)
    expect(rejected.status).toBe(403)
    expect(await errorOf(rejected)).toMatchObject({
      code: 'model_not_allowed',
      message: `Key ${keyId} does not allow the model '${MODEL}'.`,
    })
    const headers = { authorization: `Bearer ${secret}` }
    const listed = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: { id: string }[] }
    expect(listed.data.map(({ id }) => id)).toEqual(['renamed'])
    const google = (await (await fetch(`${gateway.url}/v1beta/models`, { headers })).json()) as {
      models: { name: string }[]
    }
    expect(google.models.map(({ name }) => name)).toEqual(['models/renamed'])
    expect((await fetch(`${gateway.url}/v1/models/${MODEL}`, { headers })).status).toBe(403)
  })

  test('a key with a list of IP addresses works only from those', async () => {
    upstream.behave(respondWith(reply()))
    const { secret: here } = await key({ ips: '10.1.0.0/16,127.0.0.0/8' })
    expect(await statuses(here, 1)).toEqual([200])
    const { secret: elsewhere, keyId } = await key({ ips: '203.0.113.0/24' })
    const rejected = await chat(gateway.url, elsewhere, call(), { 'x-forwarded-for': '203.0.113.7' })
    expect(rejected.status).toBe(403)
    expect(await errorOf(rejected)).toMatchObject({
      code: 'address_not_allowed',
      message: `Key ${keyId} may not be used from 127.0.0.1.`,
    })
    const listing = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${elsewhere}` } })
    expect(listing.status).toBe(403)
  })
})

test('behind a trusted proxy the list applies to the forwarded address', async () => {
  const upstream = await startUpstream(respondWith(reply()))
  const config = `${configFor(upstream)}\nserver: { trusted_proxies: [127.0.0.1] }\n`
  const gateway = await startGateway({ config })
  try {
    const { secret } = await newKey(gateway, undefined, { ips: '203.0.113.0/24' })
    const from = (address: string) => chat(gateway.url, secret, call(), { 'x-forwarded-for': address })
    expect((await from('203.0.113.7')).status).toBe(200)
    expect((await from('::ffff:203.0.113.7')).status).toBe(200)
    expect((await from('203.0.113.7, 198.51.100.1')).status).toBe(403)
    expect((await chat(gateway.url, secret, call())).status).toBe(403)
  } finally {
    await gateway.stop()
    upstream.stop()
  }
})
