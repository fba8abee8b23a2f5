// How a server stops: not ready at once, accepting a little longer for those who have not heard, then only finishing.
// Everything that was begun ends in the ledger, on time or not.
import type { Log } from '../observe/log.ts'

const TIMES = {
  /** Balancers need this long to notice that /ready says no. */
  acceptMs: 5_000,
  /** After the dialect's error endings have been written, whoever reads is given this long to take them. */
  takeMs: 3_000,
  /** And settlements this long after that. */
  settleMs: 10_000,
  /** One Ctrl-C reaches us through the terminal and through every process above us: that is one signal. */
  sameSignalMs: 300,
}

/** Ctrl-C: a person is waiting, and no balancer has to notice. */
const INTERRUPT = 'SIGINT'

export type StoppableServer = {
  running(): number
  /** Ends what runs: the dialect's error ending, a partial charge. */
  abortRunning(): void
  stopAccepting(): Promise<void>
  /** Closes the connections of those who do not read: only then does their request end. */
  cutConnections(): Promise<void>
  drainMs(): number
  /** Everything else: node, storage, sockets. */
  close(): Promise<void>
}

export type Lifecycle = {
  readonly ready: boolean
  readonly accepting: boolean
  /** Told to stop, and perhaps still accepting. */
  readonly stopping: boolean
  becomeReady(): void
  /** Called for each signal: the second one hurries. */
  stop(reason: string): void
}

export function createLifecycle(
  parts: StoppableServer,
  log: Log,
  exit: (code: number) => void,
  times: typeof TIMES = TIMES,
): Lifecycle {
  let ready = false
  let accepting = true
  let stoppedAt: number | undefined
  const hurried = Promise.withResolvers<void>()

  async function orderly(reason: string): Promise<void> {
    log.info('stopping', { reason, running: parts.running() })
    await Promise.race([reason === INTERRUPT ? untilIdle(times.acceptMs) : Bun.sleep(times.acceptMs), hurried.promise])
    accepting = false
    const closed = parts.stopAccepting()
    await Promise.race([untilIdle(parts.drainMs()), hurried.promise])
    if (parts.running() > 0) log.warn('drain time is over: aborting requests in flight', { running: parts.running() })
    parts.abortRunning()
    await untilIdle(times.takeMs)
    await Promise.race([parts.running() > 0 ? parts.cutConnections() : closed, Bun.sleep(500)])
    await untilIdle(times.settleMs)
    await parts.close()
    log.info('stopped')
    exit(0)
  }

  async function untilIdle(ms: number): Promise<void> {
    const end = performance.now() + ms
    while (parts.running() > 0 && performance.now() < end) await Bun.sleep(25)
  }

  function stop(reason: string): void {
    ready = false
    if (stoppedAt === undefined) {
      stoppedAt = performance.now()
      orderly(reason).catch((error) => {
        log.error('shutdown failed', { error: String(error) })
        exit(1)
      })
    } else if (performance.now() - stoppedAt > times.sameSignalMs) {
      hurried.resolve()
    }
  }

  return {
    get ready() {
      return ready
    },
    get accepting() {
      return accepting
    },
    get stopping() {
      return stoppedAt !== undefined
    },
    becomeReady() {
      ready = stoppedAt === undefined
    },
    stop,
  }
}
