// Names accounts that have more tags or end users on a day than are told apart in sums: each once a day, by all processes together.
import { MOST_VALUES } from '../money/budgets/attribution.ts'
import type { Log } from '../observe/log.ts'
import type { AttributedUsage } from '../storage/storage.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 60_000
const DAY_MS = 86_400_000
/** In one interval. */
const MOST_LINES = 100

export function reportManyValues(every: Every, attribution: Pick<AttributedUsage, 'reportManyValues'>, log: Log): void {
  every(INTERVAL_MS, {
    name: 'report accounts with many tags',
    scope: 'cluster',
    async run() {
      // Those of yesterday, too: what was added up shortly before midnight.
      const found = await attribution.reportManyValues(Date.now() - DAY_MS, MOST_LINES)
      for (const { account, dimension, day } of found)
        log.warn('too many tags or end users to tell apart', {
          account: String(account),
          dimension,
          day: new Date(day).toISOString().slice(0, 10),
          told_apart: MOST_VALUES,
        })
      return undefined
    },
  })
}
