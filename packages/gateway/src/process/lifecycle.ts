// Graceful shutdown: the server stops being ready, keeps accepting until load balancers notice, then drains.
// Every request that has started is settled in the ledger, whether it finishes in time or not.
import type { Log } from '../observe/log.ts'

/** How long each part of a stop takes at most; the drain is in between. */
export const STOP_TIMES = {
  /** How long the server keeps accepting while load balancers notice that /ready fails. */
  acceptMs: 5_000,
  /** How long requests may arrive after that, on connections that were accepted already. */
  lateMs: 500,
  /** How long clients may take to read the error that ends an aborted response. */
  readMs: 3_000,
  /** How long settlements may take after that. */
  settleMs: 10_000,
  /** One Ctrl-C arrives several times, from the terminal and from each parent process: it counts once. */
  sameSignalMs: 300,
}

const TURN_MS = 25
/** What the ends of thousands of streams may take of the time for settlements, which are part of them, before connections are cut. */
const SHARE_OF_ENDS = 0.6

/** Ctrl-C: a person is waiting, so the server does not wait for load balancers. */
const INTERRUPT = 'SIGINT'

export type StoppableServer = {
  /** Requests in flight, and other work that the drain waits for. */
  running(): number
  /** The shutdown begins: work that waits to be repeated must not wait for long. */
  hurry(): void
  /** Aborts requests in flight: each gets an error in its dialect and a partial charge. */
  abortRunning(): void
  stopAccepting(): Promise<void>
  /** Closes the connections of clients that do not read; without this, their requests would not end. */
  cutConnections(): Promise<void>
  drainMs(): number
  /** Closes everything else: node, storage, sockets. */
  close(): Promise<void>
}

export type Lifecycle = {
  readonly ready: boolean
  readonly accepting: boolean
  /** A stop was requested; the server may still be accepting. */
  readonly stopping: boolean
  becomeReady(): void
  /** Called for each signal; the second one skips the remaining waits. */
  stop(reason: string): void
}

export function createLifecycle(
  server: StoppableServer,
  log: Log,
  exit: (code: number) => void,
  times: typeof STOP_TIMES = STOP_TIMES,
): Lifecycle {
  let ready = false
  let accepting = true
  let stoppedAt: number | undefined
  const skipWaiting = Promise.withResolvers<void>()

  async function shutDown(reason: string): Promise<void> {
    log.info('stopping', { reason, running: server.running() })
    server.hurry()
    await Promise.race([
      reason === INTERRUPT ? untilIdle(times.acceptMs) : Bun.sleep(times.acceptMs),
      skipWaiting.promise,
    ])
    const closed = server.stopAccepting()
    // What arrives on connections from just before is served, too: a proxy does not repeat a request that was answered.
    if (reason !== INTERRUPT) await Promise.race([Bun.sleep(times.lateMs), skipWaiting.promise])
    await Promise.race([untilIdle(server.drainMs()), skipWaiting.promise])
    accepting = false
    if (server.running() > 0)
      log.warn('drain timeout reached: aborting running requests', { running: server.running() })
    server.abortRunning()
    const deadline = performance.now() + times.readMs + times.settleMs
    await untilIdle(times.readMs, times.readMs + times.settleMs * SHARE_OF_ENDS)
    await Promise.race([server.running() > 0 ? server.cutConnections() : closed, Bun.sleep(500)])
    await untilIdle(deadline - performance.now())
    await server.close()
    log.info('stopped')
    exit(0)
  }

  /** `mostMs`: as long as that if the thread is so busy that it has fewer turns than in `ms` otherwise. */
  async function untilIdle(ms: number, mostMs = ms): Promise<void> {
    const end = performance.now() + mostMs
    for (let waited = 0; waited < ms && server.running() > 0 && performance.now() < end; waited += TURN_MS)
      await Bun.sleep(TURN_MS)
  }

  function stop(reason: string): void {
    ready = false
    if (stoppedAt === undefined) {
      stoppedAt = performance.now()
      shutDown(reason).catch((error) => {
        log.error('shutdown failed', { error: String(error) })
        exit(1)
      })
    } else if (performance.now() - stoppedAt > times.sameSignalMs) {
      skipWaiting.resolve()
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
