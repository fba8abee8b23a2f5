// Removes the rows of old requests at price 0: each is about a kilobyte, and they have moved no money. Sums of them stay.
import { firstIdAt } from '../request/ids.ts'
import type { Ledger } from '../storage/ledger.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 3_600_000
const PAUSE_MS = 100
const PAGE = 200
const DAY_MS = 86_400_000
const KEPT_MS = 30 * DAY_MS

export function foldFreeRequests(every: Every, ledger: Pick<Ledger, 'foldFreeRequests'>): void {
  every(INTERVAL_MS, {
    name: 'fold free requests',
    scope: 'cluster',
    firstMs: 120_000,
    async run() {
      const folded = await ledger.foldFreeRequests(firstIdAt(Date.now() - KEPT_MS), PAGE)
      return folded === PAGE ? PAUSE_MS : undefined
    },
  })
}
