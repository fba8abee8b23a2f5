import { expect, test } from 'bun:test'
import { createSharedSlots, type Share } from './shared-slots.ts'

function slots(limit = 16, ofPool = 8, mostWaiting = 100) {
  const woken: string[] = []
  const releases = new Map<string, () => void>()
  const shared = createSharedSlots<string>({
    limit,
    limitOf: () => ofPool,
    mostWaiting,
    woken(item, release) {
      woken.push(item)
      releases.set(item, release)
    },
  })
  let key = 0n
  return {
    ...shared,
    woken,
    /** How many the share gets when it takes all that it can. */
    takeAll(share: Share): (() => void)[] {
      const taken: (() => void)[] = []
      for (let release = shared.take(share); release; release = shared.take(share)) taken.push(release)
      return taken
    },
    queue: (share: Share, item: string, as = key++) => shared.wait(as, share, item),
    release: (item: string) => releases.get(item)?.(),
  }
}
const share = (account: bigint, ...pools: string[]): Share => ({ account, pools })

test('an account gets half of a pool, and the last slot is for accounts without any', () => {
  const { takeAll, take } = slots()
  expect(takeAll(share(1n, 'x'))).toHaveLength(4)
  expect(takeAll(share(2n, 'x'))).toHaveLength(3)
  expect(takeAll(share(3n, 'x'))).toHaveLength(1)
  expect(takeAll(share(4n, 'x'))).toHaveLength(0)
  expect(takeAll(share(1n, 'y'))).toHaveLength(4)
  expect(takeAll(share(1n, 'z'))).toHaveLength(0)
  expect(takeAll(share(2n, 'z'))).toHaveLength(3)
  expect(take(share(5n, 'z'))).toBeDefined()
})

test('a slot that becomes free wakes the account with the fewest, and of each the one that came first', () => {
  const { takeAll, queue, woken, release } = slots(4, 4)
  const [first, second] = takeAll(share(1n, 'x'))
  const [third] = takeAll(share(2n, 'x'))
  takeAll(share(3n, 'x'))
  for (const [account, item] of [
    [1n, 'a'],
    [1n, 'b'],
    [2n, 'c'],
  ] as const)
    queue(share(account, 'x'), item)
  expect(woken).toEqual([])
  third?.()
  expect(woken).toEqual(['c'])
  first?.()
  second?.()
  expect(woken).toEqual(['c', 'a'])
  release('a')
  expect(woken).toEqual(['c', 'a', 'b'])
})

test('what waits for a full pool is passed by what waits for another, and a slot is released once', () => {
  const { takeAll, queue, woken } = slots(8, 2)
  const [release] = takeAll(share(1n, 'slow'))
  expect(takeAll(share(2n, 'slow'))).toHaveLength(1)
  queue(share(1n, 'slow'), 'stuck')
  queue(share(1n, 'quick'), 'free')
  expect(woken).toEqual(['free'])
  release?.()
  release?.()
  expect(woken).toEqual(['free', 'stuck'])
  expect(takeAll(share(3n, 'slow'))).toHaveLength(0)
})

test('one account fills no more than half of the queue, an item waits once, and nothing waits after the end', () => {
  const { takeAll, queue, close, woken } = slots(4, 4, 8)
  const taken = [1n, 2n, 3n].flatMap((account) => takeAll(share(account, 'x')))
  const queued = Array.from({ length: 10 }, (_, index) => queue(share(1n, 'x'), `greedy ${index}`))
  expect(queued.filter(Boolean)).toHaveLength(4)
  expect(queue(share(2n, 'x'), 'polite', 77n)).toBe(true)
  expect(queue(share(2n, 'x'), 'polite, changed', 77n)).toBe(true)
  for (const release of taken) release()
  expect(woken.filter((item) => item.startsWith('polite'))).toEqual(['polite, changed'])
  const before = woken.length
  close()
  expect(queue(share(9n, 'x'), 'late')).toBe(true)
  expect(woken.length - before).toBeLessThanOrEqual(1)
})
