import { expect, test } from 'bun:test'
import { TestClient } from '../../../http/test-support/serve.ts'
import { FifoQueue } from './fifo-queue.ts'

/** A queue of named items; `ends` collects how each left it, `gone` what the queue reported. */
function queueOf(...names: string[]) {
  const gone: string[] = []
  const ends: string[] = []
  const clients = new Map<string, TestClient>()
  const queue = new FifoQueue<string>((name) => gone.push(name))
  const join = (name: string, since = clients.size) => {
    const client = new TestClient()
    clients.set(name, client)
    queue.enqueue(name, since, client, (inTime) => ends.push(`${name} ${inTime ? 'called' : 'dropped'}`))
  }
  for (const name of names) join(name)
  return { queue, gone, ends, join, leave: (name: string) => clients.get(name)?.disconnect() }
}

test.each([
  ['the first', 'a', ['b', 'c', 'd', 'e']],
  ['one between', 'b', ['a', 'c', 'd', 'e']],
  ['the last', 'd', ['a', 'b', 'c', 'e']],
])('when %s disconnects, the others keep their order', (_, name, others) => {
  const { queue, gone, ends, join, leave } = queueOf('a', 'b', 'c', 'd')
  leave(name)
  leave(name)
  join('e')
  expect([queue.length, queue.first]).toEqual([4, others[0]])
  for (const _ of others) queue.releaseFirst()
  expect(ends).toEqual([`${name} dropped`, ...others.map((other) => `${other} called`)])
  expect(gone).toEqual([name, ...others])
  expect([queue.length, queue.first, queue.firstSince]).toEqual([0, undefined, undefined])
})

test('a request that is queued again comes before those that arrived later', () => {
  const { queue, ends, join } = queueOf('at 0', 'at 1', 'at 2', 'at 3')
  queue.releaseFirst()
  queue.releaseFirst()
  join('at 0 again', 0)
  join('at 2, later', 2)
  join('at 9', 9)
  while (queue.length > 0) queue.releaseFirst()
  expect(ends.slice(2).map((end) => end.replace(' called', ''))).toEqual([
    'at 0 again',
    'at 2',
    'at 2, later',
    'at 3',
    'at 9',
  ])
})

test('expires requests that have been queued too long, and no others', () => {
  const { queue, ends } = queueOf('a', 'b', 'c')
  queue.expire(1)
  expect(ends).toEqual(['a dropped', 'b dropped'])
  expect(queue.first).toBe('c')
})

test('a released request may queue again at once', () => {
  const { queue, ends, join } = queueOf('a')
  queue.enqueue('b', 1, new TestClient(), () => join('c', 2))
  queue.releaseFirst()
  queue.releaseFirst()
  expect([queue.length, queue.first, ends]).toEqual([1, 'c', ['a called']])
})
