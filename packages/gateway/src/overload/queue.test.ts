import { expect, test } from 'bun:test'
import { TestClient } from '@trivium/http/test-support.ts'
import { FifoQueue } from './queue.ts'

/** A line in which everybody has a name; `ends` tells how each left it, `gone` what the line told of it. */
function lineOf(...names: string[]) {
  const gone: string[] = []
  const ends: string[] = []
  const clients = new Map<string, TestClient>()
  const line = new FifoQueue<string>((name) => gone.push(name))
  const join = (name: string, since = clients.size) => {
    const client = new TestClient()
    clients.set(name, client)
    line.join(name, since, client, (inTime) => ends.push(`${name} ${inTime ? 'called' : 'sent home'}`))
  }
  for (const name of names) join(name)
  return { line, gone, ends, join, leave: (name: string) => clients.get(name)?.disconnect() }
}

test.each([
  ['the first', 'a', ['b', 'c', 'd', 'e']],
  ['one between', 'b', ['a', 'c', 'd', 'e']],
  ['the last', 'd', ['a', 'b', 'c', 'e']],
])('when %s leaves, the others keep their order', (_, who, others) => {
  const { line, gone, ends, join, leave } = lineOf('a', 'b', 'c', 'd')
  leave(who)
  leave(who)
  join('e')
  expect([line.length, line.first]).toEqual([4, others[0]])
  for (const _ of others) line.callFirst()
  expect(ends).toEqual([`${who} sent home`, ...others.map((other) => `${other} called`)])
  expect(gone).toEqual([who, ...others])
  expect([line.length, line.first, line.firstSince]).toEqual([0, undefined, undefined])
})

test('who comes back stands in front of those who came after him', () => {
  const { line, ends, join } = lineOf('at 0', 'at 1', 'at 2', 'at 3')
  line.callFirst()
  line.callFirst()
  join('at 0 again', 0)
  join('at 2, later', 2)
  join('at 9', 9)
  while (line.length > 0) line.callFirst()
  expect(ends.slice(2).map((end) => end.replace(' called', ''))).toEqual([
    'at 0 again',
    'at 2',
    'at 2, later',
    'at 3',
    'at 9',
  ])
})

test('sends home who has waited too long, and nobody else', () => {
  const { line, ends } = lineOf('a', 'b', 'c')
  line.expire(1)
  expect(ends).toEqual(['a sent home', 'b sent home'])
  expect(line.first).toBe('c')
})

test('who is called may join again at once', () => {
  const { line, ends, join } = lineOf('a')
  line.join('b', 1, new TestClient(), () => join('c', 2))
  line.callFirst()
  line.callFirst()
  expect([line.length, line.first, ends]).toEqual([1, 'c', ['a called']])
})
