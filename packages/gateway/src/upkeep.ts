// What a server looks after while it runs: changes made by other processes, its configuration, its certificate, its books.
import { dirname } from 'node:path'
import type { Callers } from './access/authenticate.ts'
import { firstIdAt } from './access/ids.ts'
import type { Environment, FileConfig } from './config/types.ts'
import { missingGroupWarnings } from './config/warnings.ts'
import { watchConfig } from './config/watch.ts'
import type { Listener } from './listen.ts'
import type { Log } from './observe/log.ts'
import type { Company } from './routes.ts'
import type { Contents } from './storage/contents.ts'
import type { Keys, Ledger, Nodes } from './storage/storage.ts'

const POLL_CHANGES_MS = 1_000
const POLL_NODES_MS = 1_000
const CHECK_CERTIFICATE_MS = 10_000
/** When the start's own work is done. */
const FIRST_AUDIT_MS = 30_000
const AUDIT_HOUR = 3
/** Who has more to do than he can does that first; but after an hour of it the books are looked at all the same. */
const AUDIT_AGAIN_MS = 60_000
const MOST_POSTPONED = 60

const SWEEPING = { everyMs: 60_000, pauseMs: 20, page: 50 }
const CLEARING = { everyMs: 60_000, pauseMs: 50, page: 200 }

export type Upkeep = { now(): void; stop(): void }

/** Other processes change keys and accounts too; within a second or so this one forgets what it remembered. */
export function pollChanges(keys: Pick<Keys, 'changeCounter'>, callers: Callers, log: Log): () => void {
  let seen: bigint | undefined
  let failing = false
  const timer = setInterval(async () => {
    try {
      const counter = await keys.changeCounter()
      if (counter !== seen) callers.clear()
      seen = counter
      failing = false
    } catch (error) {
      // Not knowing is the same as a change: nobody is admitted on an old memory.
      callers.clear()
      if (!failing) log.warn('changes of keys cannot be read', { error: String(error) })
      failing = true
    }
  }, POLL_CHANGES_MS)
  return () => clearInterval(timer)
}

/** Every node publishes the fingerprint of its configuration with its lease. One that differs from the others is drift. */
export function watchNodes(store: Nodes, everyMs = POLL_NODES_MS): { company(): Company; stop(): void } {
  let known: Company = { nodes: null, drift: null }
  const look = async () => {
    try {
      const nodes = await store.live()
      known = { nodes: nodes.length, drift: new Set(nodes.map(({ config }) => config)).size > 1 }
    } catch {
      // That the store is away is reported by whoever renews the lease.
      known = { nodes: null, drift: null }
    }
  }
  void look()
  const timer = setInterval(look, everyMs)
  return { company: () => known, stop: () => clearInterval(timer) }
}

export function reloading(
  environment: Environment,
  load: Parameters<typeof watchConfig>[1],
  running: FileConfig,
  use: (config: FileConfig) => void,
  log: Log,
  keys: Pick<Keys, 'countByGroup'>,
): Upkeep {
  if (!environment.configFile) {
    return { now: () => log.info('there is no configuration file to reload; start again to use one'), stop: () => {} }
  }
  const watcher = watchConfig(
    environment.configFile,
    load,
    (config, changes) => {
      use(config)
      log.info('configuration reloaded', { changes: changes.map(({ what }) => what).join('; ') || 'none' })
      for (const { what } of changes.filter(({ restart }) => restart)) log.warn(`${what}: in force at the next start`)
      for (const remark of config.warnings) log.warn(remark)
      // The file is in force whether the store answers or not; one that is unavailable is reported elsewhere.
      void remarkOnGroups(config, keys, log).catch(() => {})
    },
    (mistakes) => {
      for (const { file, line, message } of mistakes)
        log.error('configuration not reloaded', { file, line, mistake: message })
    },
    { running, busyFolder: dirname(environment.configFile) === environment.dataDir },
  )
  return { now: () => void watcher.reload(), stop: () => watcher.close() }
}

async function remarkOnGroups(config: FileConfig, keys: Pick<Keys, 'countByGroup'>, log: Log): Promise<void> {
  for (const remark of missingGroupWarnings(await keys.countByGroup(), config)) log.warn(remark)
}

type AuditDelays = { first: number; again: number; next(): number }

/** The books are checked without being asked: soon after the start, then every night. `isBehind`: not now. */
export function auditing(
  ledger: Pick<Ledger, 'audit'>,
  log: Log,
  isBehind: () => boolean,
  delays: AuditDelays = { first: FIRST_AUDIT_MS, again: AUDIT_AGAIN_MS, next: untilNight },
): () => void {
  let stopped = false
  let postponed = 0
  let timer = setTimeout(audit, delays.first)
  async function audit(): Promise<void> {
    if (isBehind() && postponed++ < MOST_POSTPONED) {
      timer = setTimeout(audit, delays.again)
      return
    }
    postponed = 0
    try {
      const { ok, requests, transfers, openHolds } = await ledger.audit()
      if (ok) log.info('audit: the books are in order', { requests, transfers, openHolds })
      else log.error("audit: the books are NOT in order; 'trivium audit' lists what is wrong")
    } catch (error) {
      log.warn('the audit could not be made', { error: String(error) })
    }
    if (!stopped) timer = setTimeout(audit, delays.next())
  }
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

function untilNight(): number {
  const night = new Date()
  night.setHours(AUDIT_HOUR, 0, 0, 0)
  if (night.getTime() <= Date.now()) night.setDate(night.getDate() + 1)
  return night.getTime() - Date.now()
}

/** Contents whose time is over are removed. */
export function sweeping(contents: Pick<Contents, 'sweep'>, log: Log, times: typeof SWEEPING = SWEEPING): () => void {
  const page = async () => (await contents.sweep(times.page)) === times.page
  return inPages(page, 'old contents cannot be removed', log, times)
}

/**
 * The text of receipts is cleared when its time is over; requests and transfers stay. `keepMs`: as the configuration has it now.
 * Each process looks through the old requests once, and then goes on from where it was.
 */
export function clearingReceipts(
  ledger: Pick<Ledger, 'clearReceipts'>,
  keepMs: () => number | 'off',
  log: Log,
  times: typeof CLEARING = CLEARING,
): () => void {
  let after = 0n
  async function page(): Promise<boolean> {
    const kept = keepMs()
    const below = firstIdAt(Date.now() - (kept === 'off' ? 0 : kept))
    const cleared = await ledger.clearReceipts(below, after, times.page)
    after = cleared.last
    return cleared.isMore
  }
  return inPages(page, 'old receipts cannot be cleared', log, times)
}

/**
 * Does a long job in small pages with pauses, so that other writers never wait for long. `page` tells whether there is more.
 * A failure is logged once, until a page succeeds again. Returns what stops it.
 */
function inPages(
  page: () => Promise<boolean>,
  failure: string,
  log: Log,
  { everyMs, pauseMs }: { everyMs: number; pauseMs: number },
): () => void {
  let stopped = false
  let failing = false
  let timer = setTimeout(next, everyMs)
  async function next(): Promise<void> {
    let isMore = false
    try {
      isMore = await page()
      failing = false
    } catch (error) {
      if (!failing) log.warn(failure, { error: String(error) })
      failing = true
    }
    if (!stopped) timer = setTimeout(next, isMore ? pauseMs : everyMs)
  }
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** `byItself`: looks for a new certificate now and then; else somebody asks. `now` tells whether there was one. */
export function renewing(listener: Listener, log: Log, byItself: boolean): { now(): boolean; stop(): void } {
  let reported = ''
  const now = () => {
    try {
      const renewed = listener.renewCertificate()
      if (renewed) log.info('certificate renewed')
      reported = ''
      return renewed
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== reported) log.error('the certificate on disk cannot be used; the former one stays', { reason })
      reported = reason
      return false
    }
  }
  const timer = byItself ? setInterval(now, CHECK_CERTIFICATE_MS) : undefined
  return { now, stop: () => clearInterval(timer) }
}
