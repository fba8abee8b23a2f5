// kill -9 at random moments under mixed load, of the gateway and of PostgreSQL.
import { readFileSync } from 'node:fs'
import { SQL } from 'bun'
import type { Row } from '../../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../../test/support/gateway/gateway.ts'
import type { Engine } from '../../../test/support/gateway/home.ts'
import { startPostgres } from '../../../test/support/postgres/postgres.ts'
import { checkAll, checkAudit, compareRows, type WalletCalls } from '../../check-ledger.ts'
import { call } from '../../client.ts'
import { startLoad } from '../../load.ts'
import { type Findings, openFindings, type Scenario, settledWithin, type Torture } from '../../scenario.ts'
import { configForSandbox, newWallet, rowsOf, startGateways, startSandbox } from '../../setup.ts'
import { SIZES } from '../../sizes.ts'

const WORKERS = 12
const LONGEST_MS = 500
const SERVING_WITHIN_MS = 2_000
/** The holds of a dead node are voided after ten seconds, by a check every five. */
const REAPED_WITHIN_MS = 30_000
const RENEWED_WITHIN_MS = 3_000

type Victim = 'gateway' | 'database' | 'both'

const crash = (engine: Engine): Scenario => ({
  name: `crash-${engine}`,
  title: `kill -9 at random moments on ${engine}`,
  run: (torture) => run(engine, torture),
})

export const crashSqlite = crash('sqlite')
export const crashPostgres = crash('postgres')

async function run(engine: Engine, torture: Torture): Promise<string> {
  const { random, say, findings } = torture
  const kills = torture.rounds ?? SIZES[torture.size].kills[engine]
  const sandbox = startSandbox()
  const [first] = await startGateways(engine, 1, configForSandbox(sandbox.url))
  if (!first) throw new Error('no gateway')
  let gateway = first
  const all: WalletCalls[] = []
  for (let index = 0; index < 3; index++) all.push({ wallet: await newWallet(gateway, '1000', 2), seen: [] })
  const starts: number[] = []
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const victim: Victim = engine === 'sqlite' ? 'gateway' : victimOf(kill)
      const before = all.map(({ seen }) => seen.length)
      const load = startLoad([gateway.url], all, WORKERS, torture.seed + kill)
      await Bun.sleep(random.between(0, LONGEST_MS))
      gateway = await strike(victim, gateway, random.between(0, LONGEST_MS), load.stop, starts)
      // The ledger may take a moment: a journal is applied after the start.
      const look = async () => {
        const found = openFindings()
        for (const [index, { wallet, seen }] of all.entries()) {
          const recent = seen.slice(before[index])
          compareRows({ wallet, seen: recent }, await rowsOf(gateway, wallet, recent.length || 1), found)
        }
        await checkAudit(gateway, found, engine === 'sqlite')
        return found
      }
      await settledWithin(engine === 'sqlite' ? 0 : REAPED_WITHIN_MS, look, findings)
      if (kill % 10 === 0 || kill === kills) say(`  ${kill} of ${kills} kills, ${answered(all)} completed`)
      if (findings.all.length > 0) break
    }
    if (torture.size === 'small') await bringForward(gateway)
    await settledWithin(REAPED_WITHIN_MS, () => checkAll(gateway, all), findings)
    await compareCommandLine(gateway, all, findings)
    const slowest = Math.max(0, ...starts)
    const sum = all.reduce((count, { seen }) => count + seen.length, 0)
    return `${kills} kills, ${sum} requests, ${answered(all)} answered in full, slowest start ${slowest.toFixed(0)} ms`
  } finally {
    await gateway.stop()
    await sandbox.stop()
  }

  async function strike(
    victim: Victim,
    running: Gateway,
    between: number,
    stopLoad: () => Promise<void>,
    times: number[],
  ): Promise<Gateway> {
    if (victim === 'gateway') {
      await running.kill()
      await stopLoad()
      return await revive(running, times)
    }
    const database = await startPostgres()
    await database.kill()
    await Bun.sleep(between)
    if (victim === 'both') await running.kill()
    const stopping = stopLoad()
    await database.restart()
    await stopping
    if (victim === 'both') return await revive(running, times)
    await untilServing(running)
    return running
  }

  /** A busy machine may delay one start, but not three in a row. */
  async function revive(dead: Gateway, times: number[]): Promise<Gateway> {
    let best = Number.POSITIVE_INFINITY
    for (let attempt = 1; ; attempt++) {
      const began = performance.now()
      const waitedBefore = waitedForCore(process.pid)
      const next = await startGateway({ home: dead.home })
      await untilServing(next)
      // The time that the gateway or this process waited for a core does not count.
      const queued = waitedForCore(next.pid) + waitedForCore(process.pid) - waitedBefore
      best = Math.min(best, performance.now() - began - queued)
      if (engine === 'postgres' || best <= SERVING_WITHIN_MS || attempt === 3) {
        findings.must(
          engine === 'postgres' || best <= SERVING_WITHIN_MS,
          `serving again only after ${best.toFixed(0)} ms`,
        )
        times.push(best)
        return next
      }
      await next.kill()
    }
  }

  async function untilServing(next: Gateway): Promise<void> {
    const [sent] = all
    const end = performance.now() + REAPED_WITHIN_MS
    for (;;) {
      const seen = await call('chat', next.url, sent?.wallet.secrets[0] ?? '', {
        model: 'over-chat',
        prompt: 'say 3 words',
      })
      sent?.seen.push(seen)
      if (seen.complete) return
      if (performance.now() > end) return findings.add(`not serving after a start: ${seen.status} ${seen.text}`)
      await Bun.sleep(50)
    }
  }
}

/** Milliseconds that a process waited for a core; 0 where the system does not report it. */
function waitedForCore(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** The command `trivium usage` shows the rows that were compared. */
async function compareCommandLine(gateway: Gateway, [sent]: readonly WalletCalls[], findings: Findings): Promise<void> {
  if (!sent) return
  const told = await gateway.command<Row[]>('usage', '--account', sent.wallet.email, '--limit', '0')
  const same = JSON.stringify(told) === JSON.stringify(await rowsOf(gateway, sent.wallet))
  findings.must(same, `'trivium usage --json' of ${sent.wallet.email} shows something else`)
}

/** Expires the leases of dead nodes at once, to save waiting in tests. Live nodes have renewed theirs meanwhile. */
async function bringForward({ home }: Gateway): Promise<void> {
  if (home.databaseUrl === undefined) return
  await Bun.sleep(RENEWED_WITHIN_MS)
  const sql = new SQL(home.databaseUrl, { max: 1 })
  try {
    await sql`UPDATE node SET renewed_at = 0
      WHERE renewed_at < (SELECT max(renewed_at) FROM node) - ${RENEWED_WITHIN_MS}`
  } finally {
    await sql.close()
  }
}

const victimOf = (kill: number): Victim => (['gateway', 'database', 'both'] as const)[kill % 3] ?? 'gateway'

const answered = (all: readonly WalletCalls[]): number =>
  all.reduce((count, { seen }) => count + seen.filter(({ complete }) => complete).length, 0)
