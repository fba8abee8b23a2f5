// A request whose owner was away is repeated with the same idempotency key: whatever the order, one of the responses is charged.
import { expect, test } from 'bun:test'
import { DEAD_AFTER_MS, REPETITION_BEGINS_WITHIN_MS, REPETITION_KEPT_MS, type Verb } from '../../src/money/ledger.ts'
import { extend, hold, money, newNode, newWallet, result, settle, type Use, voided } from './harness.ts'

/** What request 1 and its repetitions 2 and 3 cost if they are delivered. Each runs on the node of its number. */
const COSTS = [0n, 60n, 70n, 80n]

/**
 * `hold`, `settle`, `void`, `progress`, `die` (the owner is silent until its request is reaped): of the request with that number. `take`: the
 * second takes the first one over. `later`: no repetition begins any more. `month`: repetitions are forgotten.
 */
type Step =
  | [what: 'hold' | 'settle' | 'void' | 'progress' | 'die', id: number]
  | [what: 'take', id: number, by: number]
  | [what: 'collect' | 'later' | 'month']
type Order = { name: string; steps: Step[]; paid?: number; lost?: number[] }

const ORDERS: Order[] = [
  {
    name: 'the owner returns before a repetition',
    steps: [
      ['settle', 1],
      ['take', 1, 2],
    ],
    paid: 1,
  },
  {
    name: 'the repetition is charged, the owner returns',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['settle', 2],
      ['settle', 1],
    ],
    paid: 2,
    lost: [1],
  },
  {
    name: 'the repetition is charged and collected before',
    steps: [['take', 1, 2], ['hold', 2], ['settle', 2], ['collect'], ['settle', 1]],
    paid: 2,
    lost: [1],
  },
  {
    name: 'the owner returns while the repetition runs, which is charged',
    steps: [['take', 1, 2], ['hold', 2], ['settle', 1], ['collect'], ['settle', 2]],
    paid: 2,
    lost: [1],
  },
  {
    name: 'the owner returns while the repetition runs, which fails',
    steps: [['take', 1, 2], ['hold', 2], ['settle', 1], ['collect'], ['void', 2]],
    paid: 1,
  },
  {
    name: 'the repetition fails, the owner returns',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['void', 2],
      ['settle', 1],
    ],
    paid: 1,
  },
  {
    name: 'the owner returns before the hold of the repetition',
    steps: [['take', 1, 2], ['settle', 1], ['collect'], ['hold', 2], ['settle', 2]],
    paid: 2,
    lost: [1],
  },
  { name: 'the repetition never begins', steps: [['take', 1, 2], ['settle', 1], ['collect'], ['later']], paid: 1 },
  {
    name: 'the owner never returns',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['settle', 2],
    ],
    paid: 2,
  },
  {
    name: 'the owner returns and has failed',
    steps: [
      ['take', 1, 2],
      ['void', 1],
      ['hold', 2],
      ['settle', 2],
    ],
    paid: 2,
  },
  {
    name: 'both are reaped, the first returns',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['die', 2],
      ['settle', 1],
    ],
    paid: 1,
  },
  {
    name: 'both are reaped, the first returns and then the second',
    steps: [['take', 1, 2], ['hold', 2], ['die', 2], ['settle', 1], ['collect'], ['settle', 2]],
    paid: 1,
    lost: [2],
  },
  {
    name: 'both are reaped, the second returns and then the first',
    steps: [['take', 1, 2], ['hold', 2], ['die', 2], ['settle', 2], ['collect'], ['settle', 1]],
    paid: 2,
    lost: [1],
  },
  {
    name: 'the repetition was reaped at its progress',
    steps: [['take', 1, 2], ['hold', 2], ['progress', 2], ['die', 2], ['settle', 1], ['collect'], ['settle', 2]],
    paid: 2,
    lost: [1],
  },
  {
    name: 'the repetition was reaped at its progress, and failed after all',
    steps: [['take', 1, 2], ['hold', 2], ['progress', 2], ['die', 2], ['settle', 1], ['collect'], ['void', 2]],
    paid: 1,
  },
  {
    name: 'a third runs in place of two that were reaped, and both return',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['die', 2],
      ['take', 2, 3],
      ['hold', 3],
      ['settle', 2],
      ['settle', 1],
      ['collect'],
      ['settle', 3],
    ],
    paid: 3,
    lost: [1, 2],
  },
  {
    name: 'a third fails in place of two that were reaped, and both return',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['die', 2],
      ['take', 2, 3],
      ['hold', 3],
      ['void', 3],
      ['settle', 2],
      ['settle', 1],
    ],
    paid: 1,
    lost: [2],
  },
  {
    name: 'a third runs in place of one that never began',
    steps: [['take', 1, 2], ['later'], ['take', 2, 3], ['hold', 3], ['settle', 1], ['collect'], ['settle', 3]],
    paid: 3,
    lost: [1],
  },
  {
    name: 'the key is free again after a failure, and a third runs',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['void', 2],
      ['take', 1, 3],
      ['hold', 3],
      ['settle', 1],
      ['collect'],
      ['settle', 3],
    ],
    paid: 3,
    lost: [1],
  },
  {
    name: 'a third does not run after the owner returned',
    steps: [
      ['take', 1, 2],
      ['hold', 2],
      ['void', 2],
      ['settle', 1],
      ['take', 2, 3],
    ],
    paid: 1,
  },
  {
    name: 'the owner returns after a month, when repetitions are forgotten',
    steps: [['take', 1, 2], ['later'], ['month'], ['settle', 1]],
    lost: [1],
  },
]

/** Ids have 64 bits: one that fits 32 would hide a column or a variable that does not. */
const idOf = (number: number): bigint => (1n << 58n) + BigInt(number)

export function repetitionsContract(use: Use): void {
  for (const { name, steps, paid, lost = [] } of ORDERS)
    test(`of a repeated request one response is charged: ${name}`, async () => {
      const { storage, elapse } = use()
      const { apply, findRequest } = storage.ledger
      const wallet = await newWallet(storage, 1_000n)
      const nodes = new Map<number, Awaited<ReturnType<typeof newNode>>>()
      const verbOn = (what: 'settle' | 'void' | 'progress', id: number): Verb => {
        const node = nodes.get(id)
        if (!node) throw new Error(`request ${id} was not held`)
        if (what === 'progress') return extend(idOf(id), node, { amount: 0n, minimum: 0n, progress: 20n })
        return what === 'void' ? voided(idOf(id), node) : settle(idOf(id), node, COSTS[id] ?? 0n)
      }
      async function take([what, id = 0, by = 0]: Step): Promise<unknown> {
        switch (what) {
          case 'hold': {
            const node = await newNode(storage, id)
            nodes.set(id, node)
            return apply(hold(idOf(id), wallet, node))
          }
          case 'die':
            await elapse(DEAD_AFTER_MS)
            return apply({ verb: 'reap', limit: 10 })
          case 'take':
            return apply({ verb: 'take_over', id: idOf(id), by: idOf(by) })
          case 'collect':
            return apply({ verb: 'collect', limit: 10 })
          case 'later':
            return elapse(REPETITION_BEGINS_WITHIN_MS)
          case 'month':
            await elapse(REPETITION_KEPT_MS)
            return apply({ verb: 'collect', limit: 10 })
          default:
            return apply(verbOn(what, id))
        }
      }
      for (const step of [['hold', 1], ['die', 1], ...steps, ['collect'], ['collect']] satisfies Step[])
        await take(step)

      const ends = await Promise.all([1, 2, 3].map((id) => findRequest(wallet.account, idOf(id))))
      const charges = ends.map((row) => row?.cost ?? 0n)
      expect(charges).toEqual([1, 2, 3].map((id) => (id === paid ? (COSTS[id] ?? 0n) : 0n)))
      const losses = ends.map((row) => row?.shortfall ?? 0n)
      expect(losses).toEqual([1, 2, 3].map((id) => (lost.includes(id) ? (COSTS[id] ?? 0n) : 0n)))
      const spent = COSTS[paid ?? 0] ?? 0n
      expect(await money(storage, wallet)).toEqual({ balance: 1_000n - spent, held: 0n, spent, keyHeld: 0n })
      expect(await storage.ledger.audit()).toMatchObject({ ok: true })
    })

  test('a request is taken over only if it was reaped for nothing; what was charged is said', async () => {
    const { storage, elapse } = use()
    const [wallet, node] = [await newWallet(storage), await newNode(storage)]
    const takeOver = (id: bigint, by = idOf(9)) => storage.ledger.apply({ verb: 'take_over', id, by })
    await storage.ledger.apply(hold(idOf(1), wallet, node))
    await storage.ledger.apply(hold(idOf(2), wallet, node))
    await storage.ledger.apply(extend(idOf(2), node, { amount: 0n, minimum: 0n, progress: 20n }))
    await storage.ledger.apply(hold(idOf(3), wallet, node))
    await storage.ledger.apply(voided(idOf(3), node))
    await storage.ledger.apply(hold(idOf(4), wallet, node))
    await storage.ledger.apply(settle(idOf(4), node, 50n))
    expect(await takeOver(idOf(1))).toEqual(result('not_open', 0n))
    await elapse(DEAD_AFTER_MS)
    await storage.ledger.apply({ verb: 'reap', limit: 10 })
    expect(await takeOver(idOf(1))).toEqual(result('done', idOf(1)))
    expect(await takeOver(idOf(1))).toEqual(result('done', idOf(1)))
    expect(await takeOver(idOf(2))).toEqual(result('repeated', 20n))
    expect(await takeOver(idOf(3))).toEqual(result('done', 0n))
    expect(await takeOver(idOf(4))).toEqual(result('repeated', 50n))
    expect(await takeOver(idOf(77))).toEqual(result('done', 0n))
  })

  test('what is collected is limited by the balance, and collected once', async () => {
    const { storage, elapse } = use()
    const [wallet, node] = [await newWallet(storage, 100n), await newNode(storage)]
    await storage.ledger.apply(hold(idOf(1), wallet, node))
    await elapse(DEAD_AFTER_MS)
    await storage.ledger.apply({ verb: 'reap', limit: 10 })
    await storage.ledger.apply({ verb: 'take_over', id: idOf(1), by: idOf(2) })
    await storage.ledger.apply(settle(idOf(1), node, 130n))
    await elapse(REPETITION_BEGINS_WITHIN_MS)
    const collect = () => storage.ledger.apply({ verb: 'collect', limit: 10 })
    expect(await collect()).toEqual({ verdict: 'done', amount: 1n, tokens: 0, change: 100n })
    expect(await collect()).toEqual(result('done', 0n))
    expect(await storage.ledger.findRequest(wallet.account, idOf(1))).toMatchObject({
      cost: 100n,
      shortfall: 30n,
      outcome: 'done',
    })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })
}
