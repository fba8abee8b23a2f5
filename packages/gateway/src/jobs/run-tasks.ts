// Looks after the tasks that are due: their intervals are seconds, so a tick is less than one.
import { TASK_TIMING } from '../tasks/timing.ts'
import type { TaskWorker } from '../tasks/worker.ts'
import type { Every } from './every.ts'

export function runTasks(every: Every, worker: Pick<TaskWorker, 'run'>): void {
  every(TASK_TIMING.tickMs, { name: 'run tasks', scope: 'node', run: () => worker.run() })
}
