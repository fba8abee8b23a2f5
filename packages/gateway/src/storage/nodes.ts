// The gateway processes that share a store, and their background jobs. Nodes join, renew and leave by verbs of the ledger.
import { fieldsOf, flag, maybe, small, text, word } from './fields.ts'

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

/** The last run of a job, on whichever node. */
export const toJob = fieldsOf({
  name: text,
  scope: word<'node' | 'cluster'>(),
  /** undefined: the job decides after each run. */
  intervalMs: maybe(small),
  nodeId: small,
  beganAt: small,
  durationMs: small,
  nextAt: small,
  /** These two are of the last run that failed; `isFailing`: that is the last one. */
  error: maybe(text),
  failedAt: maybe(small),
  isFailing: flag,
})
export type ListedJob = ReturnType<typeof toJob>
/** A run of a background job. `error`: undefined if it succeeded. */
export type JobRun = Omit<ListedJob, 'nodeId' | 'failedAt' | 'isFailing'>
