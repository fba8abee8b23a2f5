// The cost of a hold and its settlement on PostgreSQL: CPU of the gateway's process, not of the server.
//   bun bench/micro/postgres.ts [--accounts 100] [--loops 32]
// With --accounts 1 --loops 256: how many holds per second, each with its settlement, a single account can have.
import { parseArgs } from 'node:util'
import { NO_LIMITS } from '../../packages/gateway/src/money/limits.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { NO_RESTRICTIONS } from '../../packages/gateway/src/storage/storage.ts'
import { startPostgres } from '../../test/support/postgres/postgres.ts'

const whole = (by: number) => ({ type: 'string', default: String(by) }) as const
const { values } = parseArgs({ options: { accounts: whole(100), loops: whole(32) } })
const [ACCOUNTS, LOOPS] = [Number(values.accounts), Number(values.loops)]
const ROUNDS = 5
const PAIRS_PER_ROUND = 6_000
const RECEIPT = JSON.stringify({
  units: { input: 812, output: 164 },
  price: 'a1b2c3',
  timing: { first: 210, total: 950 },
})

const server = await startPostgres()
const storage = await openPostgres(await server.freshDatabase())
const nodeId = 1
const joined = await storage.ledger.apply({ verb: 'join', nodeId, config: 'bench' })
const epoch = Number(joined.amount)
// Without renewal the node is dead after ten seconds and every hold is rejected.
const renewal = setInterval(() => void storage.ledger.apply({ verb: 'renew', nodeId, epoch, config: 'bench' }), 1_000)
const wallets: { account: bigint; key: bigint }[] = []
for (let index = 0; index < ACCOUNTS; index++) {
  const account = await storage.accounts.create(`bench-${index}@example.com`, 1_000_000_000_000n, -3n)
  if (!account) throw new Error('the address is taken')
  const hash = crypto.getRandomValues(new Uint8Array(32))
  const fields = { name: 'bench', group: 'default', expiresAt: undefined, cap: undefined, capPeriod: undefined }
  const free = { limits: NO_LIMITS, restrictions: NO_RESTRICTIONS, madeBy: 'command-line' as const }
  wallets.push({
    account: account.id,
    key: (await storage.keys.create({ ...fields, ...free, account: account.id, hash })).id,
  })
}

let nextId = 1n
async function pair(): Promise<void> {
  const id = nextId++
  const wallet = wallets[Number(id) % wallets.length]
  if (!wallet) return
  const owned = { id, nodeId, epoch }
  const amounts = { amount: 2_000_000n, minimum: 2_000_000n, tokens: 1_200, minimumTokens: 800 }
  const rest = { revision: 0, extensible: false, model: 'gpt-x', upstream: 'main' }
  const held = await storage.ledger.apply({ verb: 'hold', ...owned, ...wallet, ...amounts, ...rest })
  if (held.verdict !== 'done') throw new Error(`hold: ${held.verdict}`)
  await storage.ledger.apply({
    verb: 'settle',
    ...owned,
    cost: 1_234_567n,
    tokens: 1_056,
    outcome: 'done',
    receipt: RECEIPT,
  })
}

async function round(pairs: number): Promise<{ cpu: number; wall: number }> {
  let left = pairs
  const cpuBefore = process.cpuUsage()
  const wallBefore = performance.now()
  await Promise.all(
    Array.from({ length: LOOPS }, async () => {
      while (left-- > 0) await pair()
    }),
  )
  const { user, system } = process.cpuUsage(cpuBefore)
  return { cpu: (user + system) / pairs, wall: performance.now() - wallBefore }
}

await round(PAIRS_PER_ROUND)
const rounds: { cpu: number; wall: number }[] = []
for (let index = 0; index < ROUNDS; index++) rounds.push(await round(PAIRS_PER_ROUND))
clearInterval(renewal)
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const cpu = median(rounds.map((each) => each.cpu))
const perSecond = (PAIRS_PER_ROUND / median(rounds.map((each) => each.wall))) * 1_000
const { ok } = await storage.ledger.audit()
console.log(`hold + settle at ${LOOPS} loops, ${ACCOUNTS} accounts, median of ${ROUNDS} rounds of ${PAIRS_PER_ROUND}:`)
console.log(
  `${cpu.toFixed(1)} us of gateway CPU each, ${perSecond.toFixed(0)} per second, books ${ok ? 'right' : 'WRONG'}`,
)
await storage.close()
await server.stop()
