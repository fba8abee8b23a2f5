import { expect, test } from 'bun:test'
import { fakeTime } from '../../../../../test/support/fake-time.ts'
import { DeadlineEntry, Deadlines } from './deadlines.ts'

class TestEntry extends DeadlineEntry {
  readonly #name: string
  readonly #timedOut: string[]

  constructor(name: string, timedOut: string[]) {
    super()
    this.#name = name
    this.#timedOut = timedOut
  }

  onTimeout(): void {
    this.#timedOut.push(this.#name)
  }
}

function setUp() {
  const { after, monotonic, pass } = fakeTime()
  const deadlines = new Deadlines(1_000, after, monotonic)
  const late: string[] = []
  const wait = (name: string): DeadlineEntry => {
    const item = new TestEntry(name, late)
    deadlines.add(item)
    return item
  }
  return { deadlines, late, wait, pass }
}

test('each is late at its own time, and once', async () => {
  const { late, wait, pass } = setUp()
  wait('one')
  await pass(400)
  wait('two')
  wait('three')
  await pass(599)
  expect(late).toEqual([])
  await pass(1)
  expect(late).toEqual(['one'])
  await pass(400)
  expect(late).toEqual(['one', 'two', 'three'])
  await pass(5_000)
  expect(late).toHaveLength(3)
})

test.each([
  ['first', ['two', 'three']],
  ['middle', ['one', 'three']],
  ['last', ['one', 'two']],
])('an entry that is removed does not time out, wherever in the list: the %s', async (place, expected) => {
  const { deadlines, late, wait, pass } = setUp()
  const items = ['one', 'two', 'three'].map(wait)
  const answered = items[['first', 'middle', 'last'].indexOf(place)]
  if (answered) deadlines.remove(answered)
  await pass(1_000)
  expect(late).toEqual(expected)
})

test('after all entries are removed, the next has the full timeout', async () => {
  const { deadlines, late, wait, pass } = setUp()
  deadlines.remove(wait('one'))
  await pass(700)
  wait('two')
  await pass(999)
  expect(late).toEqual([])
  await pass(1)
  expect(late).toEqual(['two'])
})

test('an entry that times out may add another at once, and remove others', async () => {
  const { deadlines, late, wait, pass } = setUp()
  class Again extends DeadlineEntry {
    onTimeout(): void {
      late.push('again')
      deadlines.remove(other)
      wait('next')
    }
  }
  deadlines.add(new Again())
  const other = wait('other')
  await pass(1_999)
  expect(late).toEqual(['again'])
  await pass(1)
  expect(late).toEqual(['again', 'next'])
})
