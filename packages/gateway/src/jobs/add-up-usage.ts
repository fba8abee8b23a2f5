// Adds up the usage of days that are over, for reports over all accounts.
import type { Reports } from '../storage/storage.ts'
import type { Every } from './every.ts'

const HOUR_MS = 3_600_000

export function addUpUsage(every: Every, reports: Pick<Reports, 'addUp'>): void {
  every(6 * HOUR_MS, {
    name: 'add up usage',
    scope: 'cluster',
    firstMs: 60_000,
    async run() {
      await reports.addUp()
      return undefined
    },
  })
}
