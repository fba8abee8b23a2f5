// Hundreds of concurrent holds and settlements on PostgreSQL: each batch is one round trip.
import { hold, newNode, newWallet, settle } from '../../packages/gateway/contract/storage/harness.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { startPostgres } from '../../test/support/postgres/postgres.ts'
import { startCountingProxy } from '../counting-proxy.ts'
import type { Scenario } from '../scenario.ts'
import { SIZES } from '../sizes.ts'

const AT_ONCE = 256
/** The largest batch; see packages/gateway/src/storage/postgres/lane.ts. */
const LARGEST_BATCH = 128
const WALLETS = 8

export const batches: Scenario = {
  name: 'batches',
  title: 'a batch is one round trip to PostgreSQL',
  async run({ findings, rounds: wanted, size }) {
    const rounds = wanted ?? SIZES[size].batchRounds
    const url = new URL(await (await startPostgres()).freshDatabase())
    const proxy = startCountingProxy({ hostname: url.hostname, port: Number(url.port) })
    url.port = String(proxy.port)
    const storage = await openPostgres(url.href, { lanes: 1 })
    try {
      const wallets = await Promise.all(Array.from({ length: WALLETS }, () => newWallet(storage, 1_000_000_000n)))
      const node = await newNode(storage)
      let id = 0n
      const walletOf = (index: bigint) => wallets[Number(index % BigInt(WALLETS))] ?? raise('no wallet')
      const all = async (count: number) => {
        const ids = Array.from({ length: count }, () => ++id)
        await Promise.all(ids.map((each) => storage.ledger.apply(hold(each, walletOf(each), node))))
        await Promise.all(ids.map((each) => storage.ledger.apply(settle(each, node, 1n))))
      }
      // Preparing a statement takes another round trip the first time.
      await all(1)
      const before = proxy.roundTrips()
      for (let round = 0; round < rounds; round++) {
        await storage.ledger.apply({ verb: 'renew', ...node, config: 'test' })
        await all(AT_ONCE)
      }
      const trips = proxy.roundTrips() - before
      // The statement of the renewals is prepared once, and executed once in each round.
      const most = rounds * (2 * Math.ceil(AT_ONCE / LARGEST_BATCH) + 1) + 1
      findings.must(trips <= most, `${trips} round trips for ${rounds * 2 * AT_ONCE} verbs, ${most} allowed`)
      findings.must((await storage.ledger.audit()).ok, 'the audit finds an error')
      return `${rounds * 2 * AT_ONCE} holds and settlements in ${trips} round trips`
    } finally {
      await storage.close()
      proxy.stop()
    }
  },
}

function raise(message: string): never {
  throw new Error(message)
}
