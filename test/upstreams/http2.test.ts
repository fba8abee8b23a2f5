// Upstreams over HTTP/2: which version is used, and how its failures affect requests.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { audit, cost, newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { chatBody, openClient } from '../support/requests/client.ts'
import {
  CODES,
  events,
  type Http2Upstream,
  json,
  type Play,
  startHttp2Upstream,
  TRUSTED,
} from '../support/upstreams/http2-upstream.ts'
import { configFor, DONE, event, finish, role, usage } from '../support/upstreams/raw-upstream.ts'

const ANSWER = [role(), event('Hello'), finish(), usage(), DONE]
/** Longer than the request body of a stream is kept. */
const LONG = { messages: [{ role: 'user', content: 'long '.repeat(15_000) }] }

let both: Http2Upstream
let onlyOld: Http2Upstream
let onlyNew: Http2Upstream
let narrow: Http2Upstream
let gateway: Gateway
beforeAll(async () => {
  both = await startHttp2Upstream()
  onlyOld = await startHttp2Upstream({ offers: ['http/1.1'] })
  onlyNew = await startHttp2Upstream({ offers: ['h2'] })
  narrow = await startHttp2Upstream({ maxStreams: 2 })
  const config = configFor(both, {
    forced1: { url: narrow.url, more: ', http: 1.1' },
    forced2: { url: both.url, more: ', http: 2' },
    hasty: { url: both.url, more: ', http: 2' },
    narrow: { url: narrow.url, more: ', http: 2' },
    new: { url: onlyNew.url },
    old: { url: onlyOld.url },
    oldForced2: { url: onlyOld.url, more: ', http: 2' },
  })
  gateway = await startGateway({
    streamTiming: { usageWaitMs: 500 },
    config: config.replace(/(id: hasty, .*)(timeouts: {[^}]*})/, '$1timeouts: { idle: 1s }'),
    env: { NODE_EXTRA_CA_CERTS: TRUSTED },
  })
})
afterAll(async () => {
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  for (const upstream of [both, onlyOld, onlyNew, narrow]) upstream.stop()
})
afterEach(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

async function fine(secret: string, model: string): Promise<void> {
  const response = await chat(gateway.url, secret, chatBody(model, false))
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello there.')])
}

async function unreached(response: Response): Promise<void> {
  expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'upstream_error' } }])
}

test('HTTP/2 is used as soon as it is known to be offered, over one connection', async () => {
  const { secret, settled } = await newKey(gateway)
  both.behave(json())
  await eventually(async () => {
    await fine(secret, 'renamed')
    return both.seen.http2 > 0
  })
  const before = { ...both.seen }
  await Promise.all(Array.from({ length: 20 }, () => fine(secret, 'renamed')))
  both.behave((call) => (call.body.includes('"stream":true') ? events(ANSWER)(call) : call.reset(CODES.internal)))
  for (const more of [{}, LONG]) {
    const response = await chat(gateway.url, secret, chatBody('renamed', true, more))
    expect(await response.text()).toEndWith(DONE)
  }
  expect({ ...both.seen }).toEqual({ ...before, http2: before.http2 + 22 })
  const rows = await settled()
  expect(new Set(rows.map((row) => `${row.outcome} ${row.cost_usd}`))).toEqual(new Set([`completed ${cost(10, 20)}`]))
})

test('where only HTTP/2 is offered, the first calls use it, too, over one connection', async () => {
  const { secret } = await newKey(gateway)
  await Promise.all(Array.from({ length: 20 }, () => fine(secret, 'new')))
  expect(onlyNew.seen).toMatchObject({ http1: 0, http2: 20 })
  expect(await gateway.command<object>('upstream', 'test', 'new')).toMatchObject({ ok: true })
})

test('where HTTP/2 is not offered, HTTP/1.1 is used', async () => {
  const { secret } = await newKey(gateway)
  for (let times = 0; times < 10; times++) await fine(secret, 'old')
  expect(onlyOld.seen).toMatchObject({ http1: 10, http2: 0, connections2: 0 })
})

test('http: 1.1 and http: 2 force the version', async () => {
  const { secret, settled } = await newKey(gateway)
  await fine(secret, 'forced1')
  expect(narrow.seen).toMatchObject({ http1: 1, http2: 0, connections1: 1, connections2: 0 })
  await fine(secret, 'narrow')
  expect(narrow.seen).toMatchObject({ http1: 1, http2: 1, connections1: 1, connections2: 1 })
  const { http1 } = onlyOld.seen
  await unreached(await chat(gateway.url, secret, chatBody('oldForced2', false)))
  expect(onlyOld.seen.http1).toBe(http1)
  expect((await settled()).filter((row) => row.outcome === 'failed')).toMatchObject([{ cost_usd: '0.00' }])
})

test('upstream list shows the version, where it is known', async () => {
  const list = await gateway.command<{ id: string; http: string | null }[]>('upstream', 'list')
  const versions = Object.fromEntries(list.map(({ id, http }) => [id, http]))
  expect(versions).toMatchObject({ own: '2', forced1: '1.1', forced2: '2', old: '1.1', oldForced2: '2' })
})

test('more concurrent calls than a connection allows: more connections', async () => {
  const { secret } = await newKey(gateway)
  const waiting: Parameters<Play>[0][] = []
  narrow.behave((call) => void waiting.push(call))
  const { connections2 } = narrow.seen
  const answers = Array.from({ length: 7 }, () => fine(secret, 'narrow'))
  await eventually(() => waiting.length === 7)
  for (const call of waiting) json()(call)
  await Promise.all(answers)
  expect(narrow.seen.connections2 - connections2).toBeLessThanOrEqual(4)
})

/** Does this to the first call, and responds to the others. */
function once(what: Play): Play {
  let done = false
  return (call) => {
    const isFirst = !done
    done = true
    if (isFirst) what(call)
    else if (call.body.includes('"stream":true')) events(ANSWER)(call)
    else json()(call)
  }
}

// Each guarantees that the upstream has not processed the call; the last is a used connection that was closing.
const UNSEEN: [string, Play][] = [
  ['refuses the stream', (call) => call.reset(CODES.refused)],
  ['goes away before the stream', (call) => call.goaway(call.id - 1, CODES.none)],
  [
    'goes away before the stream, and closes',
    (call) => {
      call.goaway(call.id - 1, CODES.none)
      call.close()
    },
  ],
  ['closes the connection', (call) => call.close()],
]

test.each(UNSEEN)('%s: the call is sent again', async (_, what) => {
  const { secret, settled } = await newKey(gateway)
  for (const [streamed, more] of [
    [false, {}],
    [true, {}],
    [true, LONG],
  ] as const) {
    both.behave(json())
    await fine(secret, 'forced2')
    const { http2 } = both.seen
    both.behave(once(what))
    const response = await chat(gateway.url, secret, chatBody('forced2', streamed, more))
    expect([response.status, both.seen.http2 - http2]).toEqual([200, 2])
    expect(await response.text()).toContain('Hello')
  }
  expect((await settled()).map((row) => row.cost_usd)).toEqual(Array(6).fill(cost(10, 20)))
})

test('an upstream that refuses every stream gets two attempts, each of them free', async () => {
  const { secret, settled } = await newKey(gateway)
  both.behave((call) => call.reset(CODES.refused))
  for (const [streamed, more, most] of [
    // Bun sends a body that it has kept up to five times more. A refused stream was not processed: that is harmless.
    [false, {}, 12],
    [true, {}, 12],
    [true, LONG, 4],
  ] as const) {
    const { http2 } = both.seen
    await unreached(await chat(gateway.url, secret, chatBody('forced2', streamed, more)))
    // Two attempts at most: there is no other upstream, and the same one is tried once more.
    expect(both.seen.http2 - http2).toBeLessThanOrEqual(most)
  }
  expect((await settled()).map((row) => row.cost_usd)).toEqual(['0.00', '0.00', '0.00'])
  both.behave(json())
  await fine(secret, 'forced2')
})

const NOT_ANSWERED: [string, Play][] = [
  ['resets the stream', (call) => call.reset(CODES.internal)],
  ['wants HTTP/1.1', (call) => call.reset(CODES.http1Required)],
  ['goes away with an error', (call) => call.goaway(call.id, CODES.internal)],
  ['has had enough', (call) => call.goaway(0, CODES.calm)],
  ['sends data without a head', (call) => call.data('x', true)],
]

test.each(NOT_ANSWERED)('%s: 502, free, one attempt, and the next call succeeds', async (_, what) => {
  const { secret, settled } = await newKey(gateway)
  for (const streamed of [false, true]) {
    const { http2 } = both.seen
    both.behave(once(what))
    await unreached(await chat(gateway.url, secret, chatBody('forced2', streamed)))
    expect(both.seen.http2 - http2).toBe(1)
    await fine(secret, 'forced2')
  }
  expect((await settled()).map((row) => [row.outcome, row.cost_usd]).sort()).toEqual([
    ['completed', cost(10, 20)],
    ['completed', cost(10, 20)],
    ['failed', '0.00'],
    ['failed', '0.00'],
  ])
})

const BROKEN_OFF: [string, string, Play][] = [
  ['resets the stream', 'forced2', (call) => call.reset(CODES.internal)],
  ['resets it without an error', 'forced2', (call) => call.reset(CODES.none)],
  ['refuses it too late', 'forced2', (call) => call.reset(CODES.refused)],
  ['goes away with an error', 'forced2', (call) => call.goaway(call.id, CODES.internal)],
  ['closes the connection', 'forced2', (call) => call.close()],
  ['says no more', 'hasty', () => {}],
]

test.each(
  BROKEN_OFF,
)('after output it %s: the stream ends in an error, delivered output is charged, the next call succeeds', async (_, model, what) => {
  const { secret, settled } = await newKey(gateway)
  let breakOff = () => {}
  both.behave(
    once((call) => {
      events([role(), event('b'.repeat(400))], false)(call)
      breakOff = () => what(call)
    }),
  )
  const client = await openClient(gateway.url, secret, chatBody(model, true))
  await client.readUntil('bbb')
  breakOff()
  expect(await client.readUntil('"error"')).not.toContain('[DONE]')
  await fine(secret, model)
  const [row] = (await settled()).filter(({ outcome }) => outcome !== 'completed')
  const { input = 0, output = 0 } = row?.receipt?.units ?? {}
  expect(row?.cost_usd).toBe(cost(input, output))
  expect(output).toBeGreaterThan(50)
})

test('a client disconnect resets its stream, and no other', async () => {
  const { secret, settled } = await newKey(gateway)
  const calls: Parameters<Play>[0][] = []
  both.behave((call) => {
    events([role(), event('Hello')], false)(call)
    calls.push(call)
  })
  const [disconnecting, staying] = [
    await openClient(gateway.url, secret, chatBody('forced2', true)),
    await openClient(gateway.url, secret, chatBody('forced2', true)),
  ]
  await Promise.all([disconnecting.readUntil('Hello'), staying.readUntil('Hello')])
  const resets = both.seen.resets.length
  disconnecting.disconnect()
  await eventually(() => both.seen.resets.length === resets + 1)
  expect(both.seen.resets.at(-1)).toBe(CODES.cancel)
  for (const call of calls) for (const text of [finish(), usage(), DONE]) call.data(text, text === DONE)
  expect(await staying.readUntil('[DONE]')).toContain('"stop"')
  expect(new Set(calls.map((call) => call.connection)).size).toBe(1)
  await eventually(async () => (await settled()).length === 2)
})

test('a stream whose client does not read delays no other on its connection', async () => {
  const { secret } = await newKey(gateway, '100')
  both.behave((call) => {
    if (!call.body.includes('flood')) return json()(call)
    call.head('text/event-stream')
    // The flow control window of a stream.
    for (let piece = 0; piece < 1_000; piece++) call.data(event('f'.repeat(15_000)))
  })
  const client = await openClient(gateway.url, secret, chatBody('forced2', true, { metadata: { flood: 'yes' } }))
  await client.readUntil('fff')
  await Promise.all(Array.from({ length: 10 }, () => fine(secret, 'forced2')))
  client.disconnect()
  // The gateway waits for the usage of what it has delivered.
  await eventually(async () => (await audit(gateway)).open_holds === 0)
})

// This test must be the last: afterwards the upstream is called with HTTP/1.1 for ten minutes.
test('where HTTP/2 was chosen and failed, HTTP/1.1 is used for a while', async () => {
  const { secret } = await newKey(gateway)
  both.behave((call) => call.reset(CODES.http1Required))
  const { http1 } = both.seen
  await unreached(await chat(gateway.url, secret, chatBody('renamed', false)))
  await fine(secret, 'renamed')
  await fine(secret, 'renamed')
  expect(both.seen.http1 - http1).toBe(2)
  expect(gateway.output().stderr).toContain('"upstream":"own","code":"HTTP2StreamReset"')
})
