// Counts the nodes that share the store, and notices config drift.
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
