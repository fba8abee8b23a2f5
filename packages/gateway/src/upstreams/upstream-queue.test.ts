import { expect, test } from 'bun:test'
import { TestClient } from '../../../http/test-support/serve.ts'
import { createUpstreamQueue } from './upstream-queue.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Upstreams with some free slots; a released request takes one, as a real one does. */
function upstreams(free: Record<string, number>) {
  const room = createUpstreamQueue()
  const called: string[] = []
  let accounts = 100n
  const held = new Map<bigint, number>()
  return {
    room,
    called,
    free,
    /** `name`: of the waiter; the model is that of the upstream. */
    async wait(name: string, model: string, since = 0, client = new TestClient(), account = ++accounts, most = 99) {
      const slots = () => held.get(account) ?? 0
      const isAvailable = () => (free[model] ?? 0) > 0
      const hasRoom = () => isAvailable() && slots() < most
      const holder = {
        account,
        get slots() {
          return slots()
        },
      }
      while (await room.wait(model, { since, client, holder, hasRoom, isAvailable })) {
        if (!isAvailable()) continue
        free[model] = (free[model] ?? 0) - 1
        held.set(account, slots() + 1)
        return void called.push(name)
      }
      called.push(`not ${name}`)
    },
    async end(...models: string[]) {
      for (const model of models) {
        free[model] = (free[model] ?? 0) + 1
        room.freed()
      }
      await settled()
    },
  }
}

test('a call that ends serves one queued request, the first', async () => {
  const { room, called, wait, end } = upstreams({ a: 0 })
  void wait('first', 'a')
  void wait('second', 'a')
  expect([room.hasQueue('a', 101n), room.hasQueue('b', 101n)]).toEqual([true, false])
  await end('a')
  expect(called).toEqual(['first'])
  await end('a')
  expect([called, room.hasQueue('a', 101n)]).toEqual([['first', 'second'], false])
})

test('two that end together serve two', async () => {
  const { called, wait, end } = upstreams({ a: 0 })
  for (const name of ['first', 'second', 'third']) void wait(name, 'a')
  await end('a', 'a')
  expect(called).toEqual(['first', 'second'])
})

test('a call that ends elsewhere serves none, and a request released in vain keeps its queue position', async () => {
  const { called, wait, end } = upstreams({ a: 0, b: 0 })
  for (const [index, name] of ['first', 'second', 'third'].entries()) void wait(name, 'a', index)
  await end('b')
  expect(called).toEqual([])
  // Both are called for one slot: neither has taken it when the second event arrives.
  await end('a', 'b')
  expect(called).toEqual(['first'])
  await end('a')
  await end('a')
  expect(called).toEqual(['first', 'second', 'third'])
})

test('of two models, the one whose request arrived first', async () => {
  const { room, called, wait, free } = upstreams({ a: 0, b: 0 })
  void wait('later', 'a', 20)
  void wait('earlier', 'b', 10)
  Object.assign(free, { a: 1, b: 1 })
  room.freed()
  await settled()
  expect(called).toEqual(['earlier'])
})

test('after a cool-down all requests with a free slot are served, not one at each tick', async () => {
  const { room, called, wait, free } = upstreams({ a: 0 })
  for (const name of ['first', 'second', 'third']) void wait(name, 'a')
  free.a = 2
  room.tick(100)
  for (let turns = 0; turns < 3; turns++) await settled()
  expect([called, free.a]).toEqual([['first', 'second'], 0])
})

test('ends: half a second, a disconnected client, a full queue, shutdown', async () => {
  const { room, called, wait } = upstreams({ a: 0, b: 0 })
  const leaving = new TestClient()
  void wait('expired', 'a', 0)
  void wait('disconnected', 'a', 200, leaving)
  room.tick(499)
  await settled()
  expect(called).toEqual([])
  room.tick(500)
  leaving.disconnect()
  await settled()
  expect([called, room.hasQueue('a', 101n)]).toEqual([['not expired', 'not disconnected'], false])
  for (let count = 0; count < 256; count++) void wait('one', 'b')
  await wait('more', 'b')
  expect(called).toEqual(['not expired', 'not disconnected', 'not more'])
  room.close()
  await settled()
  await wait('late', 'a')
  expect([called.length, called.at(-1)]).toEqual([260, 'not late'])
})

test('the account with the fewest calls is served first, and its requests in FIFO order', async () => {
  const { called, wait, end } = upstreams({ a: 0 })
  for (const name of ['one', 'two', 'three']) void wait(name, 'a', 0, new TestClient(), 1n)
  await end('a')
  void wait('another', 'a', 5, new TestClient(), 2n)
  await end('a')
  await end('a')
  await end('a')
  expect(called).toEqual(['one', 'another', 'two', 'three'])
})

test("a request that waits for its own account's calls does not block others", async () => {
  const { room, called, wait, free } = upstreams({ a: 1 })
  void wait('mine', 'a', 0, new TestClient(), 1n, 1)
  void wait('mine too', 'a', 0, new TestClient(), 1n, 1)
  room.freed()
  await settled()
  expect(called).toEqual(['mine'])
  free.a = 1
  expect([room.hasQueue('a', 1n), room.hasQueue('a', 2n)]).toEqual([true, false])
  void wait('other', 'a', 9, new TestClient(), 2n, 1)
  expect(room.hasQueue('a', 3n)).toBe(true)
  room.freed()
  await settled()
  expect(called).toEqual(['mine', 'other'])
})

test('an account may have half of the queue', async () => {
  const { called, wait } = upstreams({ a: 0 })
  for (let count = 0; count < 128; count++) void wait('one', 'a', 0, new TestClient(), 1n)
  await wait('more', 'a', 0, new TestClient(), 1n)
  expect(called).toEqual(['not more'])
  void wait('other', 'a')
  await settled()
  expect(called).toEqual(['not more'])
})
