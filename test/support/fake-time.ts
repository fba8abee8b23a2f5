// A clock and timers that stand still until a test lets time pass.
import type { After } from '../../packages/gateway/src/storage/node/deadlines.ts'

export function fakeTime() {
  let now = 0
  let timers: { at: number; run: () => void }[] = []
  const after: After = (ms, run) => {
    const timer = { at: now + ms, run }
    timers.push(timer)
    return () => {
      timers = timers.filter((one) => one !== timer)
    }
  }
  /** Lets everything that waits for a promise, not for time, happen. */
  const settle = async () => {
    for (let turn = 0; turn < 3; turn += 1) await Bun.sleep(0)
  }
  async function pass(ms: number): Promise<void> {
    const end = now + ms
    await settle()
    for (;;) {
      const next = timers.toSorted((a, b) => a.at - b.at)[0]
      if (!next || next.at > end) break
      now = next.at
      timers = timers.filter((one) => one !== next)
      next.run()
      await settle()
    }
    now = end
  }
  const monotonic = () => now
  /** The same as a coarse clock, whose interval says how late it may be. */
  const clock = { now: monotonic, intervalMs: 0 }
  return { monotonic, clock, after, pass }
}
