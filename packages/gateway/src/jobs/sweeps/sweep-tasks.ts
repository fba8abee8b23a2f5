// Removes the rows of tasks whose time is over, and the leases of tasks that have ended, in small pages with pauses.
import { firstIdAt } from '../../request/ids.ts'
import type { Ledger } from '../../storage/ledger.ts'
import type { Tasks } from '../../storage/tasks.ts'
import type { Every } from '../every.ts'

const INTERVAL_MS = 60_000
const PAUSE_MS = 20
const PAGE = 50
/** No request to place a hold is under way for as long. */
const LEASES_KEPT_MS = 24 * 3_600_000

type Swept = { tasks: Pick<Tasks, 'sweep'>; ledger: Pick<Ledger, 'removeTaskLeases'> }

export function sweepTasks(every: Every, { tasks, ledger }: Swept): void {
  every(INTERVAL_MS, {
    name: 'remove old tasks',
    scope: 'cluster',
    async run() {
      const rows = await tasks.sweep(PAGE)
      const leases = await ledger.removeTaskLeases(firstIdAt(Date.now() - LEASES_KEPT_MS), PAGE)
      return rows === PAGE || leases === PAGE ? PAUSE_MS : undefined
    },
  })
}
