import { expect, test } from 'bun:test'
import { fakeTime } from '../../../../../test/support/fake-time.ts'
import {
  emptyRows,
  type MemoryRows,
  memoryBook,
  newAccountRow,
  newKeyRow,
} from '../../../../../tools/simulation/memory-book.ts'
import type { Finish } from '../../money/ledger.ts'
import { apply, HELD, REAPED, type Result, SETTLED, type Verb } from '../../money/ledger.ts'
import { StoreDown } from '../storage.ts'
import { joinNode, type NodeOptions } from './node.ts'

const START = 1_000_000

/** The real ledger on the test's time; `left` is what the journals hold. */
function setUp() {
  const rows = emptyRows()
  rows.accounts.set(1n, { ...newAccountRow(1n), balance: 10_000n })
  rows.keys.set(2n, newKeyRow(2n, 1n))
  const time = fakeTime()
  const world = { mood: 'up' as 'up' | 'down' | 'hangs', delayMs: 0, left: [] as Finish[], asked: [] as Verb['verb'][] }
  const reports: string[] = []
  const storage = {
    async apply(verb: Verb): Promise<Result> {
      world.asked.push(verb.verb)
      if (world.mood === 'hangs') return new Promise(() => {})
      if (world.mood === 'down') throw new StoreDown('down')
      const result = apply(memoryBook(rows, START + time.monotonic()), verb)
      if (world.delayMs > 0) await new Promise<void>((resolve) => time.after(world.delayMs, resolve))
      return result
    },
  }
  const journal = {
    async replay(offer: (verb: Finish, ageMs: number) => Promise<boolean>) {
      for (const verb of [...world.left])
        if (await offer(verb, Number.POSITIVE_INFINITY)) world.left.splice(world.left.indexOf(verb), 1)
      return { applied: 0, kept: 0, torn: 0, damaged: [] }
    },
  }
  const { monotonic, after } = time
  const join = (options: Partial<NodeOptions> = {}) =>
    joinNode(storage, journal, {
      maxNodes: 4,
      takeover: false,
      config: () => 'hash',
      monotonic,
      after,
      report: (message: string) => void reports.push(message),
      commitsLost: () => void reports.push('commits lost'),
      ...options,
    })
  return { rows, time, world, reports, storage, join }
}

function openHold(rows: MemoryRows, id: bigint, nodeId: number, epoch: number): void {
  const none = {
    deadline: undefined,
    heldAt: START,
    tokens: 0,
    cost: 0n,
    shortfall: 0n,
    model: 'm',
    upstreamCost: 0n,
    upstream: 'u',
    outcome: '',
    receipt: '',
    budgets: [],
    attribution: undefined,
  }
  rows.requests.set(id, { id, account: 1n, key: 2n, nodeId, epoch, state: HELD, held: 10n, progress: 0n, ...none })
  const account = rows.accounts.get(1n)
  const key = rows.keys.get(2n)
  if (account) account.held += 10n
  if (key) key.held += 10n
}

test('takes the first free node id, publishes its configuration and keeps the lease', async () => {
  const { rows, time, join } = setUp()
  await join()
  const node = await join({ config: () => 'other' })
  expect(node.identity()).toEqual({ nodeId: 1, epoch: 1 })
  await time.pass(60_000)
  expect(rows.nodes.get(1)).toMatchObject({ epoch: 1, config: 'other' })
  expect(rows.nodes.get(1)?.renewedAt).toBeGreaterThan(START + 58_000)
  expect(node.mayDispatch()).toBe(true)
})

test('all node ids taken is an error, except for the owner of the file, whose predecessor is dead', async () => {
  const { join } = setUp()
  await join({ maxNodes: 1 })
  await expect(join({ maxNodes: 1 })).rejects.toThrow('all 1 node ids are taken')
  expect((await join({ maxNodes: 1, takeover: true })).identity()).toEqual({ nodeId: 0, epoch: 2 })
})

test.each([
  'down',
  'hangs',
] as const)('store %s: stops dispatching after 5 s, joins anew when taken for dead', async (mood) => {
  const { time, world, reports, join } = setUp()
  const node = await join()
  await time.pass(2_000)
  world.mood = mood
  await time.pass(4_500)
  expect(node.mayDispatch()).toBe(true)
  await time.pass(600)
  expect(node.mayDispatch()).toBe(false)
  await time.pass(10_000)
  world.mood = 'up'
  await time.pass(4_000)
  expect(node.identity().epoch).toBe(2)
  expect(node.mayDispatch()).toBe(true)
  // Once when it begins, once per event after: an outage does not fill the log.
  expect(reports.filter((line) => line.includes('not renewed'))).toHaveLength(1)
})

test('the lease counts from before the renewal was sent, not from its answer', async () => {
  const { time, world, join } = setUp()
  const node = await join()
  world.delayMs = 1_900
  await time.pass(2_950)
  world.mood = 'down'
  // Sent at 1,000, answered at 2,900: the lease ends at 6,000.
  await time.pass(3_000)
  expect(node.mayDispatch()).toBe(true)
  await time.pass(100)
  expect(node.mayDispatch()).toBe(false)
})

test('at the start journals are applied before the reaper: finished requests are settled, the others reaped', async () => {
  const { rows, world, join } = setUp()
  rows.nodes.set(0, { nodeId: 0, epoch: 1, renewedAt: START - 60_000, renewals: 0, config: '' })
  for (let id = 1n; id <= 250n; id += 1n) openHold(rows, id, 0, 1)
  const outcomes: (string | undefined)[] = []
  world.left = [{ verb: 'settle', id: 3n, nodeId: 0, epoch: 1, cost: 8n, tokens: 0, outcome: 'done', receipt: '' }]
  await join()
  for (const row of rows.requests.values()) outcomes.push(row.outcome)
  expect(world.asked).toEqual(['join', 'settle', 'reap', 'reap', 'reap', 'reap', 'collect'])
  expect(rows.requests.get(3n)).toMatchObject({ state: SETTLED, cost: 8n, outcome: 'done' })
  expect(outcomes.filter((outcome) => outcome === 'reaped')).toHaveLength(249)
  expect(rows.accounts.get(1n)).toMatchObject({ balance: 9_992n, held: 0n })
})

test('reaps the holds of a node that dies later, and applies what was spooled once the store is back', async () => {
  const { rows, time, world, join } = setUp()
  rows.nodes.set(0, { nodeId: 0, epoch: 4, renewedAt: START, renewals: 0, config: '' })
  openHold(rows, 5n, 0, 4)
  await join()
  await time.pass(9_000)
  expect(rows.requests.get(5n)?.state).toBe(HELD)
  await time.pass(7_000)
  expect(rows.requests.get(5n)?.state).toBe(REAPED)
  world.mood = 'down'
  await time.pass(5_000)
  world.left = [{ verb: 'settle', id: 5n, nodeId: 0, epoch: 4, cost: 8n, tokens: 0, outcome: 'done', receipt: '' }]
  world.mood = 'up'
  await time.pass(2_000)
  expect(rows.requests.get(5n)).toMatchObject({ state: SETTLED, cost: 8n })
  expect(world.left).toEqual([])
})

test('after an outcome that could not be kept, nothing is dispatched until the store confirms the lease', async () => {
  const { time, world, join } = setUp()
  const node = await join()
  node.suspend()
  expect(node.mayDispatch()).toBe(false)
  world.mood = 'down'
  await time.pass(1_500)
  expect(node.mayDispatch()).toBe(false)
  world.mood = 'up'
  await time.pass(1_500)
  expect(node.mayDispatch()).toBe(true)
})

test.each([
  ['the owner of the file goes on at once', true],
  ['a node among others waits until its lease is confirmed', false],
])('after a pause of the process %s', async (_, takeover) => {
  const { time, join } = setUp()
  let paused = 0
  const node = await join({ takeover, monotonic: () => time.monotonic() + paused })
  paused = 8_000
  expect(node.mayDispatch()).toBe(takeover)
  await time.pass(1_100)
  expect(node.mayDispatch()).toBe(true)
})

test('the owner of the file dispatches nothing while the database is silent', async () => {
  const { time, world, join } = setUp()
  const node = await join({ takeover: true })
  world.mood = 'hangs'
  await time.pass(6_000)
  expect(node.mayDispatch()).toBe(false)
})

test('leaving hands the lease back at once and renews no more', async () => {
  const { rows, time, world, join } = setUp()
  const node = await join()
  await node.leave()
  world.asked = []
  expect(node.mayDispatch()).toBe(false)
  await time.pass(20_000)
  expect(world.asked).toEqual([])
  expect(rows.nodes.get(0)?.renewedAt).toBe(0)
  expect((await join()).identity()).toEqual({ nodeId: 0, epoch: 2 })
})

test('a store that is down at the start is an error, and a leave without an answer is not', async () => {
  const { time, world, join } = setUp()
  world.mood = 'down'
  await expect(join()).rejects.toBeInstanceOf(StoreDown)
  world.mood = 'up'
  const node = await join()
  world.mood = 'hangs'
  const left = node.leave()
  await time.pass(10_000)
  expect(await left).toBeUndefined()
})
