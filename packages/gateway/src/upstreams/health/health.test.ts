import { expect, test } from 'bun:test'
import type { Upstream } from '../../config/types.ts'
import { createHealth } from './health.ts'

const upstream = (id: string, baseUrl: string, keys: string[]): Upstream => ({
  id,
  kind: 'custom',
  dialect: 'chat',
  endpoints: [],
  baseUrl,
  keys,
  maxConcurrency: undefined,
  proxy: undefined,
  timeouts: { firstByteMs: 1, idleMs: 1, totalMs: 1 },
  allowPrivate: false,
  sharedObjects: false,
  billsOnAbort: 'nothing',
})

test('each key has its own health and keeps it over a reload', () => {
  const health = createHealth()
  const [one, two] = health.keysOf(upstream('a', 'https://a.example/v1', ['key-one-123456', 'key-two-123456']))
  expect(one?.health).not.toBe(two?.health)
  const [again] = health.keysOf(upstream('a', 'https://a.example/v1', ['key-one-123456']))
  expect(again?.health).toBe(one?.health)
})

test('upstreams with the same host and key share their health; other hosts do not', () => {
  const health = createHealth()
  const healthOf = (id: string, url: string, key: string) => health.keysOf(upstream(id, url, [key]))[0]?.health
  const lane = healthOf('a', 'https://a.example/v1', 'key-one-123456')
  expect(healthOf('b', 'https://a.example/v1', 'key-one-123456')).toBe(lane)
  expect(healthOf('b', 'https://b.example/v1', 'key-one-123456')).not.toBe(lane)
})

test('keys that share a quota share cool-downs across upstreams, and nothing else', () => {
  const health = createHealth()
  const healthOf = (id: string, url: string, quota?: string) => {
    const [way] = health.keysOf({ ...upstream(id, url, [`key-of-${id}-123456`]), quota })
    if (!way) throw new Error('no way')
    return way.health
  }
  const [a, b] = [healthOf('a', 'https://a.example/v1', 'house'), healthOf('b', 'https://b.example/v1', 'house')]
  const [other, alone] = [healthOf('c', 'https://a.example/v1', 'other'), healthOf('d', 'https://a.example/v1')]
  a.record('m', { is: 'limited', waitMs: 7_000, all: false }, 0)
  const ready = (model: string) => [a, b, other, alone].map((lane) => lane.isReady(model, 1_000))
  expect([ready('m'), ready('n')]).toEqual([
    [false, false, true, true],
    [true, true, true, true],
  ])
  expect([b.hasRetryAfter('m', 1_000), b.readyAt('m')]).toEqual([true, 7_000])
  a.record('n', { is: 'limited', waitMs: undefined, all: true }, 10_000)
  expect(b.report(10_500)).toMatchObject({ state: 'cooling', until: 12_000 })
  a.record('m', { is: 'rejected', reason: 'wrong key' }, 20_000)
  expect([a.isReady('m', 20_001), b.isReady('m', 20_001)]).toEqual([false, true])
})

test('services without keys are told apart by their URL', () => {
  const health = createHealth()
  const healthOf = (id: string, url: string) => health.keysOf(upstream(id, url, ['none']))[0]?.health
  expect(healthOf('a', 'http://127.0.0.1:1/v1')).not.toBe(healthOf('b', 'http://127.0.0.1:1/v1'))
})

test('a report never shows a key', () => {
  const health = createHealth()
  const long = upstream('a', 'https://a.example/v1', ['key-one-123456', 'short', 'none'])
  expect(health.report(long, 0).map(({ key }) => key)).toEqual(['...3456', '...', 'none'])
})

test('a report has durations, not times: clocks of processes differ', () => {
  const health = createHealth()
  const at = upstream('a', 'https://a.example/v1', ['key-one-123456', 'key-two-123456'])
  const [one, two] = health.keysOf(at)
  one?.health.record('m', { is: 'limited', waitMs: 7_000, all: false }, 5_000)
  two?.health.record('m', { is: 'rejected', reason: 'wrong key' }, 5_000)
  expect(health.report(at, 6_000)).toMatchObject([
    { state: 'ready', waitMs: undefined, cooling: [{ model: 'm', waitMs: 6_000 }] },
    { state: 'rejected', waitMs: 299_000, cooling: [] },
  ])
  expect(health.report(at, 12_000)[0]?.cooling).toEqual([])
})

test('a switch is that of the upstream’s id, also in a configuration that is loaded later', () => {
  const health = createHealth()
  const switchOf = (id: string) => health.switchOf(upstream(id, 'https://a.example/v1', ['key-one-123456']))
  const before = switchOf('a')
  const row = { upstream: 'a', at: 0, actor: 'command-line', reason: '', resets: 0 }
  health.setSwitches([{ ...row, state: 'draining' }], new Map())
  expect([before.state, switchOf('a').state, switchOf('b').state]).toEqual(['draining', 'draining', 'enabled'])
  health.setSwitches([], new Map())
  expect(before.state).toBe('enabled')
})

test('a reset is done once, and forgets everything but latency and requests in flight', () => {
  const health = createHealth()
  const at = { ...upstream('a', 'https://a.example/v1', ['key-one-123456']), quota: 'q' }
  const [key] = health.keysOf(at)
  const ill = () => {
    for (let count = 0; count < 10; count++) key?.health.record('m', { is: 'failure', restMs: 9_000 }, 0)
    key?.health.record('m', { is: 'limited', waitMs: 9_000, all: true }, 0)
    key?.health.record('m', { is: 'rejected', reason: '401' }, 0)
  }
  key?.health.record('m', { is: 'good', latencyMs: 7 }, 0)
  ill()
  expect([key?.health.obstacle('m', 1), key?.health.isUsableAsLastResort('m', 1)]).toEqual(['key_rejected', false])
  const row = { upstream: 'a', state: 'enabled', at: 0, actor: '', reason: '', resets: 1 } as const
  health.setSwitches([row], new Map([['a', at]]))
  expect(health.report(at, 1)).toEqual([
    {
      key: '...3456',
      state: 'ready',
      waitMs: undefined,
      cooling: [],
      reason: undefined,
      inFlight: 0,
      latencyMs: 7,
      failures: 0,
      isKnown: false,
    },
  ])
  expect([key?.health.obstacle('m', 1), key?.health.isHealthy]).toEqual([undefined, true])
  ill()
  health.setSwitches([row], new Map([['a', at]]))
  expect(key?.health.obstacle('m', 1)).toBe('key_rejected')
})
