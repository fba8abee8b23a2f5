// Looks after the tasks that are due: their intervals are seconds, so a tick is less than one.
import type { Every } from './every.ts'

const INTERVAL_MS = 500

export function runTasks(every: Every, worker: { run(): Promise<number | undefined> }): void {
  every(INTERVAL_MS, { name: 'look after tasks', scope: 'node', run: () => worker.run() })
}
