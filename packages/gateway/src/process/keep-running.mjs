// The parent of a server: starts it, and restarts it after a crash. Plain JavaScript without dependencies:
// tools/run.mjs runs it in Node before anything is installed, main.ts in Bun.

/** The exit code of a server after an uncaught error: EX_SOFTWARE. 1 means that it could not start. */
export const UNCAUGHT_ERROR = 70

/** Success, and a wrong command line: a restart would end the same way. */
const FINAL_CODES = [0, 2]
/** The server could not start, or could not stop cleanly, and has reported the reason. */
const REPORTED_ERROR = 1
const TIMES = {
  /** Delay before the first restart; doubled for each further one. */
  firstDelayMs: 500,
  /** Restarts never end: a crash that a client can repeat must not become a lasting outage. */
  maxDelayMs: 30_000,
  /** After being ready for this long, a crash counts as the first of a row. */
  steadyMs: 60_000,
}

/**
 * The line for the log: JSON unless a person reads it on a terminal, as the server's own lines.
 * @param {string} message
 * @param {boolean} isTerminal
 * @param {string | undefined} format TRIVIUM_LOG_FORMAT, which decides where it is set
 */
export function crashLine(message, isTerminal, format) {
  if (format ? format === 'text' : isTerminal) return `trivium: ${message}\n`
  return `${JSON.stringify({ time: new Date().toISOString(), level: 'error', message })}\n`
}

/**
 * Only a server that has been ready is restarted: one that cannot start has reported the reason. Later starts are repeated
 * even then: the reason may be passing, such as a database that is down or a port that the old server still has.
 */
export function keepRunning({ start, exit, report, times = TIMES }) {
  let child
  let restart
  let hasBeenReady = false
  let isStopping = false
  let crashes = 0

  function launch() {
    restart = undefined
    let readyAt = Number.POSITIVE_INFINITY
    child = start(() => {
      hasBeenReady = true
      readyAt = performance.now()
    })
    child.exited.then((code) => ended(code, performance.now() - readyAt))
  }

  function ended(code, readyMs) {
    child = undefined
    const isFinal = FINAL_CODES.includes(code) || (code === REPORTED_ERROR && readyMs >= 0)
    if (isStopping || !hasBeenReady || isFinal) return exit(code)
    crashes = readyMs >= times.steadyMs ? 1 : crashes + 1
    const delayMs = Math.min(times.maxDelayMs, times.firstDelayMs * 2 ** (crashes - 1))
    const what = code === REPORTED_ERROR ? 'could not start' : 'crashed'
    report(`the server ${what} (exit code ${code}); restarting it in ${delayMs} ms (restart ${crashes} in a row)`)
    restart = setTimeout(launch, delayMs)
  }

  launch()
  return {
    /** Forwards a signal. A server that was told to stop is not restarted. */
    signal(name) {
      if (name !== 'SIGHUP') isStopping = true
      if (child) child.kill(name)
      else if (isStopping) {
        clearTimeout(restart)
        exit(0)
      }
    },
  }
}
