// What a server follows while it runs: its configuration file, its certificate.
import { dirname } from 'node:path'
import type { Environment, FileConfig } from './config/types.ts'
import { missingGroupWarnings } from './config/warnings.ts'
import { watchConfig } from './config/watch.ts'
import type { Listener } from './listen.ts'
import type { LiveConfig } from './live-config.ts'
import type { Log } from './observe/log.ts'
import type { Metrics } from './observe/metrics/names.ts'
import type { Cleanup } from './process/cleanup.ts'
import type { Worker } from './process/worker.ts'
import type { Keys } from './storage/storage.ts'

const CHECK_CERTIFICATE_MS = 10_000

type Live = Pick<LiveConfig, 'config' | 'withFile' | 'useFile'>
type Upkeep = { now(): void; stop(): void }

/** Takes up changes of the configuration file and of the certificate, by itself and on SIGHUP. */
export function startRenewals(
  worker: Worker | undefined,
  live: Live,
  environment: Environment,
  listener: Listener,
  keys: Pick<Keys, 'countByGroup'>,
  log: Log,
  metrics: Pick<Metrics, 'configuration'>,
  cleanup: Cleanup,
): void {
  const renewal = renewing(listener, log, worker === undefined)
  worker?.answers(({ about, to = 0 }) => {
    if (about === 'renew') return renewal.now()
    if (about === 'steer') return listener.steer(to)
    listener.retire()
    return true
  })
  const reload = reloading(environment, live, log, keys, metrics)
  cleanup.add(renewal.stop, reload.stop)
  process.on('SIGHUP', () => {
    reload.now()
    // The parent of workers coordinates the renewal of their certificates.
    if (!worker) renewal.now()
  })
}

function reloading(
  environment: Environment,
  live: Live,
  log: Log,
  keys: Pick<Keys, 'countByGroup'>,
  { configuration }: Pick<Metrics, 'configuration'>,
): Upkeep {
  const { configFile } = environment
  if (!configFile) {
    return { now: () => log.info('there is no configuration file to reload; start again to use one'), stop: () => {} }
  }
  const watcher = watchConfig(
    configFile,
    (path, bytes) => live.withFile({ path, bytes }),
    async (config, changes, bytes) => {
      await live.useFile({ path: configFile, bytes })
      configuration.set(1)
      log.info('configuration reloaded', { changes: changes.map(({ what }) => what).join('; ') || 'none' })
      for (const { what } of changes.filter(({ restart }) => restart)) log.warn(`${what}: in force at the next start`)
      for (const remark of config.warnings) log.warn(remark)
      // The file is in force whether the store answers or not; one that is unavailable is reported elsewhere.
      void remarkOnGroups(config, keys, log).catch(() => {})
    },
    (mistakes) => {
      configuration.set(0)
      for (const { file, line, message } of mistakes)
        log.error('configuration not reloaded', { file, line, mistake: message })
    },
    { running: live.config, busyFolder: dirname(configFile) === environment.dataDir },
  )
  return { now: () => void watcher.reload(), stop: () => watcher.close() }
}

async function remarkOnGroups(config: FileConfig, keys: Pick<Keys, 'countByGroup'>, log: Log): Promise<void> {
  for (const remark of missingGroupWarnings(await keys.countByGroup(), config)) log.warn(remark)
}

/** `byItself`: checks for a new certificate every few seconds; otherwise only `now` does, and returns whether there was one. */
function renewing(listener: Listener, log: Log, byItself: boolean): { now(): boolean; stop(): void } {
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
