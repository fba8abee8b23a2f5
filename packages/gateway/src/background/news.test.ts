// What clients that follow responses are told, and what that costs the store.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { TASK_TIMING } from '../tasks/timing.ts'
import { createResponseNews, type Followed } from './news.ts'

const { followMs } = TASK_TIMING
beforeEach(() => {
  TASK_TIMING.followMs = 5
})
afterEach(() => {
  TASK_TIMING.followMs = followMs
})

const connected = () => false
const followed = (id: bigint, version = 1): Followed => ({ id, version, piece: { account: 7n, id: `r${id}#1` } })

/** `versions` and `pieces`: what the store has. */
function open(runsHere: (id: bigint) => boolean, versions = new Map<bigint, number>(), pieces = new Set<string>()) {
  const asked: bigint[][] = []
  const store = {
    tasks: {
      async versions(ids: readonly bigint[]) {
        asked.push([...ids])
        return new Map([...versions].filter(([id]) => ids.includes(id)))
      },
    },
    responses: {
      stored: async (wanted: readonly { id: string }[]) =>
        new Set(wanted.map(({ id }) => id).filter((id) => pieces.has(id))),
    },
  }
  return { news: createResponseNews(store, runsHere), asked, versions, pieces }
}

const isOver = async (promise: Promise<unknown>) => (await Promise.race([promise, Bun.sleep(1)])) === true

test('what this process stores is told at once, to its followers alone, without asking the store', async () => {
  const { news, asked } = open(() => true)
  TASK_TIMING.followMs = 60_000
  const [one, same, other] = [1n, 1n, 2n].map((id) => news.next(followed(id), connected))
  news.tell(1n)
  expect([await one, await same, await isOver(other as Promise<true>), asked]).toEqual([true, true, false, []])
})

test.each([
  ['a piece that was awaited', 1, ['r1#1'], true],
  ['another version of the task', 2, [], true],
  ['a task that is gone', undefined, [], true],
  ['another piece', 1, ['r1#2'], false],
] as const)('%s in the store, of another process', async (_, version, pieces, isTold) => {
  const versions = new Map(version === undefined ? [] : [[1n, version]])
  const { news, asked } = open(() => false, versions, new Set<string>(pieces))
  const told = news.next(followed(1n), connected)
  while (asked.length < 2 && !(await isOver(told))) {}
  expect(await isOver(told)).toBe(isTold)
})

test('512 followers of as many responses are one look, and what runs here is looked for at every fifth alone', async () => {
  const { news, asked, versions } = open((id) => id > 256n)
  const ids = Array.from({ length: 512 }, (_, index) => BigInt(index + 1))
  for (const id of ids) versions.set(id, 1)
  for (const id of ids) void news.next(followed(id), connected)
  while (asked.length < 5) await Bun.sleep(1)
  expect(asked.slice(0, 5).map((each) => each.length)).toEqual([256, 256, 256, 256, 512])
})

test('a client that has disconnected is looked for no more', async () => {
  const { news, asked, versions } = open(() => false, new Map([[1n, 1]]))
  let isGone = false
  const told = news.next(followed(1n), () => isGone)
  while (asked.length === 0) await Bun.sleep(1)
  isGone = true
  expect(await told).toBe(true)
  const before = asked.length
  await Bun.sleep(5 * TASK_TIMING.followMs)
  expect([asked.length, versions.size]).toEqual([before, 1])
})

test('a store that does not answer for a while delays what is new', async () => {
  let fails = 0
  const news = createResponseNews(
    {
      tasks: {
        async versions() {
          if (++fails < 3) throw new Error('down')
          return new Map([[1n, 2]])
        },
      },
      responses: { stored: async () => new Set<string>() },
    },
    () => false,
  )
  expect([await news.next(followed(1n), connected), fails]).toEqual([true, 3])
})
