// The same random verbs go to the engine and to the rules over plain Maps: same answers, same rows, or the engine is
// wrong. A failing seed is in the test's name.
import { expect, test } from 'bun:test'
import { apply, HELD, type Result, type Verb } from '../../money/ledger.ts'
import { emptyRows, type MemoryRows, memoryBook, newAccountRow, newKeyRow } from '../../money/memory-book.ts'
import { integer } from '../sql/rows.ts'
import { extend, hold, newWallet, type Opened, settle, type Use, voided, type Wallet } from './harness.ts'

const SEEDS = [1, 2, 3, 4, 5, 6]
const VERBS = 250
/** Two of these make a node dead. One leaves five seconds for an engine with a real clock to finish the test. */
const STEP_MS = 5_000

/** Small, seeded and the same everywhere (mulberry32). */
function randomness(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T
  return { below, pick }
}
type Randomness = ReturnType<typeof randomness>

function randomVerb({ below, pick }: Randomness, wallets: readonly Wallet[], rows: MemoryRows): Verb {
  const id = BigInt(1 + below(60))
  const slot = 1 + below(2)
  // Mostly the epoch in force, so that verbs take effect; at times one that is gone or never was.
  const epoch = (rows.nodes.get(slot)?.epoch ?? 1) + pick([0, 0, 0, 0, 0, -1, 1])
  const owner = pick([true, true, true, false]) ? rows.requests.get(id) : undefined
  const node = owner ? { slot: owner.slot, epoch: owner.epoch } : { slot, epoch }
  const amount = BigInt(below(300))
  const held = rows.requests.get(id)?.held ?? 0n
  const minimum = pick([0n, 1n, amount / 2n, amount])
  const wallet = pick(wallets)
  const stolen = pick([...Array<undefined>(19), pick(wallets)])
  return pick<() => Verb>([
    ...Array<() => Verb>(6).fill(() =>
      hold(id, { ...wallet, ...(stolen && { key: stolen.key }) }, node, { amount, minimum }),
    ),
    ...Array<() => Verb>(2).fill(() =>
      // Mostly what is held; at times less, as after a lost answer.
      extend(id, node, { known: pick([held, held, held / 2n]), amount, minimum, progress: BigInt(below(250)) }),
    ),
    ...Array<() => Verb>(5).fill(() => settle(id, node, BigInt(below(400)), { ending: `ending-${below(3)}` })),
    () => voided(id, node),
    () => ({ verb: 'reap', limit: 1 + below(5) }),
    ...Array<() => Verb>(2).fill(() => ({
      verb: 'join',
      slot,
      config: `config-${below(3)}`,
      takeover: below(4) === 0,
    })),
    () => ({ verb: 'renew', slot, epoch, config: `config-${below(3)}` }),
    ...pick([[], [], [() => ({ verb: 'leave', slot, epoch }) as const]]),
  ])()
}

async function startingRows(opened: Opened): Promise<{ rows: MemoryRows; wallets: Wallet[] }> {
  const rows = emptyRows()
  const wallets: Wallet[] = []
  const kinds = [{}, { cap: 900n }, { expiresAt: 1 }, {}] as const
  for (const [index, kind] of kinds.entries()) {
    const balance = BigInt(index * 700 + 300)
    const wallet = await newWallet(opened.storage, balance, kind)
    wallets.push(wallet)
    rows.accounts.set(wallet.account, { ...newAccountRow(wallet.account), balance })
    rows.keys.set(wallet.key, { ...newKeyRow(wallet.key, wallet.account), ...kind })
    rows.transfers.push({ request: undefined, debit: -3n, credit: wallet.account, amount: balance })
  }
  return { rows, wallets }
}

const numbers = (rows: Record<string, unknown>[]): (bigint | string | undefined)[][] =>
  rows.map((row) =>
    Object.values(row).map((value) =>
      value === null ? undefined : typeof value === 'string' ? value : integer(value),
    ),
  )

async function compareRows({ raw }: Opened, rows: MemoryRows): Promise<void> {
  expect(numbers(await raw('SELECT id, balance, held FROM account ORDER BY id'))).toEqual(
    [...rows.accounts.values()].map(({ id, balance, held }) => [id, balance, held]),
  )
  expect(numbers(await raw('SELECT id, spent, held FROM api_key ORDER BY id'))).toEqual(
    [...rows.keys.values()].map(({ id, spent, held }) => [id, spent, held]),
  )
  expect(numbers(await raw('SELECT slot, epoch, config FROM node ORDER BY slot'))).toEqual(
    [...rows.nodes.values()]
      .sort((a, b) => a.slot - b.slot)
      .map(({ slot, epoch, config }) => [BigInt(slot), BigInt(epoch), config]),
  )
  const columns = 'id, account, key, slot, epoch, state, held, progress, cost, shortfall, ending, receipt, model'
  expect(numbers(await raw(`SELECT ${columns} FROM request ORDER BY id`))).toEqual(
    [...rows.requests.values()]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((row) => [
        ...[row.id, row.account, row.key, BigInt(row.slot), BigInt(row.epoch), BigInt(row.state), row.held],
        ...[row.progress, row.cost, row.shortfall, row.ending, row.receipt, row.model],
      ]),
  )
  expect(numbers(await raw('SELECT request, debit, credit, amount FROM transfer ORDER BY id'))).toEqual(
    rows.transfers.map(({ request, debit, credit, amount }) => [request, debit, credit, amount]),
  )
}

export function differentialContract(use: Use): void {
  for (const seed of SEEDS)
    test(`random verbs give the answers and the rows of the rules: seed ${seed}`, async () => {
      const opened = use()
      const random = randomness(seed)
      const { rows, wallets } = await startingRows(opened)
      let now = 1_000_000
      const outcomes = new Set<Result['outcome']>()
      for (let step = 0; step < VERBS; ) {
        if (random.below(12) === 0) {
          now += STEP_MS
          await opened.elapse(STEP_MS)
        }
        const together = opened.keepsOrder ? 1 + random.below(25) : 1
        step += together
        const verbs: Verb[] = []
        const expected: Result[] = []
        for (let index = 0; index < together; index++) {
          const verb = randomVerb(random, wallets, rows)
          verbs.push(verb)
          expected.push(apply(memoryBook(rows, now), verb))
        }
        for (const { outcome } of expected) outcomes.add(outcome)
        expect(await Promise.all(verbs.map((verb) => opened.storage.apply(verb)))).toEqual(expected)
      }
      await compareRows(opened, rows)
      const openHolds = [...rows.requests.values()].filter(({ state }) => state === HELD).length
      expect(await opened.storage.audit()).toMatchObject({ ok: true, requests: rows.requests.size, openHolds })
      // The mix must be worth something: most outcomes have to occur in it.
      for (const outcome of ['done', 'repeated', 'no_balance', 'node_lost', 'not_open', 'unknown_request'] as const)
        expect([...outcomes]).toContain(outcome)
    })
}
