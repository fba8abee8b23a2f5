import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { TestClient } from '../../../http/test-support/serve.ts'
import { FairQueue } from './fair-queue.ts'
import { mayTake, mostPerAccount } from './fair-share.ts'

type Account = { readonly account: bigint; slots: number }
type Request = { id: number; of: Account; client: TestClient; since: number }

/** Slots that are shared by the rules, and a queue for them. */
function poolOf(limit: number, accounts: number) {
  const holders: Account[] = Array.from({ length: accounts }, (_, index) => ({ account: BigInt(index), slots: 0 }))
  const queue = new FairQueue<Request>(() => 1)
  const [waiting, running]: [Request[], Request[]] = [[], []]
  const [served, sentAway]: [Request[], Request[]] = [[], []]
  let [now, ids] = [0, 0]
  const taken = () => running.length
  const mayGo = ({ of }: Request) => mayTake(of.slots, taken(), limit)
  const without = (list: Request[], one: Request) => void list.splice(list.indexOf(one), 1)
  function callNext(): void {
    for (let next = queue.next(mayGo); next; next = queue.next(mayGo)) {
      // No account that may go holds fewer slots, or came earlier and holds as many.
      const best = waiting.filter(mayGo).sort((a, b) => a.of.slots - b.of.slots || a.since - b.since)[0]
      expect([next.holder.slots, next.since]).toEqual([best?.of.slots ?? -1, best?.since ?? -1])
      queue.releaseFirst(next.holder.account)
    }
  }
  return {
    holders,
    queue,
    waiting,
    running,
    served,
    sentAway,
    arrive(index: number) {
      const of = holders[index % accounts]
      if (!of) return
      const request: Request = { id: ids++, of, client: new TestClient(), since: ++now }
      waiting.push(request)
      queue.enqueue(of, request, request.since, request.client, (inTime) => {
        without(waiting, request)
        if (!inTime) return void sentAway.push(request)
        of.slots++
        running.push(request)
        served.push(request)
      })
      callNext()
    },
    end(index: number) {
      const request = running[index % Math.max(1, running.length)]
      if (!request) return
      without(running, request)
      request.of.slots--
      callNext()
    },
    disconnect(index: number) {
      waiting[index % Math.max(1, waiting.length)]?.client.disconnect()
    },
    expire: () => queue.expire(now),
  }
}

const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('arrive' as const), at: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), at: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disconnect' as const), at: fc.nat(99) }) },
)

describe('whatever happens', () => {
  const history = [
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 6 }),
    fc.array(action, { maxLength: 200 }),
  ] as const

  test('fewest first, no account beyond half, nothing lost, no queued request that could run', () => {
    fc.assert(
      fc.property(...history, (limit, accounts, actions) => {
        const pool = poolOf(limit, accounts)
        for (const { do: what, at } of actions) {
          pool[what](at)
          expect(pool.running.length).toBeLessThanOrEqual(limit)
          for (const { slots } of pool.holders) expect(slots).toBeLessThanOrEqual(mostPerAccount(limit))
          expect(pool.waiting.some(({ of }) => mayTake(of.slots, pool.running.length, limit))).toBe(false)
          expect([pool.queue.length, pool.queue.weight]).toEqual([pool.waiting.length, pool.waiting.length])
        }
        // All running and queued requests end: none starves, and no slot is lost.
        while (pool.running.length > 0) pool.end(0)
        expect([pool.waiting.length, pool.queue.length, pool.queue.weight]).toEqual([0, 0, 0])
        expect(pool.holders.map(({ slots }) => slots)).toEqual(pool.holders.map(() => 0))
        for (const holder of pool.holders) {
          const ids = pool.served.filter(({ of }) => of === holder).map(({ id }) => id)
          expect(ids).toEqual(ids.toSorted((a, b) => a - b))
        }
      }),
    )
  })

  test('all queued requests are notified when the queue expires', () => {
    fc.assert(
      fc.property(...history, (limit, accounts, actions) => {
        const pool = poolOf(limit, accounts)
        for (const { do: what, at } of actions) pool[what](at)
        const waiting = [...pool.waiting]
        pool.expire()
        expect([pool.queue.length, pool.sentAway.filter((one) => waiting.includes(one)).length]).toEqual([
          0,
          waiting.length,
        ])
      }),
    )
  })
})

test('an account that arrives after a hundred requests of another is served next', () => {
  const pool = poolOf(4, 2)
  for (let count = 0; count < 100; count++) pool.arrive(0)
  expect(pool.running.length).toBe(2)
  pool.arrive(1)
  expect(pool.running.map(({ of }) => of.account)).toEqual([0n, 0n, 1n])
})
