// Removes sessions that have expired, and links and attempts that no longer matter, in small pages with pauses.
import type { Sessions } from '../../storage/people/sessions.ts'
import type { SignIns } from '../../storage/people/sign-ins.ts'
import type { Every } from '../every.ts'

const INTERVAL_MS = 60_000
const PAUSE_MS = 20
const PAGE = 100

type Swept = { sessions: Pick<Sessions, 'sweep'>; signIns: Pick<SignIns, 'sweep'> }

export function sweepSessions(every: Every, { sessions, signIns }: Swept): void {
  every(INTERVAL_MS, {
    name: 'remove expired sessions',
    scope: 'cluster',
    async run() {
      const removed = (await sessions.sweep(PAGE)) + (await signIns.sweep(PAGE))
      return removed > 0 ? PAUSE_MS : undefined
    },
  })
}
