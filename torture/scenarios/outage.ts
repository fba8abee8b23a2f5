// Frozen nodes and database outages: a node that is stopped until it counts as dead and then continues, and one that is
// killed while the database is unavailable.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { startPostgres } from '../../test/support/postgres/postgres.ts'
import { checkAll, type WalletCalls } from '../check-ledger.ts'
import { type CallResult, call } from '../client.ts'
import { startLoad } from '../load.ts'
import { type Findings, type Scenario, settledWithin, type Torture } from '../scenario.ts'
import { configForSandbox, newWallet, rowsOf, startGateways, startSandbox, type Wallet } from '../setup.ts'
import { SIZES } from '../sizes.ts'

const WORKERS = 8
/** Dead after ten seconds, found by a look every five; and some, for a busy machine. */
const REAPED_WITHIN_MS = 40_000
/** Responses that take longer than it takes to be declared dead. */
const LONG = 'say 60 words, pace 80 ms'
const LONG_CALLS = 6
/** The streamed ones are still running when their node is stopped. */
const SURELY_OPEN = LONG_CALLS / 2

export const frozenNode: Scenario = {
  name: 'frozen-node',
  title: 'one of two nodes is stopped, taken for dead, and goes on',
  async run(torture) {
    const { findings, say } = torture
    const sandbox = startSandbox()
    const gateways = await startGateways('postgres', 2, configForSandbox(sandbox.url))
    const [frozen, other] = gateways
    if (!frozen || !other) throw new Error('two gateways are needed')
    try {
      const all: WalletCalls[] = [{ wallet: await newWallet(other, '1000', 2), seen: [] }]
      const [long] = all
      if (!long) throw new Error('no wallet')
      const calls = longCalls(frozen, long)
      await untilBegun(other, long.wallet, LONG_CALLS)
      const load = startLoad([frozen.url, other.url], all, WORKERS, torture.seed)
      await Bun.sleep(torture.random.between(100, 700))
      frozen.signal('SIGSTOP')
      const since = performance.now()
      const reaped = await untilReaped(other, long.wallet, findings)
      say(`  ${reaped} requests of the frozen node resolved after ${seconds(since)} s`)
      const rest = SIZES[torture.size].freezeMs - (performance.now() - since)
      if (rest > 0) await Bun.sleep(rest)
      frozen.signal('SIGCONT')
      const frozenFor = seconds(since)
      await Promise.all([calls, load.stop()])
      await untilServing(frozen, long, findings)
      await settledWithin(REAPED_WITHIN_MS, () => checkAll(other, all), findings)
      const corrected = await countOutcomes(other, long, reaped, findings)
      return `frozen for ${frozenFor} s, ${reaped} requests reaped, ${corrected} of them completed later and corrected, ${long.seen.length} requests`
    } finally {
      for (const gateway of gateways) await gateway.stop()
      await sandbox.stop()
    }
  },
}

/** Long requests to the node that is frozen; their clients wait for as long as it takes. */
async function longCalls(gateway: Gateway, { wallet, seen }: WalletCalls): Promise<void> {
  const one = async (index: number) => {
    const streamed = index % 2 === 0
    const calling = { model: streamed ? 'over-chat' : 'slow-chat', streamed, prompt: LONG }
    seen.push(await call(index % 3 === 0 ? 'messages' : 'chat', gateway.url, wallet.secrets[0] ?? '', calling))
  }
  await Promise.all(Array.from({ length: LONG_CALLS }, (_, index) => one(index)))
}

/** Waits until every call has its hold. */
const untilBegun = (gateway: Gateway, wallet: Wallet, calls: number): Promise<void> =>
  eventually(async () => (await rowsOf(gateway, wallet)).length >= calls)

async function untilReaped(gateway: Gateway, wallet: Wallet, findings: Findings): Promise<number> {
  const end = performance.now() + REAPED_WITHIN_MS
  for (;;) {
    const reaped = (await rowsOf(gateway, wallet)).filter(({ outcome }) => outcome === 'reaped').length
    if (reaped >= SURELY_OPEN) return reaped
    if (performance.now() > end) {
      findings.add(`${reaped} requests of a frozen node were resolved, at least ${SURELY_OPEN} were open`)
      return reaped
    }
    await Bun.sleep(500)
  }
}

/** Requests that were reaped and then completed are no longer in the ledger as reaped. */
async function countOutcomes(gateway: Gateway, { wallet, seen }: WalletCalls, reaped: number, findings: Findings) {
  const left = (await rowsOf(gateway, wallet)).filter(({ outcome }) => outcome === 'reaped').length
  findings.must(left < reaped, 'nothing that a frozen node finished later was corrected')
  findings.must(
    seen.some(({ complete }) => complete),
    'nothing was answered at all',
  )
  return reaped - left
}

async function untilServing(gateway: Gateway, { wallet, seen }: WalletCalls, findings: Findings): Promise<void> {
  const end = performance.now() + REAPED_WITHIN_MS
  let last: CallResult
  do {
    last = await call('chat', gateway.url, wallet.secrets[0] ?? '', { model: 'over-chat', prompt: 'say 3 words' })
    seen.push(last)
    if (last.complete) return
    await Bun.sleep(200)
  } while (performance.now() < end)
  findings.add(`the node does not serve again: ${last.status} ${last.text}`)
}

const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(0)

const CALLS = 10

/** Long enough to complete only after the database is down. */
const OUTLIVES = 'say 40 words, pace 50 ms'

export const databaseOutage: Scenario = {
  name: 'store-away',
  title: 'PostgreSQL is killed, responses complete meanwhile, the gateway is killed, both are restarted',
  async run(torture) {
    const { findings, random } = torture
    const outages = torture.rounds ?? SIZES[torture.size].outages
    const sandbox = startSandbox()
    let [gateway] = await startGateways('postgres', 1, configForSandbox(sandbox.url))
    if (!gateway) throw new Error('no gateway')
    const database = await startPostgres()
    const sent: WalletCalls = { wallet: await newWallet(gateway, '1000', 1), seen: [] }
    let journaled = 0
    try {
      for (let outage = 1; outage <= outages; outage++) {
        const before = (await rowsOf(gateway, sent.wallet)).length
        const streams = Array.from({ length: CALLS }, (_, index) => outlive(torture, gateway as Gateway, sent, index))
        await untilBegun(gateway, sent.wallet, before + CALLS)
        await Bun.sleep(random.below(200))
        await database.kill()
        await Promise.all(streams)
        const files = readdirSync(join(gateway.home.dataDir, 'journal'))
        findings.must(files.length > 0, 'responses completed during the outage, and there is no journal')
        journaled += files.length
        await gateway.kill()
        await database.restart()
        gateway = await startGateway({ home: gateway.home })
        await untilServing(gateway, sent, findings)
      }
      const last = gateway
      await settledWithin(REAPED_WITHIN_MS, () => checkAll(last, [sent]), findings)
      const complete = sent.seen.filter((seen) => seen.complete).length
      findings.must(complete > (outages * CALLS) / 2, `only ${complete} responses completed during the outage`)
      return `${outages} outages, ${complete} of ${sent.seen.length} answered in full, ${journaled} journals applied`
    } finally {
      await gateway.stop()
      await sandbox.stop()
    }
  },
}

async function outlive(
  { random }: Torture,
  gateway: Gateway,
  { wallet, seen }: WalletCalls,
  index: number,
): Promise<void> {
  const dialect = random.pick(['chat', 'responses', 'messages', 'generate-content'] as const) ?? 'chat'
  const streamed = index % 3 !== 0
  const calling = { model: streamed ? 'over-chat' : 'slow-chat', streamed, prompt: OUTLIVES }
  seen.push(await call(dialect, gateway.url, wallet.secrets[0] ?? '', calling))
}
