// What a server looks after while it runs: changes made by other processes, its configuration, its certificate.
import type { Environment, FileConfig } from './config/types.ts'
import { watchConfig } from './config/watch.ts'
import type { Callers } from './journey/authenticate.ts'
import type { Listener } from './listen.ts'
import type { Log } from './observe/log.ts'
import type { Storage } from './storage/storage.ts'

const POLL_CHANGES_MS = 1_000
const CHECK_CERTIFICATE_MS = 10_000

export type Upkeep = { now(): void; stop(): void }

/** Other processes change keys and accounts too; within a second or so this one forgets what it remembered. */
export function pollChanges(storage: Storage, callers: Callers, log: Log): () => void {
  let seen: bigint | undefined
  let failing = false
  const timer = setInterval(async () => {
    try {
      const counter = await storage.changeCounter()
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

export function reloading(
  environment: Environment,
  load: Parameters<typeof watchConfig>[1],
  running: FileConfig,
  use: (config: FileConfig) => void,
  log: Log,
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
      for (const remark of config.remarks) log.warn(remark)
    },
    (mistakes) => {
      for (const { file, line, message } of mistakes)
        log.error('configuration not reloaded', { file, line, mistake: message })
    },
    { running },
  )
  return { now: () => void watcher.reload(), stop: () => watcher.close() }
}

export function renewing(listener: Listener, log: Log): Upkeep {
  let reported = ''
  const now = () => {
    try {
      if (listener.renewCertificate()) log.info('certificate renewed')
      reported = ''
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== reported) log.error('the certificate on disk cannot be used; the former one stays', { reason })
      reported = reason
    }
  }
  const timer = setInterval(now, CHECK_CERTIFICATE_MS)
  return { now, stop: () => clearInterval(timer) }
}
