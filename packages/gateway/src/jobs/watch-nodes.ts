// Counts the nodes that share the store, and notices config drift.

import type { Log } from '../observe/log.ts'
import type { Nodes } from '../storage/storage.ts'
import type { Every } from './every.ts'

const POLL_NODES_MS = 1_000

/** The nodes that share a store; null while it is unknown. */
export type ClusterStatus = { nodes: number | null; drift: boolean | null }

/** Every node publishes the fingerprint of its configuration with its lease. Different fingerprints are config drift. */
export function watchNodes(every: Every, nodes: Pick<Nodes, 'live'>): () => ClusterStatus {
  let status: ClusterStatus = { nodes: null, drift: null }
  every(POLL_NODES_MS, {
    name: 'watch nodes',
    scope: 'node',
    firstMs: 0,
    async run() {
      // A store that does not answer is reported by the renewal of the node's lease.
      const live = await nodes.live().catch(() => undefined)
      status = live
        ? { nodes: live.length, drift: new Set(live.map(({ config }) => config)).size > 1 }
        : { nodes: null, drift: null }
      return undefined
    },
  })
  return () => status
}

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
