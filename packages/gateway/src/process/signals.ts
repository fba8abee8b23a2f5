// Signals and unexpected errors of a server process.
import { errorText, type Log } from '../observe/log.ts'
import { UNCAUGHT_ERROR } from './keep-running.mjs'
import type { Lifecycle } from './lifecycle.ts'

/** Log rotation often sends it. By default it would end Bun, and open a debugger in Node. */
export function ignoreUserSignal(log: Log): void {
  process.on('SIGUSR1', () => log.info('SIGUSR1 ignored: SIGHUP reloads the configuration'))
}

export function stopOnSignals(lifecycle: Lifecycle, log: Log): void {
  ignoreUserSignal(log)
  // A limit of file sizes is an error of the write, as a full disk is; by default it would end the process.
  process.on('SIGXFSZ', () => {})
  process.on('SIGTERM', () => lifecycle.stop('SIGTERM'))
  process.on('SIGINT', () => lifecycle.stop('SIGINT'))
  process.on('unhandledRejection', (error) => log.error('unhandled promise rejection', { error: String(error) }))
}

/** After an uncaught error the state of the process is unknown: it exits, and its parent starts another server. */
export function exitOnUncaughtError(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.error('uncaught error', { error: errorText(error) })
    process.exit(UNCAUGHT_ERROR)
  })
}
