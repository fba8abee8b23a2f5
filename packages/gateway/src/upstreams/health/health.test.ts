import { expect, test } from 'bun:test'
import type { Upstream } from '../../config/types.ts'
import { createHealth } from './health.ts'

const upstream = (id: string, baseUrl: string, keys: string[]): Upstream => ({
  ...{ id, kind: 'custom', dialect: 'chat', endpoints: [], baseUrl, keys, maxConcurrency: undefined, proxy: undefined },
  timeouts: { firstByteMs: 1, idleMs: 1, totalMs: 1 },
  ...{ allowPrivate: false, sharedObjects: false, billsOnAbort: 'nothing' },
})

test('each key has a lane of its own, and keeps it over a reload', () => {
  const health = createHealth()
  const [one, two] = health.waysTo(upstream('a', 'https://a.example/v1', ['key-one-123456', 'key-two-123456']))
  expect(one?.lane).not.toBe(two?.lane)
  const [again] = health.waysTo(upstream('a', 'https://a.example/v1', ['key-one-123456']))
  expect(again?.lane).toBe(one?.lane)
})

test('entries with the same host and key share a quota, hence a lane; other hosts do not', () => {
  const health = createHealth()
  const laneOf = (id: string, url: string, key: string) => health.waysTo(upstream(id, url, [key]))[0]?.lane
  const lane = laneOf('a', 'https://a.example/v1', 'key-one-123456')
  expect(laneOf('b', 'https://a.example/v1', 'key-one-123456')).toBe(lane)
  expect(laneOf('b', 'https://b.example/v1', 'key-one-123456')).not.toBe(lane)
})

test('credentials that share a quota cool together, whichever upstreams they belong to; the rest is their own', () => {
  const health = createHealth()
  const laneOf = (id: string, url: string, quota?: string) => {
    const [way] = health.waysTo({ ...upstream(id, url, [`key-of-${id}-123456`]), quota })
    if (!way) throw new Error('no way')
    return way.lane
  }
  const [a, b] = [laneOf('a', 'https://a.example/v1', 'house'), laneOf('b', 'https://b.example/v1', 'house')]
  const [other, alone] = [laneOf('c', 'https://a.example/v1', 'other'), laneOf('d', 'https://a.example/v1')]
  a.judge('m', { is: 'limited', waitMs: 7_000, all: false }, 0)
  const ready = (model: string) => [a, b, other, alone].map((lane) => lane.isReady(model, 1_000))
  expect([ready('m'), ready('n')]).toEqual([
    [false, false, true, true],
    [true, true, true, true],
  ])
  expect([b.asksToWait('m', 1_000), b.readyAt('m')]).toEqual([true, 7_000])
  a.judge('n', { is: 'limited', waitMs: undefined, all: true }, 10_000)
  expect(b.report(10_500)).toMatchObject({ state: 'cooling', until: 12_000 })
  a.judge('m', { is: 'rejected', reason: 'wrong key' }, 20_000)
  expect([a.isReady('m', 20_001), b.isReady('m', 20_001)]).toEqual([false, true])
})

test('services without keys are apart by their address', () => {
  const health = createHealth()
  const laneOf = (id: string, url: string) => health.waysTo(upstream(id, url, ['none']))[0]?.lane
  expect(laneOf('a', 'http://127.0.0.1:1/v1')).not.toBe(laneOf('b', 'http://127.0.0.1:1/v1'))
})

test('a report never shows a key', () => {
  const health = createHealth()
  const long = upstream('a', 'https://a.example/v1', ['key-one-123456', 'short', 'none'])
  expect(health.report(long, 0).map(({ key }) => key)).toEqual(['...3456', '...', 'none'])
})

test('a report says how long it will be, not when: clocks of processes differ', () => {
  const health = createHealth()
  const at = upstream('a', 'https://a.example/v1', ['key-one-123456', 'key-two-123456'])
  const [one, two] = health.waysTo(at)
  one?.lane.judge('m', { is: 'limited', waitMs: 7_000, all: false }, 5_000)
  two?.lane.judge('m', { is: 'rejected', reason: 'wrong key' }, 5_000)
  expect(health.report(at, 6_000)).toMatchObject([
    { state: 'ready', waitMs: undefined, cooling: [{ model: 'm', waitMs: 6_000 }] },
    { state: 'rejected', waitMs: 299_000, cooling: [] },
  ])
  expect(health.report(at, 12_000)[0]?.cooling).toEqual([])
})
