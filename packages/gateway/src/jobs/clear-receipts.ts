// Clears the text of receipts after their retention, in small pages with pauses; requests and transfers stay.
import { firstIdAt } from '../request/ids.ts'
import type { Ledger } from '../storage/ledger.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 60_000
const PAUSE_MS = 50
const PAGE = 200

/** `keepMs`: as the configuration has it now. Each process reads the old requests once, then continues from there. */
export function clearReceipts(every: Every, ledger: Pick<Ledger, 'clearReceipts'>, keepMs: () => number | 'off'): void {
  let after = 0n
  every(INTERVAL_MS, {
    name: 'clear old receipts',
    scope: 'cluster',
    async run() {
      const kept = keepMs()
      const below = firstIdAt(Date.now() - (kept === 'off' ? 0 : kept))
      const { last, isMore } = await ledger.clearReceipts(below, after, PAGE)
      after = last
      return isMore ? PAUSE_MS : undefined
    },
  })
}
