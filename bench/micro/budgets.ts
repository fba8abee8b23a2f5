// What budgets add to a hold and its settlement: CPU of all threads of the gateway and, on PostgreSQL, of the server's connections. Rounds with
// and without them take turns, so that other work of the machine falls on both.
//   bun bench/micro/budgets.ts sqlite|postgres [pairs of a round]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../packages/gateway/src/storage/storage.ts'
import { budgetOf, newWallet } from '../../test/support/budgets.ts'
import { startPostgres } from '../../test/support/postgres/postgres.ts'
import { ask } from '../../test/support/postgres/schemas.ts'

const engine = process.argv[2] === 'postgres' ? 'postgres' : 'sqlite'
const PAIRS = Number(process.argv[3] ?? 4_000)
const [LOOPS, ACCOUNTS, ROUNDS] = [32, 32, 9]
const TICK_US = 10_000
const RECEIPT = JSON.stringify({ units: { input: 812, output: 164 }, price: 'a1b2c3', total_ms: 950 })
const ATTRIBUTION = { tags: ['env=prod', 'team=search'], endUser: 'u_0123456789012345678901', session: '' }

/** `budgets`: how many of those of its account a hold names. */
const VARIANTS = {
  'with nothing': {},
  'with nothing, once more': {},
  'with 1 budget': { budgets: 1 },
  'with 2 budgets': { budgets: 2 },
  'with 8 budgets': { budgets: 8 },
  'with 2 tags and an end user': { attribution: ATTRIBUTION },
  'with these and 2 budgets': { attribution: ATTRIBUTION, budgets: 2 },
}
type Variant = { budgets?: number; attribution?: typeof ATTRIBUTION }

const folder = mkdtempSync(join(tmpdir(), 'trivium-bench-'))
const server = engine === 'postgres' ? await startPostgres() : undefined
const database = await server?.freshDatabase()
const storage: Storage = database === undefined ? await openSqlite(folder) : await openPostgres(database)
const { amount: epoch } = await storage.ledger.apply({ verb: 'join', nodeId: 1, config: '' })
const owner = { nodeId: 1, epoch: Number(epoch) }
const renewal = setInterval(() => void storage.ledger.apply({ verb: 'renew', ...owner, config: '' }), 1_000)
const wallets: { account: bigint; key: bigint; revision: number; budgets: bigint[] }[] = []
for (let index = 0; index < ACCOUNTS; index++) {
  const { account, key } = await newWallet(storage)
  const budgets: bigint[] = []
  for (let each = 0; each < 8; each++) {
    const made = await storage.budgets.create(
      budgetOf({ kind: 'tag', account, value: `t${each}`, amount: 1_000_000_000_000n, period: 'month' }),
    )
    budgets.push(made?.id ?? 0n)
  }
  wallets.push({ account, key, budgets, revision: (await storage.keys.findWithAccount(key))?.key.revision ?? 0 })
}

let last = BigInt(Date.now()) << 22n
async function pair({ budgets: count, attribution }: Variant): Promise<void> {
  last += 1n
  const id = last
  const { account, key, revision, budgets } = wallets[Number(id) % ACCOUNTS] as (typeof wallets)[number]
  const amounts = { amount: 4_000_000n, minimum: 1_000_000n, tokens: 1_200, minimumTokens: 800 }
  const rest = { account, key, revision, extensible: false, model: 'gpt-x', upstream: 'main', attribution }
  const counted = count === undefined ? undefined : budgets.slice(0, count)
  const held = await storage.ledger.apply({ verb: 'hold', id, ...owner, ...amounts, ...rest, budgets: counted })
  if (held.verdict !== 'done') throw new Error(`hold: ${held.verdict}`)
  const end = { cost: 35_760n, tokens: 1_056, outcome: 'done', receipt: RECEIPT }
  const settled = await storage.ledger.apply({ verb: 'settle', id, ...owner, ...end, attribution, budgets: counted })
  if (settled.verdict !== 'done') throw new Error(`settle: ${settled.verdict}`)
}

/** In microseconds: of this process, and of the server's connections. */
async function usage(): Promise<number> {
  const { user, system } = process.cpuUsage()
  if (database === undefined) return user + system
  const rows = await ask(database, 'SELECT pid FROM pg_stat_activity WHERE datname = current_database()')
  const ticks = rows.map(({ pid }) => {
    // The connection that asks ends with its answer.
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return Number(fields[11]) + Number(fields[12])
    } catch {
      return 0
    }
  })
  return user + system + ticks.reduce((sum, each) => sum + each, 0) * TICK_US
}

async function round(variant: Variant): Promise<number> {
  let left = PAIRS
  const before = await usage()
  await Promise.all(
    Array.from({ length: LOOPS }, async () => {
      while (left-- > 0) await pair(variant)
    }),
  )
  return ((await usage()) - before) / PAIRS
}

const measured = new Map<string, number[]>()
for (let index = 0; index <= ROUNDS; index++)
  for (const [name, variant] of Object.entries(VARIANTS)) {
    const cpu = await round(variant)
    // The first one is a rehearsal.
    if (index > 0) measured.set(name, [...(measured.get(name) ?? []), cpu])
  }
clearInterval(renewal)
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const least = median(measured.get('with nothing') ?? [])
console.log(`${engine}: hold + settle, ${LOOPS} loops, ${ACCOUNTS} accounts, median of ${ROUNDS} rounds of ${PAIRS}:`)
for (const [name, values] of measured)
  console.log(`  ${median(values).toFixed(1)} us CPU ${name}: ${(median(values) / least).toFixed(2)} times`)
const { ok } = await storage.ledger.audit()
await storage.close()
await server?.stop()
rmSync(folder, { recursive: true })
if (!ok) throw new Error('the books are wrong')
