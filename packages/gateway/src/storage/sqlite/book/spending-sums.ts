// Sums of spending by account, key, model, upstream and outcome, of the hour and of the day. Requests that end together mostly share
// their sums, so these are added up here and written with the other rows.
import type { Database } from 'bun:sqlite'
import type { Spending } from '../../../money/ledger.ts'
import { openAttributionSums } from './attribution-sums.ts'
import { addTo, dayOf, HOUR_MS, NOTHING_SPENT, prepareSums, type Sum } from './sums.ts'

export type SpendingSums = {
  add(sum: Spending, now: number): void
  write(): void
  clear(): void
}

export function openSpendingSums(db: Database): SpendingSums {
  const insertHours = prepareSums(db, 'hourly_spending', ['account', 'hour', 'key', 'model', 'upstream', 'outcome'])
  const insertDays = prepareSums(db, 'daily_spending', ['account', 'day', 'model', 'upstream', 'outcome'])
  const insertKeys = prepareSums(db, 'daily_key_spending', ['key', 'day', 'model', 'upstream', 'outcome', 'account'])
  const attributed = openAttributionSums(db)
  const byKey = new Map<bigint, Sum[]>()

  function sumOf(sought: Spending, hour: number): Sum {
    let sums = byKey.get(sought.key)
    if (!sums) {
      sums = []
      byKey.set(sought.key, sums)
    }
    // Few: the models, upstreams and outcomes of one key since the last write.
    for (const sum of sums) if (isSame(sum, sought) && sum.hour === hour) return sum
    const sum = { ...sought, hour, ...NOTHING_SPENT }
    sums.push(sum)
    return sum
  }

  return {
    add(sum, now) {
      const hour = now - (now % HOUR_MS)
      addTo(sumOf(sum, hour), sum, now)
      if (sum.attribution) attributed.add(sum.attribution, sum, hour, now)
    },
    write() {
      if (byKey.size === 0) return
      const sums = [...byKey.values()].flat()
      insertHours(sums)
      const rowOf = (id: bigint, sum: Sum) => [id, dayOf(sum.hour), sum.upstream, sum.outcome, sum.model].join(' ')
      insertKeys(sums.length === 1 ? sums : merged(sums, (sum) => rowOf(sum.key, sum)))
      insertDays(sums.length === 1 ? sums : merged(sums, (sum) => rowOf(sum.account, sum)))
      attributed.write()
    },
    clear() {
      byKey.clear()
      attributed.clear()
    },
  }
}

const isSame = (one: Spending, other: Spending): boolean =>
  one.model === other.model && one.outcome === other.outcome && one.upstream === other.upstream

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
