// Sums of spending by account, hour, key and model. Requests that end together mostly share their sums, so these are added up
// here and written with the other rows.
import type { Database } from 'bun:sqlite'
import type { Nanos } from '../../money/amount.ts'
import type { RequestRow } from '../../money/ledger.ts'
import { prepareInserts } from './insert-rows.ts'

type Sum = {
  account: bigint
  hour: number
  key: bigint
  model: string
  requests: number
  tokens: number
  cost: Nanos
  lastAt: number
}

export type SpendingSums = {
  add(request: RequestRow, requests: number, tokens: number, cost: Nanos, now: number): void
  write(): void
  clear(): void
}

const HOUR_MS = 3_600_000
const ADD = `ON CONFLICT (account, hour, key, model) DO UPDATE SET requests = requests + excluded.requests,
  tokens = tokens + excluded.tokens, cost = cost + excluded.cost, last_at = max(last_at, excluded.last_at)`

export function openSpendingSums(db: Database): SpendingSums {
  const insert = prepareInserts<Sum>(
    db,
    'spending',
    ['account', 'hour', 'key', 'model', 'requests', 'tokens', 'cost', 'last_at'],
    ({ account, hour, key, model, requests, tokens, cost, lastAt }, values) =>
      values.push(account, hour, key, model, requests, tokens, cost, lastAt),
    ADD,
  )
  const byKey = new Map<bigint, Sum[]>()

  function sumOf({ account, key, model }: RequestRow, hour: number): Sum {
    let sums = byKey.get(key)
    if (!sums) {
      sums = []
      byKey.set(key, sums)
    }
    // Few: the models that one key has used since the last write.
    for (const sum of sums) if (sum.model === model && sum.hour === hour) return sum
    const sum = { account, hour, key, model, requests: 0, tokens: 0, cost: 0n, lastAt: 0 }
    sums.push(sum)
    return sum
  }

  return {
    add(request, requests, tokens, cost, now) {
      const sum = sumOf(request, now - (now % HOUR_MS))
      sum.requests += requests
      sum.tokens += tokens
      sum.cost += cost
      sum.lastAt = Math.max(sum.lastAt, now)
    },
    write() {
      if (byKey.size > 0) insert([...byKey.values()].flat())
    },
    clear: () => byKey.clear(),
  }
}
