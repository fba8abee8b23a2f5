// How much of a processor this process could use. What it has used tells too little: in a container that may have half of
// one, or beside others that want it, too, a process with far too much to do uses half of one and waits for the rest.
import { readFileSync } from 'node:fs'

/** Of the main thread, which does most of the work: nanoseconds that it ran, and that it was ready to and had to wait. */
const SCHEDULED = '/proc/self/schedstat'

/** Milliseconds until now; where the system does not tell, those that were used. */
export const cpuDemandMs: () => number = chooseSource()

function chooseSource(): () => number {
  const scheduledMs = schedulerClock(() => readFileSync(SCHEDULED, 'latin1'))
  return scheduledMs() > 0 ? scheduledMs : usedMs
}

/** While the file cannot be read (a process may have no descriptor left), the time of the last read. */
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

/** By all threads. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
