// What a server follows while it runs: its configuration file, its certificate.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileConfig } from '../config/types.ts'
import { watchConfig } from '../config/watch.ts'
import { errorText, type Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics/names.ts'
import { type WarningsStore, warningsOfStore } from '../operate/doctor/store-warnings.ts'
import { auditEntry, type RunningServer } from '../operate/operation.ts'
import type { Cleanup } from '../process/cleanup.ts'
import type { Worker } from '../process/worker.ts'
import type { AuditEntry, AuditLog } from '../storage/storage.ts'
import type { Mistake } from '../yaml/document.ts'
import type { Listener } from './listen.ts'
import type { LiveConfig } from './live-config.ts'

const CHECK_CERTIFICATE_MS = 10_000

type Live = Pick<LiveConfig, 'config' | 'withFile' | 'useFile'>
type Store = WarningsStore & { auditLog: Pick<AuditLog, 'add'> }
type Upkeep = { now(): void; stop(): void }

/** Takes up changes of the configuration file and of the certificate, by itself and on SIGHUP. */
export function startRenewals(
  worker: Worker | undefined,
  live: Live,
  server: Pick<RunningServer, 'environment' | 'reload'>,
  listener: Listener,
  storage: Store,
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
  const reload = reloading(server, live, log, storage, metrics, worker === undefined || worker.number === 1)
  cleanup.add(renewal.stop, reload.stop)
  process.on('SIGHUP', () => {
    reload.now()
    // The parent of workers coordinates the renewal of their certificates.
    if (!worker) renewal.now()
  })
}

function reloading(
  { environment, reload }: Pick<RunningServer, 'environment' | 'reload'>,
  live: Live,
  log: Log,
  storage: Store,
  { configuration }: Pick<Metrics, 'configuration'>,
  leads: boolean,
): Upkeep {
  const { configFile, watchedFile, dataDir } = environment
  const watcher = watchConfig(
    watchedFile,
    (path, bytes) => live.withFile({ path, bytes }),
    async (config, changes, bytes) => {
      const { fileHash } = live.config()
      await live.useFile({ path: watchedFile, bytes })
      configuration.set(1)
      reload.problem = undefined
      const described = changes.map(({ what }) => what)
      log.info('configuration reloaded', { changes: described.join('; ') || 'none' })
      // The workers of a machine read the same file: one of them makes the row.
      if (leads && fileHash !== config.fileHash) {
        const change = { before: { file: fileHash }, after: { file: config.fileHash, changes: described } }
        void noteReload(storage, watchedFile, change).catch((error) =>
          log.error('a change of the configuration file is not in the audit log', { error: errorText(error) }),
        )
      }
      for (const { what } of changes.filter(({ restart }) => restart)) log.warn(`${what}: in force at the next start`)
      for (const remark of config.warnings) log.warn(remark)
      // The file is in force whether the store answers or not; one that is unavailable is reported elsewhere.
      void remark(config, storage, log).catch(() => {})
    },
    (mistakes) => {
      configuration.set(0)
      reload.problem = mistakes.map(describeMistake).join('; ')
      for (const { file, line, message } of mistakes)
        log.error('configuration not reloaded', { file, line, mistake: message })
    },
    { running: live.config, busyFolder: dirname(watchedFile) === dataDir, mayBeMissing: configFile === undefined },
  )
  const now = () => {
    if (configFile === undefined && !existsSync(watchedFile))
      log.info('there is no configuration file to reload', { file: watchedFile })
    void watcher.reload()
  }
  return { now, stop: () => watcher.close() }
}

const describeMistake = ({ file, line, message }: Mistake): string =>
  `${line === undefined ? file : `${file}:${line}`}: ${message}`

/** Whoever wrote the file is not known: the row names the node's part in it, and the file. */
const noteReload = ({ auditLog }: Store, file: string, change: Pick<AuditEntry, 'before' | 'after'>): Promise<void> =>
  auditLog.add(
    auditEntry({ actor: { type: 'job', name: 'configuration file' } }, 'configuration file', {
      object: `file/${file}`,
      ...change,
    }),
  )

async function remark(config: FileConfig, storage: WarningsStore, log: Log): Promise<void> {
  for (const warning of await warningsOfStore(storage, config)) log.warn(warning)
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
