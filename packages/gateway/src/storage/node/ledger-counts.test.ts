// What the metrics say was charged equals the ledger, whatever becomes of the responses.
import { expect, test } from 'bun:test'
import { emptyRows, memoryBook, newAccountRow, newKeyRow } from '../../../../../tools/simulation/memory-book.ts'
import { apply, DEAD_AFTER_MS, type Hold, type Result, type Settle, type Verb, type Void } from '../../money/ledger.ts'
import { createMetrics } from '../../observe/metrics/names.ts'
import { type Ledger, StoreDown } from '../storage.ts'
import { LedgerCounts } from './ledger-counts.ts'

const OWNER = { id: 7n, nodeId: 0, epoch: 1 }
const HOLD: Hold = {
  verb: 'hold',
  ...OWNER,
  account: 1n,
  key: 2n,
  amount: 100n,
  minimum: 1n,
  revision: 0,
  extensible: false,
  tokens: 0,
  minimumTokens: 0,
  model: 'm',
  upstream: 'first',
}
const SETTLE: Settle = {
  verb: 'settle',
  ...OWNER,
  cost: 60n,
  tokens: 0,
  outcome: 'completed',
  receipt: '',
  upstream: 'u',
  upstreamCost: 40n,
  model: 'm',
}
const VOID: Void = { verb: 'void', ...OWNER, outcome: 'failed', receipt: '' }

function setUp() {
  const rows = emptyRows()
  rows.accounts.set(1n, { ...newAccountRow(1n), balance: 1_000n })
  rows.keys.set(2n, newKeyRow(2n, 1n))
  rows.nodes.set(0, { nodeId: 0, epoch: 1, renewedAt: 1_000, renewals: 0, config: '' })
  const world = { now: 1_000, arrives: true, delayed: undefined as (() => void) | undefined }
  const decide = async (verb: Verb): Promise<Result> => apply(memoryBook(rows, world.now), verb)
  const store = {
    async apply(verb: Verb) {
      const { arrives } = world
      const result = await decide(verb)
      if (world.delayed === undefined && arrives) return result
      if (arrives) await new Promise<void>((resolve) => (world.delayed = resolve))
      throw new StoreDown('connection lost')
    },
  }
  const metrics = createMetrics()
  const ledger = new LedgerCounts(metrics).over(store as unknown as Ledger)
  return {
    world,
    ledger,
    lost: async (verb: Verb) => {
      world.arrives = false
      await ledger.apply(verb).catch(() => {})
      world.arrives = true
    },
    charged: () => [...metrics.charged.series].map(({ labels, value }) => [...labels, value]),
    cost: () => [...metrics.cost.series].map(({ value }) => value),
    balance: () => rows.accounts.get(1n)?.balance,
  }
}

test('a settlement counts once, with its model and upstream; its repetition does not', async () => {
  const { ledger, charged, cost, balance } = setUp()
  await ledger.apply(HOLD)
  expect(charged()).toEqual([])
  await ledger.apply(SETTLE)
  await ledger.apply(SETTLE)
  expect(charged()).toEqual([['m', 'u', 60n]])
  expect(cost()).toEqual([40n])
  expect(balance()).toBe(940n)
})

test('after lost responses the try that learns of it counts, once', async () => {
  const { ledger, lost, charged, cost } = setUp()
  await ledger.apply(HOLD)
  await lost(SETTLE)
  await lost(SETTLE)
  expect(charged()).toEqual([])
  await ledger.apply(SETTLE)
  await ledger.apply(SETTLE)
  expect(charged()).toEqual([['m', 'u', 60n]])
  expect(cost()).toEqual([40n])
})

test('a response that is lost after the next try has succeeded counts, too', async () => {
  const { world, ledger, charged } = setUp()
  await ledger.apply(HOLD)
  world.delayed = () => {}
  const slow = ledger.apply(SETTLE).catch(() => {})
  await Bun.sleep(0)
  const lose = world.delayed
  world.delayed = undefined
  await ledger.apply(SETTLE)
  lose?.()
  await slow
  expect(charged()).toEqual([['m', 'u', 60n]])
})

test('what a reaper charges, and what the owner corrects later, is in the sum', async () => {
  for (const [end, total] of [
    [SETTLE, 60n],
    [VOID, 0n],
  ] as const) {
    const { world, ledger, charged, balance } = setUp()
    await ledger.apply(HOLD)
    await ledger.apply({ verb: 'extend', ...OWNER, known: 100n, amount: 1n, minimum: 1n, tokens: 0, progress: 25n })
    world.now += DEAD_AFTER_MS
    await ledger.apply({ verb: 'reap', limit: 10 })
    expect(charged()).toEqual([['other', 'other', 25n]])
    expect(balance()).toBe(975n)
    await ledger.apply(end)
    const sum = charged().reduce((all, [, , value]) => all + BigInt(value ?? 0), 0n)
    expect(sum).toBe(total)
    expect(balance()).toBe(1_000n - total)
  }
})
