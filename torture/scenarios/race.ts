// Many concurrent requests on limits for a few: never is more spent than the limit, and served requests are paid in full.
import { formatUsd } from '../../packages/gateway/src/money/amount.ts'
import type { Gateway } from '../../test/support/gateway/gateway.ts'
import type { Engine } from '../../test/support/gateway/home.ts'
import { checkAudit, compareWallet, costOf, nanos, type WalletCalls } from '../check-ledger.ts'
import { call, capIn } from '../client.ts'
import { startOverchargingUpstream } from '../overcharging-upstream.ts'
import { openFindings, type Scenario, settledWithin, type Torture } from '../scenario.ts'
import { type CountingSandbox, configForSandbox, newWallet, startGateways, startSandbox } from '../setup.ts'
import { SIZES } from '../sizes.ts'
import { LIMITS, type Limit } from './race-limits.ts'

const QUIET_WITHIN_MS = 20_000
/** The highest cost of one event of the sandbox in nano-USD: a word. */
const ONE_EVENT = 16_000n

const race = (engine: Engine, gateways: number): Scenario => ({
  name: `race-${engine}`,
  title: `hundreds of concurrent requests on limits for ten, on ${gateways} gateway${gateways > 1 ? 's' : ''} over ${engine}`,
  run: (torture) => run(engine, gateways, torture),
})

export const raceSqlite = race('sqlite', 1)
export const racePostgres = race('postgres', 3)

async function run(engine: Engine, count: number, torture: Torture): Promise<string> {
  const { findings, say } = torture
  const rounds = torture.rounds ?? SIZES[torture.size].raceRounds
  const sandbox = startSandbox()
  const overcharging = await startOverchargingUpstream()
  const gateways = await startGateways(engine, count, configForSandbox(sandbox.url, undefined, overcharging.origin))
  const [first] = gateways
  if (!first) throw new Error('no gateway')
  const told: string[] = []
  try {
    for (const limit of LIMITS) {
      let served = 0
      for (let round = 1; round <= rounds && findings.all.length === 0; round++) {
        served += await oneRound({ gateways, sandbox, limit }, torture)
        if (round % 10 === 0 || round === rounds) say(`  ${limit.name}: ${round} of ${rounds} rounds`)
      }
      told.push(`${limit.name} ${(served / rounds).toFixed(1)}`)
    }
    await checkAudit(first, findings, true)
    return `${rounds} rounds of ${SIZES[torture.size].racedRequests} at once, served on average: ${told.join(', ')}`
  } finally {
    for (const gateway of gateways) await gateway.stop()
    await sandbox.stop()
    overcharging.stop()
  }
}

type Course = { gateways: readonly Gateway[]; sandbox: CountingSandbox; limit: Limit }

/** Returns how many requests were served. */
async function oneRound({ gateways, sandbox, limit }: Course, torture: Torture): Promise<number> {
  const { random, findings } = torture
  const [first] = gateways
  if (!first) throw new Error('no gateway')
  const wallet = await newWallet(first, limit.credit, 1, limit.key)
  const sent: WalletCalls = { wallet, seen: [] }
  const secret = wallet.secrets[0] ?? ''
  const startedAt = Date.now()
  sandbox.peak()
  const calls = Array.from({ length: SIZES[torture.size].racedRequests }, async (_, index) => {
    const streamed = random.chance(0.5)
    const dialect = random.pick(['chat', 'responses', 'messages', 'generate-content'] as const) ?? 'chat'
    const model = `${limit.overcharged ? 'overcharging' : limit.slow ? 'slow' : 'over'}-${dialect}`
    const more = capIn(dialect, limit.output)
    const prompt = `say ${limit.output * 2} words, pace 0 ms`
    return await call(dialect, gateways[index % gateways.length]?.url ?? '', secret, { model, streamed, prompt, more })
  })
  sent.seen.push(...(await Promise.all(calls)))
  const served = sent.seen.filter(({ status }) => status === 200)
  for (const { status, text } of sent.seen)
    findings.must(
      status === 200 || status === limit.rejection,
      `${limit.name}: answered ${status}: ${text.slice(0, 200)}`,
    )
  findings.must(
    served.every(({ complete }) => complete),
    `${limit.name}: a response was incomplete`,
  )
  findings.must(served.length > 0, `${limit.name}: no request was served`)
  const due = served.reduce((sum, { usage }) => sum + (usage ? costOf(usage) : 0n), 0n)
  const spent = due - ONE_EVENT * BigInt(served.length)
  findings.must(limit.overcharged || spent <= nanos(wallet.credit), `${limit.name}: served for more than there was`)
  limit.check(
    { served, rejected: sent.seen.filter(({ status }) => status !== 200), startedAt, spent, peak: sandbox.peak() },
    findings,
  )
  const look = async () => {
    const found = openFindings()
    const rows = await compareWallet(first, sent, found)
    found.must(rows.length === served.length, `${limit.name}: ${rows.length} rows for ${served.length} responses`)
    const paid = rows.reduce((sum, { cost_usd }) => sum + nanos(cost_usd), 0n)
    const { cap } = limit.key
    found.must(cap === undefined || paid <= nanos(cap), `${limit.name}: ${formatUsd(paid)} paid under a cap of ${cap}`)
    if (limit.overcharged) {
      found.must(paid === nanos(cap ?? ''), `${limit.name}: only ${formatUsd(paid)} paid, and more was due`)
      return found
    }
    for (const { request_id, outcome, shortfall_usd } of rows) {
      // A stopped stream has delivered at most one event more than it could pay for.
      const excused = outcome === 'stopped_by_balance' ? ONE_EVENT : 0n
      found.must(
        nanos(shortfall_usd) <= excused,
        `${limit.name}: ${request_id} (${outcome}) is not paid in full: ${shortfall_usd} short`,
      )
    }
    return found
  }
  await settledWithin(QUIET_WITHIN_MS, look, findings)
  return served.length
}
