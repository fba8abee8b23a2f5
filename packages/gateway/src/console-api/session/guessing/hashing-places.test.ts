import { describe, expect, test } from 'bun:test'
import { createHashingPlaces, type Requester } from './hashing-places.ts'

const BOUNDS = { most: 6, mostOfWide: 4, mostOfNetwork: 2 }
const from = (wide: string, network = '1'): Requester => ({ network: `${wide}.${network}`, wideNetwork: wide })
const known = (name: string): Requester => ({ network: name, wideNetwork: name, isKnown: true })

/** One place, in which work stays until `finish`. */
function places(bounds = BOUNDS) {
  let now = 0
  const timers: { at: number; run: () => void }[] = []
  const after = (ms: number, run: () => void) => {
    timers.push({ at: now + ms, run })
    return () => {}
  }
  const hashing = createHashingPlaces({ after, clock: () => now, places: 1, bounds })
  const started: string[] = []
  const rejected: string[] = []
  const running: (() => void)[] = []
  const request = (name: string, requester: Requester, client?: { isDisconnected: boolean }) => {
    const work = () => {
      started.push(name)
      return new Promise<void>((resolve) => void running.push(resolve))
    }
    return hashing.run(requester, work, client).then((done) => done === undefined && rejected.push(name))
  }
  const settled = () => Bun.sleep(0)
  return {
    started,
    rejected,
    request,
    settled,
    async finishAll() {
      for (await settled(); running.length > 0; await settled()) running.shift()?.()
    },
    async advance(ms: number) {
      const end = now + ms
      for (;;) {
        const next = timers.toSorted((one, other) => one.at - other.at)[0]
        if (next === undefined || next.at > end) break
        timers.splice(timers.indexOf(next), 1)
        now = next.at
        next.run()
      }
      now = end
      await settled()
    },
  }
}

describe('hashing places', () => {
  test('serve wide networks in turn, and within each its networks', async () => {
    const { request, started, finishAll } = places()
    for (const [name, requester] of [
      ['running', from('a')],
      ['a1', from('a', '1')],
      ['a1 again', from('a', '1')],
      ['a2', from('a', '2')],
      ['b', from('b')],
      ['c', from('c')],
    ] as const)
      void request(name, requester)
    await finishAll()
    expect(started).toEqual(['running', 'a1', 'c', 'b', 'a2', 'a1 again'])
  })

  test('a long queue of many networks does not delay one that comes later by more than two entries', async () => {
    const { request, started, finishAll } = places({ most: 100, mostOfWide: 4, mostOfNetwork: 2 })
    for (let index = 0; index < 60; index++) void request(`flood ${index}`, from(`flood ${index}`))
    void request('late', from('late'))
    await finishAll()
    expect(started.indexOf('late')).toBeLessThanOrEqual(2)
    expect(started).toHaveLength(61)
  })

  test('serve known visitors and others in turn: a flood from many networks delays a known one by one entry', async () => {
    const { request, started, finishAll } = places()
    for (const name of ['running', 'a', 'b', 'c', 'd']) void request(name, from(name))
    for (const name of ['x', 'y']) void request(name, known(name))
    await finishAll()
    expect(started.slice(0, 5)).toEqual(['running', 'y', 'a', 'x', 'd'])
  })

  test('are limited per network and wide network; if the queue is full, the largest share gives way', async () => {
    const { request, started, rejected, finishAll, settled } = places()
    void request('running', from('z'))
    for (const name of ['a1', 'a1 second', 'a1 third']) void request(name, from('a', '1'))
    for (const name of ['a2', 'a2 second', 'a3']) void request(name, from('a', name.slice(0, 2)))
    await settled()
    expect(rejected).toEqual(['a1 third', 'a3'])
    for (const name of ['b', 'c', 'd', 'e', 'f']) void request(name, from(name))
    await settled()
    // Six wait. A network that has none gets in as long as another has several.
    expect(rejected).toEqual(['a1 third', 'a3', 'a2 second', 'a1 second', 'a2'])
    void request('g', from('g'))
    await settled()
    expect(rejected.slice(5)).toEqual(['g'])
    await finishAll()
    expect(started).toEqual(['running', 'a1', 'f', 'b', 'e', 'c', 'd'])
  })

  test('skip clients that have disconnected, and reject what waits for too long', async () => {
    const { request, started, rejected, finishAll, advance, settled } = places()
    const client = { isDisconnected: false }
    void request('running', from('a'))
    void request('gone', from('b'), client)
    void request('late', from('c'))
    client.isDisconnected = true
    await advance(1_000)
    expect(rejected).toEqual(['gone'])
    await advance(28_000)
    expect(rejected).toEqual(['gone'])
    await advance(1_000)
    expect(rejected).toEqual(['gone', 'late'])
    void request('next', from('d'))
    await settled()
    await finishAll()
    expect(started).toEqual(['running', 'next'])
  })

  test('work that fails frees its place', async () => {
    const hashing = createHashingPlaces({ after: () => () => {}, clock: () => 0, places: 1 })
    const error = await hashing.run(from('a'), () => Promise.reject(new Error('no memory'))).catch(String)
    expect(error).toBe('Error: no memory')
    expect(await hashing.run(from('a'), async () => 7)).toEqual({ value: 7 })
  })
})
