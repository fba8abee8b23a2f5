// Sums of spending by account, key and model, of the hour and of the day. Requests that end together mostly share their sums,
// so these are added up here and written with the other rows.
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
const DAY_MS = 24 * HOUR_MS
const SUMS = ['requests', 'tokens', 'cost', 'last_at']
const ADD = `DO UPDATE SET requests = requests + excluded.requests, tokens = tokens + excluded.tokens,
  cost = cost + excluded.cost, last_at = max(last_at, excluded.last_at)`

export function openSpendingSums(db: Database): SpendingSums {
  const insertsInto = (table: string, names: readonly string[], values: (sum: Sum) => (bigint | number | string)[]) =>
    prepareInserts<Sum>(
      db,
      table,
      [...names, ...SUMS],
      (sum, all) => all.push(...values(sum), sum.requests, sum.tokens, sum.cost, sum.lastAt),
      `ON CONFLICT ${ADD}`,
    )
  const insertHours = insertsInto('spending', ['account', 'hour', 'key', 'model'], ({ account, hour, key, model }) => [
    account,
    hour,
    key,
    model,
  ])
  const insertDays = insertsInto('daily_spending', ['account', 'day', 'model'], ({ account, hour, model }) => [
    account,
    dayOf(hour),
    model,
  ])
  const insertKeys = insertsInto(
    'key_spending',
    ['key', 'day', 'model', 'account'],
    ({ key, hour, model, account }) => [key, dayOf(hour), model, account],
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
      if (byKey.size === 0) return
      const sums = [...byKey.values()].flat()
      insertHours(sums)
      insertKeys(sums)
      insertDays(sums.length === 1 ? sums : summedOverKeys(sums))
    },
    clear: () => byKey.clear(),
  }
}

const dayOf = (time: number): number => time - (time % DAY_MS)

/** Many keys of an account share a row. */
function summedOverKeys(sums: readonly Sum[]): Iterable<Sum> {
  const merged = new Map<string, Sum>()
  for (const sum of sums) {
    const name = `${sum.account} ${dayOf(sum.hour)} ${sum.model}`
    const known = merged.get(name)
    if (!known) merged.set(name, { ...sum })
    else {
      known.requests += sum.requests
      known.tokens += sum.tokens
      known.cost += sum.cost
      known.lastAt = Math.max(known.lastAt, sum.lastAt)
    }
  }
  return merged.values()
}
