import { expect, test } from 'bun:test'
import { createTicker, Ticking } from './ticker.ts'

class Counter extends Ticking {
  ticks = 0
  readonly act: () => void
  constructor(act: () => void = () => {}) {
    super()
    this.act = act
  }
  tick(): void {
    this.ticks++
    this.act()
  }
}

/** Long enough that it never ticks by itself: `each` is what a tick does. */
const still = () => createTicker(1_000_000)

test('an added item is called at each tick until it is removed, also if it was added or removed twice', () => {
  const ticker = still()
  const [first, second, third] = [new Counter(), new Counter(), new Counter()]
  for (const item of [first, second, third]) ticker.add(item)
  ticker.each((item) => item.tick(0))
  ticker.remove(second)
  ticker.remove(second)
  ticker.each((item) => item.tick(0))
  expect([first.ticks, second.ticks, third.ticks]).toEqual([2, 1, 2])
  ticker.remove(first)
  ticker.remove(third)
  ticker.each((item) => item.tick(0))
  expect([first.ticks, second.ticks, third.ticks]).toEqual([2, 1, 2])
  ticker.add(second)
  ticker.each((item) => item.tick(0))
  expect(second.ticks).toBe(2)
  ticker.stop()
})

test('items may remove themselves or each other during a tick; the others are still called', () => {
  const ticker = still()
  const others = [new Counter(), new Counter()]
  const victim = new Counter()
  const killer: Counter = new Counter(() => {
    ticker.remove(victim)
    ticker.remove(killer)
  })
  for (const item of [others[0], victim, killer, others[1]]) if (item) ticker.add(item)
  ticker.each((item) => item.tick(0))
  ticker.each((item) => item.tick(0))
  expect([killer.ticks, victim.ticks]).toEqual([1, 0])
  expect(others.map(({ ticks }) => ticks)).toEqual([2, 2])
  ticker.stop()
})

test('a timer fires once, not before its time, and not if it was cancelled', async () => {
  let time = 0
  const ticker = createTicker(1, { clock: () => time })
  const rung: string[] = []
  ticker.after(100, () => rung.push('late'))
  ticker.after(10, () => rung.push('early'))
  const callOff = ticker.after(10, () => rung.push('never'))
  callOff()
  time = 50
  while (rung.length === 0) await Bun.sleep(1)
  expect(rung).toEqual(['early'])
  time = 150
  while (rung.length === 1) await Bun.sleep(1)
  await Bun.sleep(5)
  expect(rung).toEqual(['early', 'late'])
  ticker.stop()
})

test('a callback that throws is reported, and the others are called all the same', async () => {
  const failures: unknown[] = []
  const ticker = createTicker(1, { failed: (error, others) => failures.push([error, others]) })
  const fail = () => {
    throw 'broken'
  }
  const [first, last] = [new Counter(), new Counter()]
  for (const item of [last, new Counter(fail), new Counter(fail), first]) ticker.add(item)
  ticker.after(0, () => {
    throw 'alarm'
  })
  while (last.ticks < 2) await Bun.sleep(1)
  ticker.stop()
  expect(failures.slice(0, 2)).toEqual([
    ['alarm', 2],
    ['broken', 1],
  ])
  expect(first.ticks).toBe(last.ticks)
})
