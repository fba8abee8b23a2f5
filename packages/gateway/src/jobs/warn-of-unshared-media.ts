import type { Log } from '../observe/log.ts'
import type { Every } from './every.ts'
import type { ClusterStatus } from './watch-nodes.ts'

const LOOK_FOR_NODES_MS = 60_000
/** The leases of processes that this one replaced have expired by then. */
const FIRST_LOOK_MS = 15_000

/** Warns once when there are nodes besides the workers of this machine: all of them must see the same stored media. */
export function warnOfUnsharedMedia(
  every: Every,
  folder: string,
  workers: number,
  status: () => ClusterStatus,
  log: Log,
): void {
  let isWarned = false
  every(LOOK_FOR_NODES_MS, {
    name: 'look for other nodes',
    scope: 'node',
    firstMs: FIRST_LOOK_MS,
    async run() {
      const { nodes } = status()
      if (isWarned || nodes === null || nodes <= workers) return undefined
      isWarned = true
      log.warn('media are stored in a folder: all nodes must share it, or use media: { s3: ... }', { folder, nodes })
      return undefined
    },
  })
}
