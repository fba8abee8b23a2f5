// Sums of spending by tag and by end user, of the day. An account has a bounded number of values a day: what comes after is one more.
import type { Database } from 'bun:sqlite'
import {
  type Attribution,
  type AttributionDimension,
  FURTHER_VALUES,
  MOST_VALUES,
} from '../../../money/budgets/attribution.ts'
import type { Spending } from '../../../money/ledger.ts'
import type { SqlRow } from './ledger-rows.ts'
import { addTo, dayOf, NOTHING_SPENT, prepareSums, type Sum } from './sums.ts'

type AttributedSum = Sum & { dimension: AttributionDimension; value: string }
type OfDay = [account: bigint, dimension: string, day: number]

export function openAttributionSums(db: Database) {
  const insert = prepareSums<AttributedSum>(
    db,
    'daily_attribution_spending',
    ['account', 'day', 'key', 'model', 'upstream', 'outcome'],
    { dimension: (sum) => sum.dimension, value: (sum) => sum.value },
  )
  const selectValue = db.prepare<SqlRow, [...OfDay, string]>(
    `SELECT 1 FROM daily_attribution_spending WHERE account = ? AND dimension = ? AND day = ? AND value = ? LIMIT 1`,
  )
  const addKnown = db.prepare<SqlRow, OfDay>(
    `INSERT INTO daily_attribution_values (account, dimension, day, known) VALUES (?, ?, ?, 1)
    ON CONFLICT DO UPDATE SET known = known + 1 WHERE known < ${MOST_VALUES} RETURNING known`,
  )
  let sums = new Map<string, AttributedSum>()

  function addValue(dimension: AttributionDimension, value: string, sum: Spending, hour: number, now: number): void {
    const { account, key, model, upstream, outcome } = sum
    const place = JSON.stringify([
      String(account),
      dimension,
      dayOf(hour),
      value,
      String(key),
      model,
      upstream,
      outcome,
    ])
    const known = sums.get(place) ?? { ...sum, ...NOTHING_SPENT, hour, dimension, value }
    sums.set(place, known)
    addTo(known, sum, now)
  }

  /** What is new takes one of the places that are left. */
  function hasPlace({ account, dimension, hour, value }: AttributedSum): boolean {
    const ofDay: OfDay = [account, dimension, dayOf(hour)]
    return value === FURTHER_VALUES || selectValue.get(...ofDay, value) !== null || addKnown.get(...ofDay) !== null
  }

  return {
    add({ tags, endUser }: Attribution, sum: Spending, hour: number, now: number): void {
      for (const tag of tags) addValue('tag', tag, sum, hour, now)
      if (endUser !== '') addValue('end_user', endUser, sum, hour, now)
    },
    write(): void {
      if (sums.size === 0) return
      const places = new Map<string, boolean>()
      const all = sums
      sums = new Map()
      for (const sum of all.values()) {
        const value = JSON.stringify([String(sum.account), sum.dimension, dayOf(sum.hour), sum.value])
        const hasOne = places.get(value) ?? hasPlace(sum)
        places.set(value, hasOne)
        addValue(sum.dimension, hasOne ? sum.value : FURTHER_VALUES, sum, sum.hour, sum.lastAt)
      }
      insert(sums.values())
    },
    clear: () => void sums.clear(),
  }
}
