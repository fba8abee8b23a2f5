import { expect, test } from 'bun:test'
import { createSharedResults, REST } from './shared-results.ts'

function setUp() {
  let now = 0
  let reads = 0
  const shared = createSharedResults(() => now, REST)
  const read = (tookMs = 0) =>
    shared.get('a', async () => {
      reads += 1
      now += tookMs
      return reads
    })
  return {
    shared,
    read,
    elapse: (ms: number) => {
      now += ms
    },
  }
}

test('all who ask while it is read, and for two seconds afterwards, share one read', async () => {
  const { read, elapse } = setUp()
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  elapse(1_999)
  expect(await read()).toBe(1)
  elapse(1)
  expect(await read()).toBe(2)
})

test('a read is shared for a hundred times as long as it took, and for a minute at most', async () => {
  const { read, elapse } = setUp()
  await read(50)
  elapse(4_999)
  expect(await read()).toBe(1)
  elapse(1)
  await read(5_000)
  elapse(59_999)
  expect(await read()).toBe(2)
  elapse(1)
  expect(await read()).toBe(3)
})

test('what fails is not kept; after a clear everything is read again, also what was being read', async () => {
  const { shared, read } = setUp()
  await expect(shared.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  const first = read()
  shared.clear()
  expect([await first, await read(), await read()]).toEqual([1, 2, 2])
})

test('the oldest of too many are read again', async () => {
  const { shared, read } = setUp()
  await read()
  for (let index = 0; index < 256; index += 1) await shared.get(String(index), async () => index)
  expect(await read()).toBe(2)
})
