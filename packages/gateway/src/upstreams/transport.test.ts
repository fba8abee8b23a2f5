// Which HTTP version a request uses and when it is sent again, in cases that are hard to produce with real servers.
import { expect, test } from 'bun:test'
import { Cancel } from '@trivium/http/cancel.ts'
import { type ConnectionOptions, createTransport } from './transport.ts'

const HOST = { id: 'up', baseUrl: 'https://api.example.com/v1', proxy: undefined }
const MINUTES = 60_000

type Said = { say: boolean | 'silent' | undefined | Error; refuses?: boolean }

/** A transport with a clock of its own; `say` is what the server's handshake offers. */
function setUp({ say, refuses = false }: Said = { say: true }) {
  const state = { now: 0, say, asked: [] as string[], ways: [] as ConnectionOptions[], reports: [] as string[] }
  const transport = createTransport({
    now: () => state.now,
    report: (upstream, code) => state.reports.push(`${upstream} ${code}`),
    refusesTls: async () => refuses,
    async offersHttp2(address) {
      state.asked.push(address)
      if (state.say instanceof Error) throw state.say
      return state.say
    },
  })
  /** Each code fails one attempt; the next one succeeds. */
  async function call(codes: string[] = [], more: object = {}, cancel = new Cancel()): Promise<ConnectionOptions[]> {
    const failures = [...codes]
    const before = state.ways.length
    await transport({ ...HOST, ...more }, cancel, async (way) => {
      state.ways.push(way)
      const code = failures.shift()
      if (code !== undefined) throw Object.assign(new Error('failed'), { code })
      return new Response()
    }).catch((error) => {
      if (error.message !== 'failed') throw error
    })
    return state.ways.slice(before)
  }
  return { state, transport, call }
}

const HTTP1: ConnectionOptions = { protocol: 'http1.1' }
const HTTP2: ConnectionOptions = { protocol: 'http2' }

test('the first request waits for the handshake, later ones do not', async () => {
  const { state, call } = setUp()
  expect(await call()).toEqual([HTTP2])
  expect(await call()).toEqual([HTTP2])
  state.now = 1_000 * MINUTES
  expect(await call()).toEqual([HTTP2])
  expect(state.asked).toEqual([HOST.baseUrl])
})

test('nothing is sent to a silent host, and the next request tries the handshake again', async () => {
  const { state, transport, call } = setUp({ say: 'silent' })
  const failing = async (): Promise<Response> => {
    throw new Error('was sent')
  }
  for (let times = 0; times < 2; times++) {
    expect(await transport(HOST, new Cancel(), failing).catch((error) => error.code)).toBe('ConnectTimeout')
  }
  state.say = true
  expect(await call()).toEqual([HTTP2])
  expect(state.asked).toHaveLength(3)
})

test('a cancelled request does not wait for the handshake', async () => {
  const transport = createTransport({ offersHttp2: () => new Promise(() => {}) })
  const cancel = new Cancel()
  const calling = transport(HOST, cancel, async () => {
    throw new DOMException('aborted', 'AbortError')
  })
  cancel.cancel()
  expect(await calling.catch((error) => error.name)).toBe('AbortError')
})

test.each([
  ['does not offer it', false],
  ['could not be reached', undefined],
  ['could not even be asked', new Error('no such name')],
])('a server that %s gets another handshake after ten minutes, once', async (_, said) => {
  const { state, call } = setUp({ say: said })
  for (let times = 0; times < 5; times++) expect(await call()).toEqual([HTTP1])
  state.now = 10 * MINUTES - 1
  await call()
  expect(state.asked).toHaveLength(1)
  state.now = 10 * MINUTES
  state.say = true
  const calls = [call(), call(), call()]
  expect(await Promise.all(calls)).toHaveLength(3)
  expect(state.asked).toHaveLength(2)
  expect(await call()).toEqual([HTTP2])
})

const NO_CHOICE: [string, object, ConnectionOptions][] = [
  ['plain http', { baseUrl: 'http://127.0.0.1:11434/v1' }, {}],
  ['plain http, HTTP/1.1 written', { baseUrl: 'http://127.0.0.1:11434/v1', http: '1.1' }, {}],
  ['a proxy', { proxy: 'http://proxy:3128' }, HTTP1],
  ['HTTP/1.1 written', { http: '1.1' }, HTTP1],
  ['HTTP/2 written', { http: '2' }, HTTP2],
]

test.each(NO_CHOICE)('%s: no handshake', async (_, more, way) => {
  const { state, call } = setUp()
  expect([await call([], more), await call([], more)]).toEqual([[way], [way]])
  expect(state.asked).toEqual([])
})

const FRESH: ConnectionOptions = { protocol: 'http2', keepalive: false }

// [the failure, attempts in all, attempts of the call after it]
const FAILURES: [string, ConnectionOptions[], ConnectionOptions[]][] = [
  ['ECONNRESET', [HTTP2, FRESH], [HTTP2]],
  // `fetch` has sent it again already.
  ['HTTP2RefusedStream', [HTTP2], [HTTP2]],
  ['HTTP2Unsupported', [HTTP2, HTTP1], [HTTP1]],
  // May happen while the upstream processes the request: never sent again.
  ['EPROTO', [HTTP2], [HTTP1]],
  ['HTTP2StreamReset', [HTTP2], [HTTP1]],
  ['HTTP2GoAway', [HTTP2], [HTTP1]],
  ['HTTP2ProtocolError', [HTTP2], [HTTP1]],
  ['ECONNREFUSED', [HTTP2], [HTTP2]],
]

test.each(FAILURES)('after %s', async (code, attempts, next) => {
  const { state, call } = setUp()
  await call()
  expect(await call([code, ...(attempts.length > 1 ? [] : ['unreachable'])])).toEqual(attempts)
  expect(await call()).toEqual(next)
  expect(state.reports).toEqual(next[0] === HTTP1 ? [`up ${code}`] : [])
  state.now = 10 * MINUTES
  await call()
  expect(await call()).toEqual([HTTP2])
})

test('a refused body that can be read once is sent again, once', async () => {
  const { transport } = setUp()
  let attempts = 0
  const refused = async () => {
    attempts++
    throw Object.assign(new Error(), { code: 'HTTP2RefusedStream' })
  }
  await expect(transport(HOST, new Cancel(), refused, true)).rejects.toMatchObject({ code: 'HTTP2RefusedStream' })
  expect(attempts).toBe(2)
})

test.each(['ECONNRESET', 'HTTP2Unsupported'])('%s: sent again once', async (code) => {
  const { call } = setUp()
  await call()
  expect(await call([code, code, code])).toHaveLength(2)
})

test('HTTP/2 that is configured is always used', async () => {
  const { call } = setUp()
  const demanded = { http: '2' }
  const gone = new Cancel()
  gone.cancel()
  for (const code of ['HTTP2Unsupported', 'HTTP2StreamReset', 'EPROTO']) {
    expect(await call([code], demanded)).toEqual([HTTP2])
  }
  expect(await call([], demanded)).toEqual([HTTP2])
})

test('a reset counts as a stale connection only if the host has responded before, and only within a second', async () => {
  const { state, transport, call } = setUp()
  expect(await call(['ECONNRESET'])).toEqual([HTTP2])
  await call()
  let attempts = 0
  const late = transport(HOST, new Cancel(), async () => {
    attempts++
    state.now += 1_000
    throw Object.assign(new Error(), { code: 'ECONNRESET' })
  })
  await expect(late).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(attempts).toBe(1)
})

test('a request that may be sent only once is not sent again after a reset', async () => {
  const { transport, call } = setUp()
  await call()
  let attempts = 0
  const reset = async (): Promise<Response> => {
    attempts++
    throw Object.assign(new Error(), { code: 'ECONNRESET' })
  }
  await expect(transport(HOST, new Cancel(), reset, true, true)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(attempts).toBe(1)
})

test('nothing is sent again after a cancellation', async () => {
  const { call } = setUp()
  await call()
  const gone = new Cancel()
  gone.cancel()
  for (const code of ['ECONNRESET', 'HTTP2RefusedStream', 'HTTP2Unsupported']) {
    expect(await call([code], {}, gone)).toHaveLength(1)
  }
})

test('a connection that is silent for 30 s gets no further requests until a response arrives', async () => {
  const { state, transport, call } = setUp()
  await call()
  const answers: ((reply: Response) => void)[] = []
  const hang = () => transport(HOST, new Cancel(), () => new Promise((resolve) => void answers.push(resolve)))
  const [first, second] = [hang(), hang()]
  state.now = 30_000
  expect(await call()).toEqual([HTTP2])
  // That request got a response: the clock starts again.
  state.now = 60_000
  expect(await call()).toEqual([HTTP2])
  state.now = 90_001
  expect(await call()).toEqual([HTTP1])
  answers[0]?.(new Response())
  await first
  expect(await call()).toEqual([HTTP2])
  answers[1]?.(new Response())
  await second
  // No request is pending: silence means nothing.
  state.now = 500_000
  expect(await call()).toEqual([HTTP2])
})

test('the number of remembered hosts is bounded', async () => {
  const { state, call } = setUp({ say: false })
  for (let index = 0; index <= 1_000; index++) await call([], { baseUrl: `https://host-${index}.example.com/v1` })
  expect(state.asked).toHaveLength(1_001)
  await call([], { baseUrl: 'https://host-1.example.com/v1' })
  expect(state.asked).toHaveLength(1_001)
  await call([], { baseUrl: 'https://host-0.example.com/v1' })
  expect(state.asked).toHaveLength(1_002)
})

test.each([
  [
    'that has never answered and fails our handshake, too',
    { refuses: true, before: 0, proxy: undefined },
    'TlsHandshakeFailed',
  ],
  ['whose handshake is good otherwise', { refuses: false, before: 0, proxy: undefined }, 'EPROTO'],
  ['that has answered before', { refuses: true, before: 1, proxy: undefined }, 'EPROTO'],
  ['behind a proxy', { refuses: true, before: 0, proxy: 'http://proxy.example.com' }, 'EPROTO'],
])('a TLS error of a server %s', async (_, { refuses, before, proxy }, code) => {
  const { transport, call } = setUp({ say: undefined, refuses })
  for (let times = 0; times < before; times++) await call()
  const failing = async () => {
    throw Object.assign(new Error('failed'), { code: 'EPROTO' })
  }
  expect(await transport({ ...HOST, proxy }, new Cancel(), failing).catch((error) => error.code)).toBe(code)
})
