// Background jobs: one mechanism for all of them. A job never overlaps itself, its interval is jittered, its errors are logged, and it
// stops with the process. A job of scope 'cluster' runs on one node at a time, decided by a lease in the store.
import type { Log } from '../observe/log.ts'
import type { Leases } from '../storage/leases.ts'
import type { JobRun } from '../storage/nodes.ts'

export type Job = {
  /** Names the job in the log, and its lease. */
  name: string
  /** 'node': in every process. 'cluster': once per interval for all processes that share the store. */
  scope: 'node' | 'cluster'
  /** Milliseconds until the first run; the interval if absent. */
  firstMs?: number
  /** Resolves with a number if there is more to do after a pause of so many milliseconds: a job in pages, or not now. */
  run(): Promise<number | undefined>
}

export type Every = (intervalMs: number | (() => number), job: Job) => void
export type Jobs = { every: Every; stop(): Promise<void> }

export type JobOptions = {
  leases: Leases
  log: Log
  /** Called after each run, by the clock of this process. */
  onRun?: (run: JobRun) => void
  clock?: () => number
  random?: () => number
  /** Runs `run` once, later; returns the function that cancels it. */
  after?: (ms: number, run: () => void) => () => void
}

/** A fixed interval varies by this part, so that nodes that start together do not stay together. */
const JITTER = 0.1
/** While a job runs its lease is renewed: if the process dies, another can run the job after this long. */
const RUNNING_LEASE_MS = 60_000
const RELEASE_WITHIN_MS = 1_000
/** After a run the lease covers most of the interval, so that no other node runs the job again in it. */
const COVERED = 0.8

export function createJobs(options: JobOptions): Jobs {
  const { leases, log, onRun = () => {}, random = Math.random, after = afterTimeout, clock = Date.now } = options
  const holder = crypto.randomUUID()
  const stops: (() => Promise<void>)[] = []

  function every(interval: number | (() => number), job: Job): void {
    const lease = `job/${job.name}`
    let stopped = false
    let failing = false
    let epoch: number | undefined
    let cancel = after(job.firstMs ?? untilNext(interval), run)
    let cancelRenewal = () => {}

    const coveredMs = (): number =>
      Math.max(1, Math.floor(COVERED * (typeof interval === 'number' ? interval : interval())))

    async function run(): Promise<void> {
      const beganAt = clock()
      let failure: string | undefined
      let hasRun = true
      try {
        hasRun = await (job.scope === 'node' ? runPages() : runUnderLease())
        failing = false
      } catch (error) {
        failure = String(error)
        if (!failing) log.warn('background job failed', { job: job.name, error: failure })
        failing = true
      }
      const nextMs = untilNext(interval)
      const intervalMs = typeof interval === 'number' ? interval : undefined
      const endedAt = clock()
      const times = { beganAt, durationMs: endedAt - beganAt, nextAt: endedAt + nextMs }
      if (hasRun) onRun({ name: job.name, scope: job.scope, intervalMs, ...times, error: failure })
      if (!stopped) cancel = after(nextMs, run)
    }

    async function runPages(): Promise<boolean> {
      for (let pauseMs = await job.run(); pauseMs !== undefined && !stopped; pauseMs = await job.run()) {
        const paused = Promise.withResolvers<void>()
        cancel = after(pauseMs, paused.resolve)
        await paused.promise
      }
      return true
    }

    /** false: another node runs it. */
    async function runUnderLease(): Promise<boolean> {
      epoch = await leases.acquire(lease, holder, RUNNING_LEASE_MS, Math.max(RUNNING_LEASE_MS, coveredMs()))
      if (epoch === undefined || stopped) return false
      const held = epoch
      // If a renewal fails, another node may run the job at the same time: jobs must be harmless then.
      const renew = (ms: number) => leases.renew(lease, held, ms).catch(() => false)
      const renewLater = () => {
        cancelRenewal = after(RUNNING_LEASE_MS / 3, () => {
          void renew(RUNNING_LEASE_MS)
          renewLater()
        })
      }
      renewLater()
      try {
        return await runPages()
      } finally {
        cancelRenewal()
        if (!stopped) await renew(coveredMs())
      }
    }

    stops.push(async () => {
      stopped = true
      cancel()
      cancelRenewal()
      // A store that does not answer must not delay the shutdown: the lease then expires by itself.
      if (epoch !== undefined)
        await Promise.race([leases.release(lease, epoch).catch(() => {}), Bun.sleep(RELEASE_WITHIN_MS)])
    })
  }

  const untilNext = (interval: number | (() => number)): number =>
    typeof interval === 'number' ? Math.round(interval * (1 - JITTER + 2 * JITTER * random())) : interval()

  return {
    every,
    async stop() {
      await Promise.all(stops.splice(0).map((stop) => stop()))
    },
  }
}

function afterTimeout(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
