// The cost of the ledger alone on SQLite: CPU microseconds of all threads for one hold and its settlement.
// Usage: bun bench/micro/ledger.ts [pairs] [concurrent loops]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CREDIT } from '../../packages/gateway/src/money/ledger.ts'
import { NO_LIMITS } from '../../packages/gateway/src/money/limits.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { NO_RESTRICTIONS, type Storage } from '../../packages/gateway/src/storage/storage.ts'

const PAIRS = Number(process.argv[2] ?? 20_000)
const LOOPS = Number(process.argv[3] ?? 32)
const ACCOUNTS = 20
const ROUNDS = 5
const RECEIPT = JSON.stringify({
  units: { input: 812, output: 244, cached_input: 0 },
  price: { input: '2.00', output: '8.00' },
  milliseconds: { first: 412, all: 3177 },
  attempts: [{ upstream: 'main', status: 200 }],
  warnings: [],
})

const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'))
const storage = await openSqlite(folder)
try {
  const wallets = await Promise.all(Array.from({ length: ACCOUNTS }, (_, index) => newWallet(storage, index)))
  const { amount: epoch } = await storage.ledger.apply({ verb: 'join', nodeId: 1, config: '' })
  const owner = { nodeId: 1, epoch: Number(epoch) }
  let last = BigInt(Date.now()) << 20n

  async function pair(index: number): Promise<void> {
    const wallet = wallets[index % ACCOUNTS]
    if (!wallet) throw new Error('no wallet')
    last += 1n
    const id = last
    const amounts = { amount: 40_000_000n, minimum: 1_000_000n, tokens: 1_200, minimumTokens: 800 }
    const rest = { revision: 0, extensible: false, model: 'gpt-x', upstream: 'main' }
    await storage.ledger.apply({ verb: 'hold', id, ...wallet, ...owner, ...amounts, ...rest })
    const settled = await storage.ledger.apply({
      verb: 'settle',
      id,
      ...owner,
      cost: 3_576_000n,
      tokens: 1_056,
      outcome: 'done',
      receipt: RECEIPT,
    } as const)
    if (settled.verdict !== 'done') throw new Error(`settle: ${settled.verdict}`)
  }
  async function round(pairs: number): Promise<{ cpu: number; wall: number }> {
    let started = 0
    const [cpu, wall] = [process.cpuUsage(), performance.now()]
    await Promise.all(
      Array.from({ length: LOOPS }, async () => {
        while (started < pairs) await pair(started++)
      }),
    )
    const { user, system } = process.cpuUsage(cpu)
    return { cpu: (user + system) / pairs, wall: ((performance.now() - wall) * 1000) / pairs }
  }

  await round(PAIRS / 10)
  const renewed = await storage.ledger.apply({ verb: 'renew', ...owner, config: '' })
  if (renewed.verdict !== 'done') throw new Error(`renew: ${renewed.verdict}`)
  const rounds = []
  for (let index = 0; index < ROUNDS; index++) {
    rounds.push(await round(PAIRS))
    await storage.ledger.apply({ verb: 'renew', ...owner, config: '' })
  }
  const median = (values: number[]): string => (values.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0).toFixed(1)
  console.log(`hold + settle, ${LOOPS} loops, ${PAIRS} pairs, median of ${ROUNDS} rounds:`)
  console.log(
    `  ${median(rounds.map(({ cpu }) => cpu))} us CPU (all threads), ${median(rounds.map(({ wall }) => wall))} us wall`,
  )
  const { ok } = await storage.ledger.audit()
  if (!ok) throw new Error('the books are wrong')
} finally {
  await storage.close()
  rmSync(folder, { recursive: true })
}

async function newWallet(store: Storage, index: number): Promise<{ account: bigint; key: bigint }> {
  const account = await store.accounts.create(`user-${index}@example.com`, 1_000_000_000_000_000n, CREDIT)
  if (!account) throw new Error('no account')
  const hash = new Uint8Array(32).fill(index + 1)
  const names = { name: 'bench', group: 'default', expiresAt: undefined, cap: undefined, capPeriod: undefined }
  const free = { limits: NO_LIMITS, restrictions: NO_RESTRICTIONS, madeBy: 'command-line' as const }
  const key = await store.keys.create({ account: account.id, hash, ...names, ...free })
  return { account: account.id, key: key.id }
}
