// A standby that was behind takes over: the ledger goes back to an earlier moment, under processes that know of later commits.
import { expect, test } from 'bun:test'
import { fakeTime } from '../../../../../test/support/fake-time.ts'
import {
  emptyRows,
  type MemoryRows,
  memoryBook,
  newAccountRow,
  newKeyRow,
} from '../../../../../tools/simulation/memory-book.ts'
import { apply, type Finish, HELD, type Hold, REVENUE, type Result, SHORTFALL, type Verb } from '../../money/ledger.ts'
import { formatRequestId } from '../../money/request-ids.ts'
import { createMetrics } from '../../observe/metrics/names.ts'
import type { Completion } from '../storage.ts'
import { LedgerCounts } from './ledger-counts.ts'
import { joinNode } from './node.ts'
import { createSettler } from './settler.ts'

const START = 1_000_000
const ACCOUNT = 1n
const KEY = 2n

async function setUp() {
  let rows = emptyRows()
  rows.accounts.set(ACCOUNT, { ...newAccountRow(ACCOUNT), balance: 1_000n })
  rows.keys.set(KEY, newKeyRow(KEY, ACCOUNT))
  rows.transfers.push({ request: undefined, debit: -3n, credit: ACCOUNT, amount: 1_000n })
  const time = fakeTime()
  const journaled: Finish[] = []
  const reports: string[] = []
  let losses = 0
  const storage = {
    apply: async (verb: Verb) => apply(memoryBook(rows, START + time.monotonic()), verb),
    submit: (verb: Verb, waiter: Completion<Result>) =>
      void storage.apply(verb).then((result) => waiter.resolve(result)),
  }
  const journal = {
    async append(verb: Finish) {
      journaled.push(verb)
    },
    async replay(offer: (verb: Finish, ageMs: number) => Promise<boolean>) {
      for (const verb of [...journaled]) if (await offer(verb, 0)) journaled.splice(journaled.indexOf(verb), 1)
      return { applied: 0, kept: journaled.length, torn: 0, damaged: [] }
    },
  }
  const report = (message: string) => void reports.push(message)
  const { clock, monotonic, after } = time
  const commitsLost = () => {
    losses += 1
  }
  const options = { maxNodes: 4, takeover: false, config: () => '', monotonic, after, report, commitsLost }
  const node = await joinNode(storage, journal, options)
  const { mayDispatch, noteEnded: ended } = node
  const counts = new LedgerCounts(createMetrics())
  const settler = createSettler({
    storage,
    counts,
    journal,
    clock,
    after,
    mayDispatch,
    ended,
    outcomeLost() {},
    report,
  })
  const hold = (id: bigint): Hold => ({
    verb: 'hold',
    id,
    ...node.identity(),
    account: ACCOUNT,
    key: KEY,
    amount: 100n,
    minimum: 1n,
    revision: 0,
    extensible: false,
    tokens: 0,
    minimumTokens: 0,
    model: 'm',
    upstream: 'u',
  })
  async function open(id: bigint) {
    const opened = await settler.open(hold(id))
    if (opened.verdict !== 'open') throw new Error(opened.verdict)
    return opened.request
  }
  return {
    time,
    node,
    open,
    reports,
    rows: () => rows,
    replaceBy(earlier: MemoryRows) {
      rows = earlier
    },
    losses: () => losses,
  }
}

const [ANSWERED, CANCELLED, RUNNING] = [3n, 4n, 5n]

/** What the database has confirmed when it is lost. A renewal comes before the first of it and after the last. */
const COURSE = [
  'nothing',
  'answered held',
  'answered settled',
  'cancelled held',
  'cancelled voided',
  'running held',
] as const

async function course() {
  const world = await setUp()
  const moments = [structuredClone(world.rows())]
  const note = () => void moments.push(structuredClone(world.rows()))
  const answered = await world.open(ANSWERED)
  note()
  await answered.settle(60n, 0, 'done', '')
  note()
  const cancelled = await world.open(CANCELLED)
  note()
  await cancelled.void('cancelled', '')
  note()
  const running = await world.open(RUNNING)
  note()
  return { ...world, moments, running }
}

test.each(
  COURSE.map((what, place) => [what, place] as const),
)('a standby whose last commit is %s: no hold is left, and what still runs is booked once', async (_what, place) => {
  const { time, node, rows, moments, running, replaceBy, losses, reports } = await course()
  const earlier = moments[place]
  if (!earlier) throw new Error('there is no such moment')
  replaceBy(earlier)
  await time.pass(7_000)
  // Holds alone do not tell: nothing is lost by a hold that its settlement finds missing.
  const isNoticed = place < COURSE.indexOf('cancelled voided')
  expect(losses()).toBe(isNoticed ? 1 : 0)
  expect(node.identity().epoch).toBe(isNoticed ? 2 : 1)
  expect(node.mayDispatch()).toBe(true)
  await running.settle(40n, 0, 'done', '{"units":1}')
  await time.pass(6_000)

  const { requests, accounts, keys, transfers } = rows()
  expect([...requests.values()].filter(({ state }) => state === HELD)).toEqual([])
  expect(requests.get(RUNNING)).toMatchObject({ cost: 40n, shortfall: 0n, outcome: 'done', receipt: '{"units":1}' })
  expect(transfers.filter(({ request }) => request === RUNNING)).toEqual([
    { request: RUNNING, debit: ACCOUNT, credit: REVENUE, amount: 40n },
  ])
  expect(transfers.filter(({ debit }) => debit === SHORTFALL)).toEqual([])
  const paid = requests.get(ANSWERED)?.cost ?? 0n
  expect(accounts.get(ACCOUNT)).toMatchObject({ balance: 960n - paid, held: 0n, meter: { open: 0 } })
  expect(keys.get(KEY)).toMatchObject({ held: 0n, spent: 40n + paid, meter: { open: 0 } })
  const booked = reports.filter((line) => line.includes(`${formatRequestId(RUNNING)} was unknown`))
  expect(booked).toHaveLength(place < COURSE.indexOf('running held') ? 1 : 0)
})

test('a renewal after the last end that was confirmed: a database that is as old as it has lost nothing', async () => {
  const { time, rows, moments, replaceBy, losses, node, running } = await course()
  await running.settle(40n, 0, 'done', '')
  await time.pass(1_500)
  replaceBy(structuredClone(rows()))
  await time.pass(3_000)
  expect({ losses: losses(), at: node.commitsLostAt() }).toEqual({ losses: 0, at: undefined })
  replaceBy(structuredClone(moments.at(-1)) ?? rows())
  await time.pass(3_000)
  expect(losses()).toBe(1)
  expect(node.commitsLostAt()).toBeGreaterThan(4_000)
})
