import { expect, test } from 'bun:test'
import type { Ticker, Ticking } from '@trivium/http/ticker.ts'
import { createUpstreamCalls } from './upstream-call.ts'

/** A ticker whose time the test sets. */
function handTicker(intervalMs = 0) {
  const items = new Set<Ticking>()
  let now = 0
  const ticker: Ticker = {
    now: () => now,
    exactNow: () => now,
    intervalMs,
    add: (item) => void items.add(item),
    remove: (item) => void items.delete(item),
    each: (visit) => items.forEach(visit),
    after: () => () => {},
    stop: () => {},
  }
  return {
    ticker,
    size: () => items.size,
    at(time: number) {
      now = time
      for (const item of items) item.tick(time)
    },
  }
}

const UPSTREAM = {
  id: 'own',
  maxConcurrency: 2,
  keys: ['k'],
  timeouts: { firstByteMs: 100, idleMs: 50, totalMs: 1_000 },
}

function start(intervalMs = 0) {
  const hand = handTicker(intervalMs)
  const watches = createUpstreamCalls(hand.ticker)
  return { ...hand, watches, watch: watches.start(UPSTREAM, 1n) }
}

const LINE = Buffer.from('data: 1\n')

test('the first-byte timeout applies until the headers, then the idle timeout, and every line resets it', () => {
  const { at, watch } = start()
  at(99)
  expect(watch.reason).toBeUndefined()
  watch.headersArrived()
  at(148)
  watch.received(LINE)
  at(197)
  expect(watch.reason).toBeUndefined()
  at(198)
  expect([watch.reason, watch.cancellation.isCancelled]).toEqual(['timeout', true])
})

test.each<[string, Uint8Array, isSilence: boolean]>([
  ['a byte', Buffer.from('x'), true],
  ['ten bytes', Buffer.from('0123456789'), true],
  ['the end of a line', Buffer.from('\n'), false],
  ['the end of a line, as few write it', Buffer.from('\r'), false],
  ['a line, and the beginning of the next', Buffer.from(': still here\nda'), false],
  ['half of what is worth waiting for', Buffer.alloc(512, 'x'), false],
])('%s now and then: silence %p', (_, piece, isSilence) => {
  const { at, watch } = start()
  watch.headersArrived()
  for (let time = 20; time <= 100; time += 20) {
    at(time)
    watch.received(piece)
  }
  expect(watch.reason).toBe(isSilence ? 'timeout' : undefined)
})

test('a trickle after much is silence again', () => {
  const { at, watch } = start()
  watch.headersArrived()
  watch.received(Buffer.alloc(2_000, 'x'))
  for (let time = 20; time <= 100; time += 20) {
    at(time)
    watch.received(Buffer.from('x'))
  }
  expect(watch.reason).toBe('timeout')
})

test('limits count from when the request is sent, not from when it waited for its hold', () => {
  const { at, watch } = start()
  at(90)
  watch.sent()
  at(189)
  expect(watch.reason).toBeUndefined()
  at(190)
  expect(watch.reason).toBe('timeout')
})

test('silence is not the fault of the upstream while the client does not read; the total limit still holds', () => {
  const { at, watch } = start()
  watch.headersArrived()
  watch.suspendIdle(true)
  at(900)
  watch.suspendIdle(false)
  at(949)
  expect(watch.reason).toBeUndefined()
  watch.suspendIdle(true)
  at(1_000)
  expect(watch.reason).toBe('timeout')
})

test('the first reason stays, and a shorter time replaces a longer one only', () => {
  const { at, watch } = start()
  watch.headersArrived()
  watch.suspendIdle(true)
  watch.endWithin(200, 'client_disconnected')
  watch.endWithin(5_000, 'shutdown')
  at(199)
  expect(watch.reason).toBeUndefined()
  at(200)
  watch.abort('shutdown')
  expect(watch.reason).toBe('client_disconnected')
})

test('a cancellation is no reason to abort', () => {
  const { watch } = start()
  watch.cancel()
  expect([watch.reason, watch.cancellation.isCancelled]).toEqual([undefined, true])
})

test('onTick is called at each tick until the call stops', () => {
  const { at, watch, size, watches } = start()
  const ticks: number[] = []
  watch.onTick = (now) => ticks.push(now)
  at(10)
  at(20)
  watch.stop()
  watch.stop()
  at(30)
  expect(ticks).toEqual([10, 20])
  expect([size(), watches.size]).toEqual([0, 0])
})

test('an upstream is full at its limit, counted by its id, and free again when a call stops', () => {
  const { watches, watch } = start()
  expect(watches.isFull(UPSTREAM, 2n)).toBe(false)
  const second = watches.start({ ...UPSTREAM }, 2n)
  expect(watches.isFull({ ...UPSTREAM }, 3n)).toBe(true)
  expect(watches.isFull({ ...UPSTREAM, id: 'other' }, 3n)).toBe(false)
  expect(watches.isFull({ ...UPSTREAM, maxConcurrency: undefined }, 3n)).toBe(false)
  second.stop()
  second.stop()
  expect(watches.isFull(UPSTREAM, 3n)).toBe(false)
  watch.stop()
})

test.each([
  ['of the upstream', { maxConcurrency: 16 }],
  ['of its keys together', { maxConcurrency: undefined, maxConcurrencyPerKey: 8, keys: ['a', 'b'] }],
  ['whichever is lower', { maxConcurrency: 16, maxConcurrencyPerKey: 9, keys: ['a', 'b'] }],
])('an account has half of the limit at most, and the last is for one that has none: %s', (_, limits) => {
  const { watches } = start()
  const upstream = { ...UPSTREAM, id: 'shared', ...limits }
  const fill = (account: bigint) => {
    const calls = []
    while (!watches.isFull(upstream, account)) calls.push(watches.start(upstream, account))
    return calls
  }
  const [first, second, third] = [fill(1n), fill(2n), fill(3n)]
  expect([first.length, second.length, third.length, fill(4n).length]).toEqual([8, 7, 1, 0])
  for (const call of first.slice(0, 1)) watches.move(call, UPSTREAM)
  expect([watches.heldBy(1n, upstream), watches.isFull(upstream, 4n), watches.isFull(upstream, 1n)]).toEqual([
    7,
    false,
    true,
  ])
  for (const call of [...first, ...second, ...third]) call.stop()
  expect([1n, 2n, 3n].map((account) => watches.heldBy(account, upstream))).toEqual([0, 0, 0])
})

test('a shutdown aborts all running calls', () => {
  const { watches, watch } = start()
  const other = watches.start(UPSTREAM, 1n)
  other.stop()
  watches.abortAll('shutdown')
  expect([watch.reason, other.reason]).toEqual(['shutdown', undefined])
})

test.each(['silence', 'all of it'])('a clock that is a tick behind cuts nothing off %s', (limit) => {
  const { at, watch } = start(250)
  // Sent just before the tick at 250, but noted by the clock of the tick before.
  at(250)
  if (limit === 'all of it') for (let time = 300; time < 1_200; time += 100) [watch.received(LINE), at(time)]
  at(limit === 'silence' ? 349 : 1_249)
  expect(watch.reason).toBeUndefined()
  at(limit === 'silence' ? 350 : 1_250)
  expect(watch.reason).toBe('timeout')
})
