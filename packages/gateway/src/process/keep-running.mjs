// The parent of a server: starts it, and starts it again when it has crashed. Plain JavaScript without dependencies:
// tools/run.mjs runs it in Node before anything is installed, main.ts in Bun.

/** The exit code of a server that an uncaught error has ended: EX_SOFTWARE. 1 means that it could not start. */
export const UNCAUGHT_ERROR = 70

/** Success, and errors that the server has explained: starting it again would end the same way. */
const FINAL_CODES = [0, 1, 2]
const MOST_RESTARTS = 5
const TIMES = {
  /** Before the first restart; doubled for each further one. */
  firstPauseMs: 500,
  /** A server that was ready for so long does not count as one more crash in a row. */
  steadyMs: 60_000,
}

/** Only a server that has been ready is restarted: one that cannot start has said why. */
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
    if (crashes > MOST_RESTARTS) {
      report(`the server crashed again (exit code ${code}); giving up after ${MOST_RESTARTS} restarts in a row`)
      return exit(code)
    }
    const pauseMs = times.firstPauseMs * 2 ** (crashes - 1)
    report(`the server crashed (exit code ${code}); restarting it in ${pauseMs} ms (${crashes} of ${MOST_RESTARTS})`)
    restart = setTimeout(launch, pauseMs)
  }

  launch()
  return {
    /** Passes a signal on. A server that was told to end is not restarted. */
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
