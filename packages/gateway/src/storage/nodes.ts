// The gateway processes that share a store. They join, renew and leave by verbs of the ledger.

export type LiveNode = { nodeId: number; config: string }

export interface Nodes {
  /** Nodes whose lease has not expired, each with the fingerprint of its configuration. */
  live(): Promise<LiveNode[]>
}
