// The CPU time that this process demands. The time it has used is not enough to detect overload: with a CPU limit of half a
// core, or beside other busy processes, an overloaded process uses half a core and waits for the rest.
import { readFileSync } from 'node:fs'

/** For the main thread, which does most of the work: nanoseconds that it ran, and that it was runnable but waited for a CPU. */
const SCHEDULED = '/proc/self/schedstat'

/** Milliseconds so far. Where the system does not report the demand, the CPU time used. */
export const cpuDemandMs: () => number = chooseSource()

function chooseSource(): () => number {
  const scheduledMs = schedulerClock(() => readFileSync(SCHEDULED, 'latin1'))
  return scheduledMs() > 0 ? scheduledMs : usedMs
}

/** Returns the last value while the file cannot be read, for example when no file descriptor is left. */
export function schedulerClock(read: () => string): () => number {
  let last = 0
  return () => {
    try {
      const [ran = '', waited = ''] = read().split(' ')
      last = (Number(ran) + Number(waited)) / 1e6
    } catch {}
    return last
  }
}

/** CPU time of all threads. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
