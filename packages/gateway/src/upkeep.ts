// What a server follows while it runs: the other nodes, its configuration file, its certificate.
import { dirname } from 'node:path'
import type { Environment, FileConfig } from './config/types.ts'
import { missingGroupWarnings } from './config/warnings.ts'
import { watchConfig } from './config/watch.ts'
import type { Every } from './jobs/every.ts'
import type { Listener } from './listen.ts'
import type { Log } from './observe/log.ts'
import type { ClusterStatus } from './routes.ts'
import type { Keys, Nodes } from './storage/storage.ts'

const POLL_NODES_MS = 1_000
const CHECK_CERTIFICATE_MS = 10_000

export type Upkeep = { now(): void; stop(): void }

/** Every node publishes the fingerprint of its configuration with its lease. Different fingerprints are config drift. */
export function watchNodes(every: Every, nodes: Nodes): () => ClusterStatus {
  let status: ClusterStatus = { nodes: null, drift: null }
  every(POLL_NODES_MS, {
    name: 'watch nodes',
    scope: 'node',
    firstMs: 0,
    async run() {
      // A store that does not answer is reported by the renewal of the node's lease.
      const live = await nodes.live().catch(() => undefined)
      status = live
        ? { nodes: live.length, drift: new Set(live.map(({ config }) => config)).size > 1 }
        : { nodes: null, drift: null }
      return undefined
    },
  })
  return () => status
}

const LOOK_FOR_NODES_MS = 60_000
/** The leases of processes that this one replaced have expired by then. */
const FIRST_LOOK_MS = 15_000

/** Warns once when there are nodes besides the workers of this machine: all of them must see the same stored media. */
export function warnOfUnsharedMedia(
  every: Every,
  folder: string,
  workers: number,
  status: () => ClusterStatus,
  log: Log,
): void {
  let isWarned = false
  every(LOOK_FOR_NODES_MS, {
    name: 'look for other nodes',
    scope: 'node',
    firstMs: FIRST_LOOK_MS,
    async run() {
      const { nodes } = status()
      if (isWarned || nodes === null || nodes <= workers) return undefined
      isWarned = true
      log.warn('media are stored in a folder: all nodes must share it, or use media: { s3: ... }', { folder, nodes })
      return undefined
    },
  })
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

/** `byItself`: checks for a new certificate every few seconds; otherwise only `now` does, and returns whether there was one. */
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
