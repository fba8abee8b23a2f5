// Tells the store what operators are shown of this node and of its background jobs. Written sparingly: the state of the node when it has
// changed, runs of jobs once a minute, and at once when a job begins to fail or works again.
import type { JobRun, JobRuns, NodeState, Nodes } from '../storage/storage.ts'
import type { Every } from './every.ts'

const LOOK_MS = 2_000
const RUNS_MS = 60_000
/** An error is cut here, since it may quote what it failed on. */
const LONGEST_ERROR = 500

export type NodeReport = {
  /** To be called after each run of a job. */
  note(run: JobRun): void
  start(every: Every): void
}

export function createNodeReport(
  { nodes, jobRuns }: { nodes: Pick<Nodes, 'report'>; jobRuns: Pick<JobRuns, 'put'> },
  identity: () => { nodeId: number; epoch: number },
  state: () => NodeState,
  clock: () => number = Date.now,
): NodeReport {
  const runs = new Map<string, JobRun>()
  const failing = new Set<string>()
  let [reported, runsAt, isUrgent] = ['', 0, true]

  async function reportState(): Promise<void> {
    const [node, now] = [identity(), state()]
    const text = JSON.stringify([node, now])
    if (text === reported) return
    await nodes.report(node, now)
    reported = text
  }

  async function reportRuns(): Promise<void> {
    if (runs.size === 0 || (!isUrgent && clock() - runsAt < RUNS_MS)) return
    const noted = [...runs.values()]
    runs.clear()
    isUrgent = false
    runsAt = clock()
    await jobRuns.put(identity().nodeId, noted)
  }

  return {
    note(run) {
      const { name, error } = run
      if ((error !== undefined) !== failing.has(name)) isUrgent = true
      if (error === undefined) failing.delete(name)
      else failing.add(name)
      runs.set(name, error === undefined ? run : { ...run, error: error.slice(0, LONGEST_ERROR) })
    },
    start(every) {
      every(LOOK_MS, {
        name: 'report node',
        scope: 'node',
        firstMs: 0,
        async run() {
          await reportState()
          await reportRuns()
          return undefined
        },
      })
    },
  }
}
