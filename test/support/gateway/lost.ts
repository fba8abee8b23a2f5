// Which gateway of a test ended although the test did not end it. The hooks of `npm test` (tools/tests/hooks.ts) then fail the test that
// notices it with how the gateway ended, and run none of the later tests of that gateway: each would fail for the same reason.

/** How the error of a test begins that did not run. */
export const NOT_RUN = 'This test did not run, since its gateway had ended'
/** How what is said of a lost gateway begins. */
export const LOST = 'The gateway of this test has ended'
const LAST_LINES = 15

type Child = { pid: number; exitCode: number | null; signalCode: unknown }
type Output = { stdout: string; stderr: string }
type Watched = { child: Child; output: Output; isExpected: boolean }

const watched = new Set<Watched>()

/** `expectEnd`: from now on it may end. `forget`: the test has ended it. */
export function watchGateway(child: Child, output: Output) {
  const gateway: Watched = { child, output, isExpected: false }
  watched.add(gateway)
  return {
    expectEnd() {
      gateway.isExpected = true
    },
    forget: () => void watched.delete(gateway),
  }
}

/** The next file in this process has other gateways; one that a failed `afterAll` left behind must not fail its tests. */
export const forgetGateways = (): void => watched.clear()

/** How a gateway ended that should still be running; undefined: all do. */
export function lossOfGateway(): string | undefined {
  for (const { child, output, isExpected } of watched) {
    if (isExpected || (child.exitCode === null && child.signalCode === null)) continue
    const how = child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`
    const lines = `${output.stdout}\n${output.stderr}`.split('\n').filter((line) => line.trim() !== '')
    const last = lines.slice(-LAST_LINES).map((line) => `  ${line}`)
    return [`${LOST} (process ${child.pid}, ${how}). Its last lines:`, ...last].join('\n')
  }
  return undefined
}
