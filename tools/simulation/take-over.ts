// Repetitions with the same idempotency key: they take a reaped request over, run or never begin, and what was delivered is charged once.
import { HELD, REAPED, REPETITION_BEGINS_WITHIN_MS, TASK_NODE } from '../../packages/gateway/src/money/ledger.ts'
import type { MemoryRows } from './memory-book.ts'
import { checkRepetitions, type Model } from './model.ts'
import type { SimulatedStore } from './store.ts'

/** Without randomness of its own: the other events of a seed stay as they are. */
const ONE_OF = 4n
/** Ids of repetitions that never place a hold. */
const NEVER_BEGUN = 1_000_000n

export function takeOverReaped(store: SimulatedStore, model: Model, now: number): void {
  if (!store.up) return
  const { repetitions } = model
  for (const { id, account, state, cost, shortfall } of [...store.rows.requests.values()]) {
    if (state !== REAPED || cost + shortfall > 0n || id % ONE_OF !== 0n) continue
    const running = [...store.rows.requests.values()].find(
      (row) => row.state === HELD && row.account === account && row.nodeId !== TASK_NODE && !repetitions.has(row.id),
    )
    const by = id % (2n * ONE_OF) === 0n && running ? running.id : NEVER_BEGUN + id
    const [result] = store.transact([{ verb: 'take_over', id, by }], now, false) ?? []
    if (result?.verdict === 'done') repetitions.set(by, result.amount)
  }
  collect(store, model, now)
}

function collect(store: SimulatedStore, model: Model, now: number): void {
  store.transact([{ verb: 'collect', limit: 100 }], now, false)
  checkRepetitions(store.rows, model)
}

/** When no repetition can begin any more. Returns the rows. */
export function collectAll(store: SimulatedStore, model: Model, now: number): MemoryRows {
  collect(store, model, now + REPETITION_BEGINS_WITHIN_MS)
  return store.rows
}
