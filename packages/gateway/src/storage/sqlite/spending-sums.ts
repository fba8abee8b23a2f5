// Sums of spending by account, key, model, upstream and outcome, of the hour and of the day. Requests that end together mostly share
// their sums, so these are added up here and written with the other rows.
import type { Database } from 'bun:sqlite'
import type { Spending } from '../../money/ledger.ts'
import { prepareInserts } from './insert-rows.ts'

type Sum = Spending & { hour: number; lastAt: number }

export type SpendingSums = {
  add(sum: Spending, now: number): void
  write(): void
  clear(): void
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const dayOf = (time: number): number => time - (time % DAY_MS)

/** Column -> its value. */
const NAMES = {
  account: (sum: Sum) => sum.account,
  hour: (sum: Sum) => sum.hour,
  day: (sum: Sum) => dayOf(sum.hour),
  key: (sum: Sum) => sum.key,
  model: (sum: Sum) => sum.model,
  upstream: (sum: Sum) => sum.upstream,
  outcome: (sum: Sum) => sum.outcome,
}
const AMOUNTS = {
  requests: (sum: Sum) => sum.requests,
  tokens: (sum: Sum) => sum.tokens,
  cost: (sum: Sum) => sum.cost,
  upstream_cost: (sum: Sum) => sum.upstreamCost,
  unknown_costs: (sum: Sum) => sum.unknownCosts,
}

export function openSpendingSums(db: Database): SpendingSums {
  const amounts = Object.keys(AMOUNTS)
  const insertsInto = (table: string, names: (keyof typeof NAMES)[]) => {
    const values = [...names.map((name) => NAMES[name]), ...Object.values(AMOUNTS)]
    const added = amounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')
    return prepareInserts<Sum>(
      db,
      table,
      [...names, ...amounts, 'last_at'],
      (sum, all) => {
        for (const value of values) all.push(value(sum))
        all.push(sum.lastAt)
      },
      `ON CONFLICT DO UPDATE SET ${added}, last_at = max(last_at, excluded.last_at)`,
    )
  }
  const insertHours = insertsInto('hourly_spending', ['account', 'hour', 'key', 'model', 'upstream', 'outcome'])
  const insertDays = insertsInto('daily_spending', ['account', 'day', 'model', 'upstream', 'outcome'])
  const insertKeys = insertsInto('daily_key_spending', ['key', 'day', 'model', 'upstream', 'outcome', 'account'])
  const byKey = new Map<bigint, Sum[]>()

  function sumOf(sought: Spending, hour: number): Sum {
    let sums = byKey.get(sought.key)
    if (!sums) {
      sums = []
      byKey.set(sought.key, sums)
    }
    // Few: the models, upstreams and outcomes of one key since the last write.
    for (const sum of sums) if (isSame(sum, sought) && sum.hour === hour) return sum
    const nothing = { requests: 0, tokens: 0, cost: 0n, upstreamCost: 0n, unknownCosts: 0, lastAt: 0 }
    const sum = { ...sought, hour, ...nothing }
    sums.push(sum)
    return sum
  }

  return {
    add(sum, now) {
      addTo(sumOf(sum, now - (now % HOUR_MS)), sum, now)
    },
    write() {
      if (byKey.size === 0) return
      const sums = [...byKey.values()].flat()
      insertHours(sums)
      const rowOf = (id: bigint, sum: Sum) => [id, dayOf(sum.hour), sum.upstream, sum.outcome, sum.model].join(' ')
      insertKeys(sums.length === 1 ? sums : merged(sums, (sum) => rowOf(sum.key, sum)))
      insertDays(sums.length === 1 ? sums : merged(sums, (sum) => rowOf(sum.account, sum)))
    },
    clear: () => byKey.clear(),
  }
}

const isSame = (one: Spending, other: Spending): boolean =>
  one.model === other.model && one.outcome === other.outcome && one.upstream === other.upstream

function addTo(sum: Sum, more: Spending, at: number): void {
  sum.requests += more.requests
  sum.tokens += more.tokens
  sum.cost += more.cost
  sum.upstreamCost += more.upstreamCost
  sum.unknownCosts += more.unknownCosts
  sum.lastAt = Math.max(sum.lastAt, at)
}

/** Sums that share a row. */
function merged(sums: readonly Sum[], rowOf: (sum: Sum) => string): Iterable<Sum> {
  const rows = new Map<string, Sum>()
  for (const sum of sums) {
    const row = rowOf(sum)
    const known = rows.get(row)
    if (known) addTo(known, sum, sum.lastAt)
    else rows.set(row, { ...sum })
  }
  return rows.values()
}
