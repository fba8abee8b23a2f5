// The gateway processes that share a store, and their background jobs. Nodes join, renew and leave by verbs of the ledger.

export type LiveNode = { nodeId: number; config: string }

/** What a node tells of itself. `revision`: of the stored configuration in force. */
export type NodeState = {
  version: string
  startedAt: number
  revision: number
  ready: boolean
  faults: readonly string[]
}
/** `config`: the hash of its configuration. `state`: undefined for a node that has told nothing yet, or whose version tells nothing. */
export type ListedNode = LiveNode & { epoch: number; renewedAt: number; state: NodeState | undefined }

/** A run of a background job. `error`: undefined if it succeeded. */
export type JobRun = {
  name: string
  scope: 'node' | 'cluster'
  /** undefined: the job decides after each run. */
  intervalMs: number | undefined
  beganAt: number
  durationMs: number
  nextAt: number
  error: string | undefined
}
/** The last run of a job, on whichever node. `error` and `failedAt`: of the last run that failed; `isFailing`: that is the last one. */
export type ListedJob = JobRun & { nodeId: number; failedAt: number | undefined; isFailing: boolean }
