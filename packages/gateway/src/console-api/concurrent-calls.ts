// Limits concurrent requests without a key, in total and per network: each holds a body in memory while it arrives.

const MOST = 32
const MOST_OF_ONE_NETWORK = 8

/** One of the slots that all running requests share. */
export type Slot = { release(): void }

/** Runs `work`, or returns undefined if the limit is reached. */
export type ConcurrentCalls = <T>(network: string, work: () => Promise<T>) => Promise<T> | undefined

export function createConcurrentCalls(admit: () => Slot | undefined): ConcurrentCalls {
  const byNetwork = new Map<string, number>()
  let running = 0

  function add(network: string, change: 1 | -1): void {
    const count = (byNetwork.get(network) ?? 0) + change
    running += change
    if (count > 0) byNetwork.set(network, count)
    else byNetwork.delete(network)
  }

  return (network, work) => {
    if (running >= MOST || (byNetwork.get(network) ?? 0) >= MOST_OF_ONE_NETWORK) return undefined
    const slot = admit()
    if (!slot) return undefined
    add(network, 1)
    return work().finally(() => {
      add(network, -1)
      slot.release()
    })
  }
}
