// What the engines' contract suite does not reach by itself: repeated extensions, and taking over a node id.
import { expect, test } from 'bun:test'
import { emptyRows, memoryBook, newAccountRow, newKeyRow } from '../../../../tools/simulation/memory-book.ts'
import { apply, DEAD_AFTER_MS, type Verb } from './ledger.ts'

function ledger() {
  const rows = emptyRows()
  rows.accounts.set(1n, { ...newAccountRow(1n), balance: 1_000n })
  rows.keys.set(2n, newKeyRow(2n, 1n))
  return { rows, run: (verb: Verb, now = 1_000_000) => apply(memoryBook(rows, now), verb) }
}
const owner = { id: 7n, nodeId: 0, epoch: 1 }
const hold: Verb = {
  verb: 'hold',
  ...owner,
  account: 1n,
  key: 2n,
  revision: 0,
  extensible: false,
  amount: 100n,
  minimum: 1n,
  tokens: 0,
  minimumTokens: 0,
  model: 'm',
  upstream: 'u',
}
const extend = (known: bigint, amount: bigint): Verb => ({
  verb: 'extend',
  ...owner,
  known,
  amount,
  minimum: 1n,
  tokens: 0,
  progress: 10n,
})

test('an extension that arrives twice reserves once and gives the first answer', () => {
  const { rows, run } = ledger()
  run({ verb: 'join', nodeId: 0, config: '' })
  run(hold)
  expect(run(extend(100n, 50n))).toEqual({ verdict: 'done', amount: 50n, tokens: 0, change: 0n })
  expect(run(extend(100n, 50n))).toEqual({ verdict: 'repeated', amount: 50n, tokens: 0, change: 0n })
  expect(rows.accounts.get(1n)?.held).toBe(150n)
  expect(run(extend(150n, 20n))).toEqual({ verdict: 'done', amount: 20n, tokens: 0, change: 0n })
  expect(rows.requests.get(7n)?.held).toBe(170n)
})

test('a refused extension still records how far the output came, for the reaper', () => {
  const { rows, run } = ledger()
  run({ verb: 'join', nodeId: 0, config: '' })
  run(hold)
  const dear = { ...extend(100n, 5_000n), minimum: 5_000n } as Verb
  expect(run(dear)).toEqual({ verdict: 'no_balance', amount: 900n, tokens: 0, change: 0n })
  expect(rows.requests.get(7n)?.progress).toBe(10n)
})

test('the id of a live node is taken over only by who knows that its process is dead, and the old holds are orphans', () => {
  const { rows, run } = ledger()
  run({ verb: 'join', nodeId: 0, config: '' })
  run(hold)
  expect(run({ verb: 'join', nodeId: 0, config: '' }).verdict).toBe('node_taken')
  expect(run({ verb: 'join', nodeId: 0, config: '', takeover: true })).toEqual({
    verdict: 'done',
    amount: 2n,
    tokens: 0,
    change: 0n,
  })
  expect(run({ verb: 'reap', limit: 10 }).amount).toBe(1n)
  expect(rows.accounts.get(1n)?.held).toBe(0n)
  expect(run({ verb: 'join', nodeId: 0, config: '' }, 1_000_000 + DEAD_AFTER_MS).amount).toBe(3n)
})

test('the smallest charge counts as spent, and what is free does not', () => {
  const { rows, run } = ledger()
  run({ verb: 'join', nodeId: 0, config: '' })
  const end = { verb: 'settle', ...owner, tokens: 0, outcome: 'completed', receipt: '' } as const
  run(hold)
  run({ ...end, cost: 0n })
  expect(rows.keys.get(2n)?.meter).toMatchObject({ spentAt: 0, spentDay: 0n })
  run({ ...hold, id: 8n })
  run({ ...end, id: 8n, cost: 1n })
  for (const meter of [rows.keys.get(2n)?.meter, rows.accounts.get(1n)?.meter])
    expect(meter).toMatchObject({ spentAt: 1_000_000, spentDay: 1n })
})

test('a key is expired from the millisecond that it expires at', () => {
  const { rows, run } = ledger()
  run({ verb: 'join', nodeId: 0, config: '' })
  rows.keys.set(2n, { ...newKeyRow(2n, 1n), expiresAt: 1_000_000 })
  expect(run(hold, 999_999).verdict).toBe('done')
  expect(run({ ...hold, id: 8n }, 1_000_000).verdict).toBe('key_expired')
})
