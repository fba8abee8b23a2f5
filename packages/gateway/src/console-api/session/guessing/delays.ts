// Delays of sign-ins to an account at which many wrong passwords were tried. A delayed request holds neither a slot nor a hashing place.
// A flood cannot fill memory with them, and cannot keep others from signing in: each network has a few, and if too many wait in all, the
// one that has waited the longest goes on early.

export type Delays = {
  /** false: the network has too many delayed requests. */
  wait(network: string, ms: number): Promise<boolean>
}

const MOST = 256
const MOST_OF_NETWORK = 4

/** Wrong guesses within the window before anything is delayed. */
const FREE_GUESSES = 10
const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 2_000

/** `guesses`: how many were wrong within the window, from anywhere. */
export function delayAfter(guesses: number): number {
  const beyond = guesses - FREE_GUESSES
  return beyond < 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(beyond, 16))
}

export function createDelays(after: (ms: number, run: () => void) => () => void, most = MOST): Delays {
  const byNetwork = new Map<string, number>()
  /** In the order of arrival. */
  const waiting = new Set<() => void>()

  function add(network: string, change: 1 | -1): void {
    const count = (byNetwork.get(network) ?? 0) + change
    if (count > 0) byNetwork.set(network, count)
    else byNetwork.delete(network)
  }

  return {
    async wait(network, ms) {
      if (ms <= 0) return true
      if ((byNetwork.get(network) ?? 0) >= MOST_OF_NETWORK) return false
      if (waiting.size >= most) for (const goOn of [...waiting].slice(0, waiting.size - most + 1)) goOn()
      add(network, 1)
      await new Promise<void>((resolve) => {
        const cancel = after(ms, goOn)
        function goOn(): void {
          cancel()
          if (waiting.delete(goOn)) resolve()
        }
        waiting.add(goOn)
      })
      add(network, -1)
      return true
    },
  }
}
