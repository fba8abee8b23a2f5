// The parent of several servers on one port: starts them, forwards signals and restarts those that exit. It serves no
// requests and has no database connection, so that little can make it fail.
import type { Log } from '../observe/log.ts'
import { type Snapshot, sumOf, withoutGauges } from '../observe/metrics/snapshot.ts'
import type { FromWorker, Question, Start, ToWorker } from './worker.ts'

export type Child = { send(message: ToWorker): void; kill(signal: NodeJS.Signals): void; exited: Promise<number> }
export type Launch = (start: Start, hear: (message: FromWorker) => void) => Child

export type Supervised = {
  workers: number
  /** From the environment; 0: the first worker chooses a free port. */
  port: number
  /** Whether there is a certificate to renew. */
  tls: boolean
  launch: Launch
  log: Log
  /** Called once, when all workers listen for the first time. */
  ready(): void
  exit(code: number): void
}

const TIMES = {
  /** Delay before a restart; doubled each time until the worker has served for `steadyMs`. */
  firstDelayMs: 250,
  maxDelayMs: 30_000,
  steadyMs: 10_000,
  checkCertificateMs: 10_000,
  /** How long a listener that is about to close keeps telling its clients to reconnect. */
  lingerMs: 5_000,
  /** How long a scrape waits for the other workers; what they reported last counts instead. */
  countMs: 1_000,
}
/** No listener has this number: the kernel distributes connections by itself again. */
const NO_LISTENER = 0xffff_ffff

type Worker = {
  number: number
  child: Child | undefined
  listeningSince: number | undefined
  failures: number
  restart: ReturnType<typeof setTimeout> | undefined
  /** Requests to the worker that have no response yet, by id. */
  asked: Map<number, (yes: boolean) => void>
  /** What it counted, as it reported last. */
  counted: Snapshot
  /** Called with its next report. */
  onCounted: (() => void)[]
}

export type Supervisor = {
  /** SIGTERM and SIGINT: stops all workers, then this process. */
  stop(signal: NodeJS.Signals): void
  /** SIGHUP: all workers reload their configuration and certificates. */
  reload(): void
}

export function supervise(options: Supervised, times: typeof TIMES = TIMES): Supervisor {
  const { log } = options
  const workers = Array.from({ length: options.workers }, (_, index): Worker => {
    const none = { child: undefined, listeningSince: undefined, restart: undefined }
    return { number: index + 1, failures: 0, asked: new Map(), counted: {}, onCounted: [], ...none }
  })
  let port = options.port
  let ready = false
  let ending: number | undefined
  let questions = 0
  /** The sum of all workers that have ended: counters never go down. */
  let leftBehind: Snapshot = {}
  let renewing: Promise<void> = Promise.resolve()
  const certificateTimer = options.tls ? setInterval(renewSoon, times.checkCertificateMs) : undefined

  function launch(worker: Worker, role: Start['role']): void {
    worker.restart = undefined
    const child = options.launch({ number: worker.number, role, port }, (message) => hear(worker, child, message))
    worker.child = child
    void child.exited.then((code) => ended(worker, code))
  }

  function hear(worker: Worker, child: Child, message: FromWorker): void {
    if (worker.child !== child) return
    if (message.say === 'answer') {
      worker.asked.get(message.id)?.(message.yes)
      return
    }
    if (message.say === 'count') {
      worker.counted = message.snapshot
      for (const resolve of worker.onCounted.splice(0)) resolve()
      child.send({ say: 'counted' })
      return
    }
    if (message.say === 'metrics') {
      const failed = (error: unknown) => log.warn('metrics not summed', { error: String(error) })
      void othersOf(worker)
        .then((snapshots) => child.send({ say: 'metrics', snapshots }))
        .catch(failed)
      return
    }
    if (ending !== undefined) return
    worker.listeningSince = performance.now()
    // The first worker has opened the port and created the schema: now the others can start.
    if (!ready && worker.number === 1) {
      port = message.port
      for (const other of workers.slice(1)) launch(other, 'joins')
    }
    if (!ready && workers.every(({ listeningSince }) => listeningSince !== undefined)) {
      ready = true
      for (const { child } of workers) child?.send({ say: 'ready' })
      options.ready()
    }
  }

  function ended(worker: Worker, code: number): void {
    const served = worker.listeningSince === undefined ? 0 : performance.now() - worker.listeningSince
    worker.child = undefined
    worker.listeningSince = undefined
    for (const answer of worker.asked.values()) answer(false)
    for (const resolve of worker.onCounted.splice(0)) resolve()
    leftBehind = sumOf([leftBehind, withoutGauges(worker.counted)])
    worker.counted = {}
    if (ending !== undefined) {
      // A failed shutdown of one worker makes the exit code 1.
      if (code === 1) ending = 1
      exitWhenAllHave()
    }
    // If one worker fails to start, none is kept running; the failed worker has reported the reason.
    else if (!ready) end(1, 'SIGTERM')
    else startAgain(worker, code, served)
  }

  function startAgain(worker: Worker, code: number, served: number): void {
    worker.failures = served >= times.steadyMs ? 1 : worker.failures + 1
    const delay = Math.min(times.maxDelayMs, times.firstDelayMs * 2 ** (worker.failures - 1))
    // Restarts never end: a crash that a client can repeat must not become a lasting outage.
    if (workers.some(({ child }) => child))
      log.warn('worker exited; restarting it', { worker: worker.number, code, pause_ms: delay })
    else log.error('no worker is running; restarting one', { worker: worker.number, code, pause_ms: delay })
    worker.restart = setTimeout(() => launch(worker, 'again'), delay)
  }

  function end(code: number, signal: NodeJS.Signals): void {
    ending ??= code
    clearInterval(certificateTimer)
    for (const worker of workers) {
      clearTimeout(worker.restart)
      worker.child?.kill(signal)
    }
    exitWhenAllHave()
  }

  function exitWhenAllHave(): void {
    if (ending !== undefined && workers.every(({ child }) => !child)) options.exit(ending)
  }

  function ask(worker: Worker, question: Omit<Question, 'say' | 'id'>): Promise<boolean> {
    const { child, asked } = worker
    if (!child) return Promise.resolve(false)
    questions += 1
    const id = questions
    const answered = new Promise<boolean>((resolve) => asked.set(id, resolve))
    child.send({ say: 'question', id, ...question })
    return answered.finally(() => asked.delete(id))
  }

  /** The metrics of all workers but one. */
  async function othersOf(scraped: Worker): Promise<Snapshot[]> {
    const others = workers.filter((each) => each !== scraped)
    const listening = others.filter(({ listeningSince }) => listeningSince !== undefined)
    const counted = listening.map(({ child, onCounted }) => {
      child?.send({ say: 'count' })
      return new Promise<void>((resolve) => void onCounted.push(resolve))
    })
    await Promise.race([Promise.all(counted), Bun.sleep(times.countMs)])
    return [leftBehind, ...others.map((each) => each.counted)]
  }

  /**
   * Every worker opens a second listener with the new certificate. The kernel lists these after the first ones, and the
   * number of the first new listener stays valid while those before it close. New connections are steered to it, so
   * that none reaches a listener that is about to close.
   */
  async function renew(): Promise<void> {
    const listening = workers.filter(({ listeningSince }) => listeningSince !== undefined)
    const renewed = await Promise.all(listening.map((worker) => ask(worker, { about: 'renew' })))
    const changed = listening.filter((_, index) => renewed[index])
    const [any] = changed
    if (!any) return
    if (await ask(any, { about: 'steer', to: listening.length })) await Bun.sleep(times.lingerMs)
    await Promise.all(changed.map((worker) => ask(worker, { about: 'retire' })))
    // Otherwise the next worker to open a listener with that number would get all connections.
    await ask(any, { about: 'steer', to: NO_LISTENER })
  }

  function renewSoon(): void {
    const failed = (error: unknown) => log.error('certificate not renewed by all workers', { error: String(error) })
    renewing = renewing.then(renew).catch(failed)
  }

  for (const first of workers.slice(0, 1)) launch(first, 'first')
  return {
    stop: (signal) => end(0, signal),
    reload() {
      for (const { child, listeningSince } of workers) if (listeningSince !== undefined) child?.kill('SIGHUP')
      if (options.tls) renewSoon()
    },
  }
}
