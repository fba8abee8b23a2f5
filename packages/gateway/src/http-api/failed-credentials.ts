// Wrong credentials: how many a network, and all networks together, may send in a minute, and the trace that they leave in the audit log. Each
// process counts by itself.
import type { Log } from '../observe/log.ts'
import { errorText } from '../observe/log.ts'
import { createAttemptCounter } from '../sharing/attempt-counter.ts'
import type { AuditLog } from '../storage/storage.ts'
import type { Origin } from './origin.ts'

const MINUTE_MS = 60_000
/** Wrong credentials a minute. */
const MOST_OF_NETWORK = 30
const MOST_OF_ALL = 1_000
/** Rows of the audit log a minute: one of each network, and so many of all. */
const MOST_ROWS = 20

export type FailedCredentials = {
  /** The seconds to wait, if there were too many. */
  wait(origin: Origin): number | undefined
  /** Counts one that was wrong. */
  count(origin: Origin): void
  /** Leaves a row in the audit log, unless the network has one of this minute. `action`: what failed. `object`: what it was about. */
  trace(origin: Origin, requestId: bigint, action: string, object: string): void
}

export function createFailedCredentials(
  auditLog: Pick<AuditLog, 'add'>,
  clock: () => number,
  log: Pick<Log, 'error'>,
): FailedCredentials {
  const byNetwork = createAttemptCounter(clock, () => MOST_OF_NETWORK, MINUTE_MS)
  const all = createAttemptCounter(clock, () => MOST_OF_ALL, MINUTE_MS)
  const rowsOfNetwork = createAttemptCounter(clock, () => 1, MINUTE_MS)
  const rows = createAttemptCounter(clock, () => MOST_ROWS, MINUTE_MS)
  return {
    wait: ({ network }) => byNetwork.wait(network) ?? all.wait(''),
    count({ network }) {
      byNetwork.count(network)
      all.count('')
    },
    trace({ network, address }, requestId, action, object) {
      if (rowsOfNetwork.count(`${action} ${network}`) !== undefined || rows.count('') !== undefined) return
      const actor = { type: 'person', id: '' } as const
      auditLog
        .add({ actor, address, requestId, action, object, before: undefined, after: undefined, reason: '' })
        .catch((error) => log.error('a failed sign-in is not in the audit log', { error: errorText(error) }))
    },
  }
}
