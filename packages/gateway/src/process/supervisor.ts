// Several servers on one port: the parent that starts them, passes signals on and replaces the ones that died. It serves
// nothing itself and has no connection to the store, so that little can happen to it.
import type { Log } from '../observe/log.ts'
import type { FromWorker, Question, Start, ToWorker } from './worker.ts'

export type Child = { send(message: ToWorker): void; kill(signal: NodeJS.Signals): void; exited: Promise<number> }
export type Launch = (start: Start, hear: (message: FromWorker) => void) => Child

export type Supervised = {
  workers: number
  /** Of the environment; 0 lets the first one choose. */
  port: number
  /** Whether there is a certificate that may be renewed. */
  tls: boolean
  launch: Launch
  log: Log
  exit(code: number): void
}

const TIMES = {
  /** Before one that died is started again; doubled each time until it has served for a while. */
  firstPauseMs: 250,
  longestPauseMs: 30_000,
  steadyMs: 10_000,
  checkCertificateMs: 10_000,
  /** As long as a listener that is to be closed says goodbye to its clients. */
  goodbyeMs: 5_000,
}
/** Starts in a row that all have to fail, with nobody serving, before there is no point in another. */
const MOST_FAILURES = 5
/** No listener has this number: the kernel spreads connections by itself again. */
const NOBODY = 0xffff_ffff

type Worker = {
  number: number
  child: Child | undefined
  listeningSince: number | undefined
  failures: number
  restart: ReturnType<typeof setTimeout> | undefined
  /** Answers that are awaited from it. */
  asked: Map<number, (yes: boolean) => void>
}

export type Supervisor = {
  /** SIGTERM and SIGINT: an orderly end of all of them, then our own. */
  stop(signal: NodeJS.Signals): void
  /** SIGHUP: configuration and certificates are read anew in all of them. */
  reload(): void
}

export function supervise(parts: Supervised, times: typeof TIMES = TIMES): Supervisor {
  const { log } = parts
  const workers = Array.from({ length: parts.workers }, (_, index): Worker => {
    const none = { child: undefined, listeningSince: undefined, restart: undefined }
    return { number: index + 1, failures: 0, asked: new Map(), ...none }
  })
  let port = parts.port
  let ready = false
  let ending: number | undefined
  let questions = 0
  let renewing: Promise<void> = Promise.resolve()
  const certificateTimer = parts.tls ? setInterval(renewSoon, times.checkCertificateMs) : undefined

  function launch(worker: Worker, part: Start['part']): void {
    worker.restart = undefined
    const child = parts.launch({ number: worker.number, part, port }, (message) => hear(worker, child, message))
    worker.child = child
    void child.exited.then((code) => ended(worker, code))
  }

  function hear(worker: Worker, child: Child, message: FromWorker): void {
    if (worker.child !== child) return
    if (message.say === 'answer') {
      worker.asked.get(message.id)?.(message.yes)
      return
    }
    if (ending !== undefined) return
    worker.listeningSince = performance.now()
    // The first one has the port now, and the tables are made: the others find both.
    if (!ready && worker.number === 1) {
      port = message.port
      for (const other of workers.slice(1)) launch(other, 'joins')
    }
    if (!ready && workers.every(({ listeningSince }) => listeningSince !== undefined)) {
      ready = true
      for (const { child } of workers) child?.send({ say: 'ready' })
    }
  }

  function ended(worker: Worker, code: number): void {
    const served = worker.listeningSince === undefined ? 0 : performance.now() - worker.listeningSince
    worker.child = undefined
    worker.listeningSince = undefined
    for (const answer of worker.asked.values()) answer(false)
    if (ending !== undefined) {
      // One that could not end in order makes it no orderly end.
      if (code === 1) ending = 1
      exitWhenAllHave()
    }
    // A start succeeds as a whole or not at all; the one that failed has said why.
    else if (!ready) end(1, 'SIGTERM')
    else startAgain(worker, code, served)
  }

  function startAgain(worker: Worker, code: number, served: number): void {
    worker.failures = served >= times.steadyMs ? 1 : worker.failures + 1
    if (workers.every(({ child, failures }) => !child && failures >= MOST_FAILURES)) {
      log.error('all workers failed repeatedly; giving up', { code })
      end(1, 'SIGTERM')
      return
    }
    const pause = Math.min(times.longestPauseMs, times.firstPauseMs * 2 ** (worker.failures - 1))
    log.warn('worker exited; restarting it', { worker: worker.number, code, pause_ms: pause })
    worker.restart = setTimeout(() => launch(worker, 'again'), pause)
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
    if (ending !== undefined && workers.every(({ child }) => !child)) parts.exit(ending)
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

  /**
   * Every worker opens a second listener with the new certificate beside its first. These come after the others in the
   * kernel's list, and the number of the first of them stays its own while those before it are closed: steered there,
   * no new connection meets a listener that is about to go.
   */
  async function renew(): Promise<void> {
    const listening = workers.filter(({ listeningSince }) => listeningSince !== undefined)
    const renewed = await Promise.all(listening.map((worker) => ask(worker, { about: 'renew' })))
    const changed = listening.filter((_, index) => renewed[index])
    const [any] = changed
    if (!any) return
    if (await ask(any, { about: 'steer', to: listening.length })) await Bun.sleep(times.goodbyeMs)
    await Promise.all(changed.map((worker) => ask(worker, { about: 'retire' })))
    // Else the next worker to open a listener with that number would get everything.
    await ask(any, { about: 'steer', to: NOBODY })
  }

  function renewSoon(): void {
    renewing = renewing.then(renew)
  }

  for (const first of workers.slice(0, 1)) launch(first, 'first')
  return {
    stop: (signal) => end(0, signal),
    reload() {
      for (const { child, listeningSince } of workers) if (listeningSince !== undefined) child?.kill('SIGHUP')
      if (parts.tls) renewSoon()
    },
  }
}
