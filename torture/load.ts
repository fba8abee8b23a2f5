// Mixed load from several keys until it is stopped; some clients disconnect early.
import { type Random, seeded } from '../tools/simulation/random.ts'
import type { WalletCalls } from './check-ledger.ts'
import { call, randomCall } from './client.ts'

export type Load = {
  /** Starts no new calls; resolves when the last one has ended. */
  stop(): Promise<void>
}

const LEAVES = 0.15
/** The pause after a failure, so that an unavailable gateway is not called in a busy loop. */
const PAUSE_MS = 20

/** `origins`: used in turn, so that every gateway gets requests of every wallet. Adds the results to `all`. */
export function startLoad(
  origins: readonly string[],
  all: readonly WalletCalls[],
  workers: number,
  seed: number,
): Load {
  let stopped = false
  const running = Array.from({ length: workers }, (_, index) => work(index, seeded(seed * 1_000 + index)))

  async function work(index: number, random: Random): Promise<void> {
    while (!stopped) {
      const sent = random.pick(all)
      const secret = random.pick(sent?.wallet.secrets ?? [])
      const { dialect, calling } = randomCall(random)
      const leaving = random.chance(LEAVES) ? AbortSignal.timeout(random.between(1, 150)) : undefined
      if (!sent || !secret) return
      const origin = origins[index % origins.length] ?? ''
      const seen = await call(dialect, origin, secret, { ...calling, ...(leaving ? { signal: leaving } : {}) })
      sent.seen.push({ ...seen, text: '' })
      if (seen.status !== 200) await Bun.sleep(PAUSE_MS)
    }
  }

  return {
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}
