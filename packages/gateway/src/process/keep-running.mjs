// The parent of a server: starts it, and restarts it after a crash. Plain JavaScript without dependencies:
// tools/run.mjs runs it in Node before anything is installed, main.ts in Bun.

/** The exit code of a server after an uncaught error: EX_SOFTWARE. 1 means that it could not start. */
export const UNCAUGHT_ERROR = 70

/** Success, and errors that the server has reported: a restart would fail the same way. */
const FINAL_CODES = [0, 1, 2]
const MAX_RESTARTS = 5
const TIMES = {
  /** Delay before the first restart; doubled for each further one. */
  firstDelayMs: 500,
  /** After being ready for this long, a crash counts as the first of a row. */
  steadyMs: 60_000,
}

/** Only a server that has been ready is restarted: one that cannot start has reported the reason. */
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
    if (isStopping || !hasBeenReady || FINAL_CODES.includes(code)) return exit(code)
    crashes = readyMs >= times.steadyMs ? 1 : crashes + 1
    if (crashes > MAX_RESTARTS) {
      report(`the server crashed again (exit code ${code}); giving up after ${MAX_RESTARTS} restarts in a row`)
      return exit(code)
    }
    const delayMs = times.firstDelayMs * 2 ** (crashes - 1)
    report(`the server crashed (exit code ${code}); restarting it in ${delayMs} ms (${crashes} of ${MAX_RESTARTS})`)
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
