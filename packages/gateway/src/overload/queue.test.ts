import { expect, test } from 'bun:test'
import { TestClient } from '@trivium/http/test-support.ts'
import { FifoQueue } from './queue.ts'

/** A queue of named items; `ends` collects how each left it, `gone` what the queue reported. */
function lineOf(...names: string[]) {
  const gone: string[] = []
  const ends: string[] = []
  const clients = new Map<string, TestClient>()
  const line = new FifoQueue<string>((name) => gone.push(name))
  const join = (name: string, since = clients.size) => {
    const client = new TestClient()
    clients.set(name, client)
    line.enqueue(name, since, client, (inTime) => ends.push(`${name} ${inTime ? 'called' : 'sent home'}`))
  }
  for (const name of names) join(name)
  return { line, gone, ends, join, leave: (name: string) => clients.get(name)?.disconnect() }
}

test.each([
  ['the first', 'a', ['b', 'c', 'd', 'e']],
  ['one between', 'b', ['a', 'c', 'd', 'e']],
  ['the last', 'd', ['a', 'b', 'c', 'e']],
])('when %s disconnects, the others keep their order', (_, who, others) => {
  const { line, gone, ends, join, leave } = lineOf('a', 'b', 'c', 'd')
  leave(who)
  leave(who)
  join('e')
  expect([line.length, line.first]).toEqual([4, others[0]])
  for (const _ of others) line.releaseFirst()
  expect(ends).toEqual([`${who} sent home`, ...others.map((other) => `${other} called`)])
  expect(gone).toEqual([who, ...others])
  expect([line.length, line.first, line.firstSince]).toEqual([0, undefined, undefined])
})

test('a request that is queued again comes before those that arrived later', () => {
  const { line, ends, join } = lineOf('at 0', 'at 1', 'at 2', 'at 3')
  line.releaseFirst()
  line.releaseFirst()
  join('at 0 again', 0)
  join('at 2, later', 2)
  join('at 9', 9)
  while (line.length > 0) line.releaseFirst()
  expect(ends.slice(2).map((end) => end.replace(' called', ''))).toEqual([
    'at 0 again',
    'at 2',
    'at 2, later',
    'at 3',
    'at 9',
  ])
})

test('expires requests that have been queued too long, and no others', () => {
  const { line, ends } = lineOf('a', 'b', 'c')
  line.expire(1)
  expect(ends).toEqual(['a sent home', 'b sent home'])
  expect(line.first).toBe('c')
})

test('a released request may queue again at once', () => {
  const { line, ends, join } = lineOf('a')
  line.enqueue('b', 1, new TestClient(), () => join('c', 2))
  line.releaseFirst()
  line.releaseFirst()
  expect([line.length, line.first, ends]).toEqual([1, 'c', ['a called']])
})
