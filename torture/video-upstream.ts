// An upstream of many video tasks that measures how it is queried: never twice at once for one task, and not too late.
import { TASK_TIMING } from '../packages/gateway/src/tasks/timing.ts'

export type MeasuringUpstream = {
  /** As `base_url` of an upstream of the dialect video-tasks. */
  baseUrl: string
  /** Tasks answer with this status from now on. */
  status: 'running' | 'failed'
  tasks(): number
  queries(): number
  /** Queries of a task while another query of the same task was running. */
  overlaps(): number
  /** The longest time between two queries of a task, in intervals that were due then; and the same in milliseconds beyond it. */
  latest(): { intervals: number; lateMs: number }
  /** Forgets what was measured. */
  restart(): void
  stop(): Promise<void>
}

const ANSWER_MS = 50
const GROWTH = 1.25
const TASK = /\/contents\/generations\/tasks(?:\/([^/?]+))?$/

type Measured = { isQueried: boolean; queries: number; dueFrom: number }

export function startMeasuringUpstream(): MeasuringUpstream {
  const tasks = new Map<string, Measured>()
  let [queries, overlaps, intervals, lateMs] = [0, 0, 0, 0]

  async function query(id: string): Promise<Response> {
    const task = tasks.get(id)
    if (!task) return Response.json({ error: { code: 'NotFound', message: 'No such task.' } }, { status: 404 })
    queries++
    if (task.isQueried) overlaps++
    const waited = performance.now() - task.dueFrom
    const due = Math.min(TASK_TIMING.longestPollMs, TASK_TIMING.firstPollMs * GROWTH ** task.queries)
    intervals = Math.max(intervals, waited / due)
    lateMs = Math.max(lateMs, waited - due)
    task.isQueried = true
    await Bun.sleep(ANSWER_MS)
    task.isQueried = false
    task.queries++
    task.dueFrom = performance.now()
    const { status } = upstream
    const error = status === 'failed' ? { error: { code: 'InternalServiceError', message: 'It failed.' } } : {}
    return Response.json({ id, model: 'film', status, ...error })
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    async fetch({ method, url }) {
      const [path, id] = TASK.exec(new URL(url).pathname) ?? []
      if (path === undefined) return new Response(null, { status: 404 })
      if (id !== undefined) return query(id)
      if (method !== 'POST') return Response.json({ total: 0, items: [] })
      const made = `cgt-${tasks.size + 1}`
      tasks.set(made, { isQueried: false, queries: 0, dueFrom: performance.now() })
      return Response.json({ id: made })
    },
  })
  const upstream: MeasuringUpstream = {
    baseUrl: `${server.url.origin}/api/v3`,
    status: 'running',
    tasks: () => tasks.size,
    queries: () => queries,
    overlaps: () => overlaps,
    latest: () => ({ intervals, lateMs }),
    restart() {
      queries = overlaps = intervals = lateMs = 0
    },
    stop: () => server.stop(true),
  }
  return upstream
}
