// Looks after open tasks: claims those that are due and takes the next step for each. Every node has one; a claim decides which of
// them a task belongs to for the moment.

import type { Log } from '../observe/log.ts'
import { isEnded } from './states.ts'
import { changeTask, decodeTaskRow, formatTaskId, isClaimed, type Task } from './task.ts'
import { TASK_TIMING } from './timing.ts'
import { type WorkDependencies, workOn } from './work.ts'

/** Tasks at once, and how many of them may be copies of videos, which take long. */
const MOST_AT_ONCE = 256
/** As many are free before more tasks are claimed: each claim is a statement in the store. */
const LEAST_ROOM = 32
const MOST_COPIES = 4
const COPY_LATER_MS = 1_000
const STOP_WITHIN_MS = 2_000

export type TaskWorker = {
  /** Begins work on the tasks that are due. Resolves with 0 if there may be more of them. */
  run(): Promise<number | undefined>
  /** Claims no more, and waits a moment for what is under way. */
  stop(): Promise<void>
}

export function createTaskWorker(deps: WorkDependencies & { log: Log }): TaskWorker {
  const underWay = new Set<Promise<void>>()
  let copies = 0
  let isStopped = false

  async function work(task: Task): Promise<void> {
    try {
      for (let current: Task | undefined = task; current !== undefined && !isStopped; ) {
        const after: Task | undefined = await step(current)
        // The claim of a task that is copied or closed next is kept.
        current = after && !isEnded(after.state) && isClaimed(after) ? after : undefined
      }
    } catch (error) {
      // Its claim expires, and the step is taken again.
      deps.log.warn('video task not attended to', { task: formatTaskId(task.id), error: String(error) })
    }
  }

  /** The claim of a long step is renewed, so that a process that died is noticed soon. A copy does so itself. */
  async function renewed(task: Task): Promise<Task | undefined> {
    const { tasks } = deps.store
    const { claimMs } = TASK_TIMING
    const renewal = setInterval(() => void tasks.renew(task.id, task.version, claimMs).catch(() => {}), claimMs / 3)
    try {
      return await workOn(task, deps)
    } finally {
      clearInterval(renewal)
    }
  }

  async function step(task: Task): Promise<Task | undefined> {
    if (task.state !== 'copying') return renewed(task)
    if (copies >= MOST_COPIES) return changeTask(deps.store.tasks, task, { dueInMs: COPY_LATER_MS })
    copies++
    try {
      return await workOn(task, deps)
    } finally {
      copies--
    }
  }

  return {
    async run() {
      while (underWay.size > MOST_AT_ONCE - LEAST_ROOM) await Promise.race(underWay)
      if (isStopped) return undefined
      const room = MOST_AT_ONCE - underWay.size
      const rows = await deps.store.tasks.claimDue(room, TASK_TIMING.claimMs)
      for (const row of rows) {
        const done: Promise<void> = work(decodeTaskRow(row)).finally(() => underWay.delete(done))
        underWay.add(done)
      }
      return rows.length === room ? 0 : undefined
    },
    async stop() {
      isStopped = true
      await Promise.race([Promise.all(underWay), Bun.sleep(STOP_WITHIN_MS)])
    },
  }
}
