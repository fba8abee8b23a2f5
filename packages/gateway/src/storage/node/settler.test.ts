import { expect, test } from 'bun:test'
import { fakeTime } from '../../../../../test/support/fake-time.ts'
import { emptyRows, memoryBook, newAccountRow, newKeyRow } from '../../../../../tools/simulation/memory-book.ts'
import type { Finish } from '../../money/ledger.ts'
import { apply, DEAD_AFTER_MS, type Hold, type Result, SETTLED, type Verb } from '../../money/ledger.ts'
import { createMetrics } from '../../observe/metrics/names.ts'
import { type Completion, type Ledger, StoreDown } from '../storage.ts'
import { LedgerCounts } from './ledger-counts.ts'
import { createSettler, NotSettled, recover } from './settler.ts'

const hold: Hold = {
  verb: 'hold',
  id: 7n,
  nodeId: 0,
  epoch: 1,
  account: 1n,
  key: 2n,
  amount: 100n,
  minimum: 1n,
  revision: 0,
  extensible: false,
  tokens: 0,
  minimumTokens: 0,
  model: 'm',
  upstream: 'u',
}

const sum = (counts: number[] = []): number => counts.reduce((all, each) => all + each, 0)

type Mood = 'up' | 'down' | 'answer lost' | 'hangs'

/** A settler on the real ledger, over a store whose mood the test sets. */
function setUp(balance = 1_000n) {
  const rows = emptyRows()
  rows.accounts.set(1n, { ...newAccountRow(1n), balance })
  rows.keys.set(2n, newKeyRow(2n, 1n))
  rows.nodes.set(0, { nodeId: 0, epoch: 1, renewedAt: 1_000, renewals: 0, config: '' })
  const time = fakeTime()
  const world = { mood: 'up' as Mood, disk: true, mayDispatch: true, lost: 0, failed: 0, asked: [] as Verb['verb'][] }
  const journaled: Finish[] = []
  const reports: string[] = []
  const storage = {
    async apply(verb: Verb): Promise<Result> {
      world.asked.push(verb.verb)
      if (world.mood === 'hangs') return new Promise(() => {})
      if (world.mood === 'down') throw new StoreDown('down')
      const result = apply(memoryBook(rows, 1_000), verb)
      if (world.mood === 'answer lost') throw new StoreDown('connection lost')
      return result
    },
    submit(verb: Verb, waiter: Completion<Result>) {
      storage.apply(verb).then(
        (result) => waiter.resolve(result),
        (error) => waiter.reject(error),
      )
    },
  }
  const journal = {
    async append(verb: Finish) {
      if (!world.disk) throw new Error('disk full')
      journaled.push(verb)
    },
    async replay(offer: (verb: Finish, ageMs: number) => Promise<boolean>) {
      for (const verb of [...journaled]) if (await offer(verb, 0)) journaled.splice(journaled.indexOf(verb), 1)
      return { applied: 0, kept: journaled.length, torn: 0, damaged: [] }
    },
  }
  const report = (message: string) => void reports.push(message)
  const { clock, after } = time
  const mayDispatch = () => world.mayDispatch
  const outcomeLost = () => {
    world.lost += 1
  }
  const failed = () => {
    world.failed += 1
  }
  const metrics = createMetrics()
  const counts = new LedgerCounts(metrics)
  const settler = createSettler({ storage, counts, journal, clock, after, mayDispatch, outcomeLost, failed, report })
  async function open() {
    const opened = await settler.open(hold)
    if (opened.verdict !== 'open') throw new Error(opened.verdict)
    return opened.request
  }
  const counted = counts.over(storage as unknown as Ledger)
  return {
    rows,
    time,
    world,
    journaled,
    reports,
    settler,
    open,
    recover: () => recover(counted, journal, report),
    charged: () => [...metrics.charged.series].map(({ labels, value }) => [...labels, value]),
    timed: () => [...metrics.database.series].flatMap(({ labels: [verb], counts }) => [[verb, sum(counts)]]),
  }
}

test('hold, deliver, settle: charged at its cost', async () => {
  const { rows, open, journaled, charged, timed } = setUp()
  const request = await open()
  expect(request.granted).toBe(100n)
  expect(request.output(40n, 0n)).toBe('deliver')
  expect(await request.settle(60n, 0, 'done', '{}')).toEqual({ charged: 60n, spooled: false })
  expect(rows.accounts.get(1n)).toMatchObject({ balance: 940n, held: 0n })
  expect(journaled).toEqual([])
  expect(charged()).toEqual([['m', 'other', 60n]])
  expect(timed()).toEqual([
    ['hold', 1],
    ['settle', 1],
  ])
})

test.each([
  ['lost before the commit', 'down'],
  ['lost after the commit', 'answer lost'],
] as const)('a settlement %s is journaled after three tries, and applied and counted once later', async (_name, mood) => {
  const { rows, time, world, journaled, open, recover, charged } = setUp()
  const request = await open()
  world.mood = mood
  const settled = request.settle(60n, 0, 'done', '{}')
  await time.pass(5_000)
  expect(await settled).toEqual({ charged: 60n, spooled: true })
  expect(world.asked.filter((verb) => verb === 'settle')).toHaveLength(3)
  expect(journaled).toHaveLength(1)
  expect(charged()).toEqual([])
  world.mood = 'up'
  await recover()
  await recover()
  expect(charged()).toEqual([['m', 'other', 60n]])
  expect(rows.accounts.get(1n)).toMatchObject({ balance: 940n, held: 0n })
  expect(journaled).toEqual([])
})

test('a journaled charge of a request that was taken over elsewhere is booked as a shortfall and reported', async () => {
  const { rows, time, world, journaled, reports, open, recover } = setUp()
  const request = await open()
  world.mood = 'down'
  const settled = request.settle(60n, 0, 'done', '{"units":1}')
  await time.pass(5_000)
  expect(await settled).toEqual({ charged: 60n, spooled: true })
  world.mood = 'up'
  // What another node does meanwhile: it reaps the hold, and a repetition voids it in the owner's name.
  apply(memoryBook(rows, 1_000 + DEAD_AFTER_MS), { verb: 'reap', limit: 1 })
  const { id, nodeId, epoch } = hold
  apply(memoryBook(rows, 1_000 + DEAD_AFTER_MS), { verb: 'void', id, nodeId, epoch, outcome: 'reaped', receipt: '' })
  await recover()
  expect(rows.requests.get(id)).toMatchObject({ state: SETTLED, cost: 0n, shortfall: 60n, receipt: '{"units":1}' })
  expect(rows.accounts.get(1n)).toMatchObject({ balance: 1_000n, held: 0n })
  expect(reports).toEqual([expect.stringContaining('charged 0.00 of 0.00000006 USD; the rest is a shortfall')])
  expect(journaled).toEqual([])
})

test('a store that never answers does not delay the last byte forever', async () => {
  const { time, world, journaled, open } = setUp()
  const request = await open()
  world.mood = 'hangs'
  const settled = request.settle(60n, 0, 'done', '{}')
  await time.pass(10_000)
  expect((await settled).spooled).toBe(true)
  expect(journaled).toHaveLength(1)
})

test('a settlement that neither store nor disk takes rejects: the last byte must not leave', async () => {
  const { time, world, open, reports } = setUp()
  const request = await open()
  Object.assign(world, { mood: 'down', disk: false })
  const settled = request.settle(60n, 0, 'done', '{}').catch((error) => error)
  await time.pass(5_000)
  expect(await settled).toBeInstanceOf(NotSettled)
  expect(reports).toEqual([expect.stringMatching(/^request req_[0-9a-f]{16} could not be written to the journal$/)])
  expect(world.lost).toBe(1)
  // Three tries of the store, and the journal.
  expect(world.failed).toBe(4)
})

test('a hold without a response rejects the request, and is voided later in case it was placed', async () => {
  const { rows, world, journaled, settler, recover } = setUp()
  world.mood = 'answer lost'
  expect(await settler.open(hold)).toEqual({ verdict: 'store_down', available: 0n })
  expect(rows.accounts.get(1n)?.held).toBe(100n)
  world.mood = 'up'
  await recover()
  expect(rows.accounts.get(1n)).toMatchObject({ balance: 1_000n, held: 0n })
  expect(journaled).toEqual([])
})

test('the void of a hold that the store does not know yet is kept: the hold may still arrive', async () => {
  const { world, journaled, settler, recover } = setUp()
  world.mood = 'down'
  await settler.open(hold)
  world.mood = 'up'
  await recover()
  expect(journaled).toHaveLength(1)
})

test('a hold granted to a node whose lease is stale is voided and not dispatched', async () => {
  const { rows, world, settler } = setUp()
  world.mayDispatch = false
  expect((await settler.open(hold)).verdict).toBe('node_lost')
  await Bun.sleep(0)
  expect(rows.accounts.get(1n)?.held).toBe(0n)
})

test('an answer that comes after its time is up changes nothing', async () => {
  const { clock, after, pass } = fakeTime()
  const [asked, journaled]: [string[], Finish[]] = [[], []]
  let waiting: Completion<Result> | undefined
  const storage = {
    submit(verb: Verb, waiter: Completion<Result>) {
      asked.push(verb.verb)
      waiting = waiter
    },
  }
  const journal = { append: async (verb: Finish) => void journaled.push(verb) }
  const settler = createSettler({
    storage,
    counts: new LedgerCounts(createMetrics()),
    journal,
    clock,
    after,
    mayDispatch: () => false,
    outcomeLost: () => {},
    report: () => {},
  })
  const opened = settler.open(hold)
  await pass(5_000)
  expect((await opened).verdict).toBe('store_down')
  // Were it heard, this node, whose lease is stale, would ask for the void that the journal has already.
  waiting?.resolve({ verdict: 'done', amount: 100n, tokens: 0, change: 0n })
  await pass(0)
  expect(asked).toEqual(['hold'])
  expect(journaled).toHaveLength(1)
})

test('a rejected hold says what is available', async () => {
  const { settler } = setUp(30n)
  expect(await settler.open({ ...hold, minimum: 50n })).toEqual({ verdict: 'no_balance', available: 30n })
})

test('a stream extends its hold at half, waits for money it needs, and stops where there is none', async () => {
  const { rows, open } = setUp(180n)
  const request = await open()
  expect(request.output(60n, 50n)).toBe('deliver')
  await Bun.sleep(0)
  // A sixteenth of what is available, so that others can begin.
  expect(rows.requests.get(7n)).toMatchObject({ held: 105n, progress: 60n })
  expect(await request.output(170n, 50n)).toBe('deliver')
  expect(rows.requests.get(7n)?.held).toBe(170n)
  expect(await request.output(190n, 50n)).toBe('stop')
})

test.each([
  ['output leaps past an extension that is under way', 60n, 50n, 400n, 50n],
  ['output leaps to its cap, with nothing more to come', 10n, 50n, 400n, 0n],
] as const)('%s: an account that can pay is not stopped', async (_, first, firstMore, second, more) => {
  const { rows, open } = setUp()
  const request = await open()
  expect(request.output(first, firstMore)).toBe('deliver')
  expect(await request.output(second, more)).toBe('deliver')
  expect(rows.requests.get(7n)?.held).toBe(second)
})

test('an extension without an answer: the stream goes on within what is held', async () => {
  const { world, open } = setUp()
  const request = await open()
  world.mood = 'down'
  expect(request.output(60n, 50n)).toBe('deliver')
  await Bun.sleep(0)
  expect(request.output(100n, 50n)).toBe('deliver')
  expect(await request.output(101n, 50n)).toBe('stop')
})

test('a clock that is up to a tick behind shortens no timeout', async () => {
  const { monotonic, after, pass } = fakeTime()
  const clock = { now: () => Math.floor(monotonic() / 250) * 250, intervalMs: 250 }
  const storage = { submit: () => {} }
  const journal = { append: async () => {} }
  const settler = createSettler({
    storage,
    counts: new LedgerCounts(createMetrics()),
    journal,
    clock,
    after,
    mayDispatch: () => true,
    outcomeLost: () => {},
    report: () => {},
  })
  let verdict: string | undefined
  void settler.open(hold)
  await pass(249)
  void settler.open(hold).then((opened) => (verdict = opened.verdict))
  await pass(4_999)
  expect(verdict).toBeUndefined()
  await pass(501)
  expect(verdict).toBe('store_down')
})
