import { describe, expect, test } from 'bun:test'
import { ConnectionLimit } from './connection-limit.ts'

class Line {
  idleSince: number | undefined
  isOpen = true
  constructor(idleSince: number | undefined) {
    this.idleSince = idleSince
  }
  evict(): void {
    this.isOpen = false
  }
}

function limitOf(most: number) {
  const clock = { now: 0 }
  const reports: { closed: number; rejected: number }[] = []
  /** `a:1` and `a:2` are networks of the same wide network. */
  const ownerOf = (address: string) =>
    address === 'proxy' ? undefined : { network: address, wideNetwork: `${address.split(':')[0]} wide` }
  const report = (counts: { closed: number; rejected: number }) => reports.push(counts)
  const limit = new ConnectionLimit({ most, ownerOf, now: () => clock.now, report })
  /** `busy`, or the time since which it has been idle. */
  const add = (address: string, state: number | 'busy') => {
    const line = new Line(state === 'busy' ? undefined : state)
    return { line, isIn: limit.add(line, address) }
  }
  return { limit, clock, reports, add }
}

describe('at the limit', () => {
  test('the address with the most connections loses its idle ones first, the longest idle before the others', () => {
    const { add } = limitOf(8)
    for (const _ of [1, 2]) add('proxy', 'busy')
    const few = [add('few', 1), add('few', 2)]
    const many = [add('many', 5), add('many', 3), add('many', 'busy'), add('many', 4)]
    const closed: string[] = []
    for (let count = 0; count < 5; count++) {
      expect(add(`new ${count}`, 'busy').isIn).toBeTrue()
      for (const [name, lines] of Object.entries({ few, many })) {
        for (const { line } of lines) {
          if (line.isOpen) continue
          closed.push(`${name} ${line.idleSince}`)
          line.isOpen = true
        }
      }
    }
    expect(closed).toEqual(['many 3', 'many 4', 'few 1', 'many 5', 'few 2'])
  })

  test.each(['many', 'proxy'])('of those idle since the same tick, the first is closed first: %s', (address) => {
    const { add } = limitOf(6)
    for (const _ of [1, 2, 3]) add('proxy', 'busy')
    const lines = [7, 7, 7].map((since) => add(address, since).line)
    add('new', 'busy')
    expect(lines.map(({ isOpen }) => isOpen)).toEqual([false, true, true])
  })

  test('connections of a trusted proxy are not counted together', () => {
    const { add } = limitOf(6)
    const proxied = [1, 2, 3, 4].map((since) => add('proxy', since))
    const pair = [add('pair', 9), add('pair', 8)]
    add('new', 'busy')
    expect([...proxied, ...pair].map(({ line }) => line.isOpen)).toEqual([true, true, true, true, true, false])
    add('new', 'busy')
    expect(proxied.map(({ line }) => line.isOpen)).toEqual([false, true, true, true])
  })

  test('a busy connection is never closed: new ones are rejected until one is idle or closed', () => {
    const { add, clock, limit } = limitOf(4)
    for (const _ of [1, 2]) add('proxy', 'busy')
    const [first, second] = [add('a', 'busy'), add('a', 'busy')]
    expect(add('b', 0).isIn).toBeFalse()
    first.line.idleSince = 1
    clock.now = 250
    expect(add('b', 'busy').isIn).toBeTrue()
    expect([first.line.isOpen, second.line.isOpen]).toEqual([false, true])
    limit.remove(second.line)
    expect(add('b', 0).isIn).toBeTrue()
  })

  test('several are closed at once, since each search looks at all', () => {
    const { add } = limitOf(320)
    const lines = Array.from({ length: 160 }, (_, since) => add('a', since).line)
    for (const _ of lines) add('proxy', 'busy')
    add('b', 'busy')
    expect(lines.filter(({ isOpen }) => !isOpen).map(({ idleSince }) => idleSince)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
  })

  test('closed and rejected connections are reported once a minute', () => {
    const { add, clock, reports } = limitOf(1)
    for (let count = 0; count < 4; count++) add('a', 0)
    expect(reports).toEqual([{ closed: 1, rejected: 0 }])
    add('a', 'busy')
    clock.now = 60_000
    add('a', 0)
    expect(reports).toEqual([
      { closed: 1, rejected: 0 },
      { closed: 3, rejected: 1 },
    ])
  })
})

describe('busy connections', () => {
  const admitted = (add: ReturnType<typeof limitOf>['add'], addresses: readonly string[]) =>
    addresses.filter((address) => add(address, 'busy').isIn).length
  const times = (count: number, address: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => address(i))

  test('of one network are at most half of all', () => {
    const { add } = limitOf(32)
    expect(
      admitted(
        add,
        times(40, () => 'a'),
      ),
    ).toBe(16)
    expect(
      admitted(
        add,
        times(14, () => 'b'),
      ),
    ).toBe(14)
  })

  test('of one wide network are at most half of all, in however many networks', () => {
    const { add } = limitOf(32)
    expect(
      admitted(
        add,
        times(40, (index) => `a:${index}`),
      ),
    ).toBe(16)
  })

  test('leave a sixteenth for wide networks that have none', () => {
    const { add } = limitOf(32)
    expect(
      admitted(
        add,
        times(40, () => 'a'),
      ) +
        admitted(
          add,
          times(40, (index) => `b:${index}`),
        ),
    ).toBe(30)
    expect(admitted(add, ['c', 'c', 'b:99', 'd', 'e'])).toBe(2)
  })

  test('of proxies are not shared out', () => {
    const { add } = limitOf(32)
    expect(
      admitted(
        add,
        times(40, () => 'proxy'),
      ),
    ).toBe(32)
  })
})

test('beyond its share a network loses its own idle connections alone', () => {
  const { add } = limitOf(8)
  const other = add('b', 1)
  const own = [5, 6, 7, 8].map((since) => add('a', since))
  expect(add('a', 'busy').isIn).toBeTrue()
  expect([other, ...own].map(({ line }) => line.isOpen)).toEqual([true, false, true, true, true])
})
