// Looks after the tasks that are due: their intervals are seconds, so a tick is less than one.
import type { Every } from './every.ts'

export function runTasks(every: Every, tickMs: number, worker: { run(): Promise<number | undefined> }): void {
  every(tickMs, { name: 'look after tasks', scope: 'node', run: () => worker.run() })
}
