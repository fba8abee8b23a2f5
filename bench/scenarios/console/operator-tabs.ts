// What open tabs of operators cost a gateway that is otherwise idle, on both engines: half of them show the overview and half the requests,
// polled every 5 seconds as the console does, and all of them the open alerts, every 15 seconds, with what the browser already has.

import { adminClient } from '../../../test/support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../../../test/support/gateway/gateway.ts'
import { type Home, newHome, runCommand } from '../../../test/support/gateway/home.ts'
import { operate } from '../../../test/support/gateway/operate.ts'
import { backendsOf } from '../../../test/support/postgres/backends.ts'
import { fillMany, type ManyPlan } from '../../../tools/fill/fill-many.ts'
import { cpuMicros } from '../../harness/measure.ts'
import { type BenchOptions, type Outcome, type Scenario, verdict } from '../../harness/scenario.ts'

const TABS = 20
const EVERY_MS = 5_000
/** The foot of the navigation asks for them once in so many polls of a page. */
const ALERTS_EVERY = 3
const WARM_UP_MS = 15_000
const MOST_SHARE = 0.02
const FULL = { accounts: 10_000, keysOfEach: 10, requests: 1_000_000, days: 30 }
const QUICK = { accounts: 200, keysOfEach: 10, requests: 20_000, days: 30 }
const ROLES = ['owner', 'viewer']
/** The ranges of the first tabs; the others show the default. */
const RANGES = ['1h', '7d', '1h', '7d']

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`

export const operatorTabs: Scenario = {
  number: 18,
  title: `${TABS} open tabs of operators beside an idle gateway with ${FULL.requests.toLocaleString('en')} requests`,
  run: measure,
}

async function measure({ quick, say }: BenchOptions): Promise<Outcome> {
  const models = Array.from({ length: 10 }, (_, index) => ({
    id: `model-${index}`,
    input: BigInt(index + 1) * 1_000_000_000n,
    output: BigInt(index + 4) * 1_000_000_000n,
    upstream: 'main',
  }))
  const plan: ManyPlan = { ...(quick ? QUICK : FULL), models }
  const homes = { SQLite: await filled(plan), PostgreSQL: await moved(await filled(plan)) }
  say('  filled')
  const shares = new Map<string, { idle: number; tabs: number }>()
  for (const [engine, home] of Object.entries(homes)) {
    const share = await shareOf(home, quick ? 30_000 : 60_000)
    shares.set(engine, share)
    say(`  ${engine}: idle ${percent(share.idle)}, with tabs ${percent(share.tabs)}`)
  }
  return {
    columns: ['Engine', 'idle', `with ${TABS} tabs`],
    rows: [...shares].map(([engine, { idle, tabs }]) => [engine, percent(idle), percent(tabs)]),
    verdicts: [...shares].map(([engine, { idle, tabs }]) =>
      verdict(`${TABS} tabs of operators on ${engine}: of one core, above idle`, tabs - idle, MOST_SHARE, percent),
    ),
  }
}

async function filled(plan: ManyPlan): Promise<Home> {
  const home = await newHome('sqlite')
  await fillMany(home.dataDir, plan)
  return home
}

/** The same data in PostgreSQL. */
async function moved(from: Home): Promise<Home> {
  const home = await newHome('postgres')
  const { code, stderr } = await runCommand(from, ['migrate', '--to', home.databaseUrl ?? ''])
  if (code !== 0) throw new Error(stderr)
  return home
}

/** CPU time of the gateway, and of its connections to the database, as a part of one core. */
async function shareOf(home: Home, ms: number): Promise<{ idle: number; tabs: number }> {
  const gateway = await startGateway({ home })
  try {
    while (!gateway.output().stderr.includes('audit: ')) await Bun.sleep(100)
    const polls = await openTabs(gateway)
    const used = async () => {
      const pids = [gateway.pid, ...(await backendsOf(gateway))]
      return pids.reduce((sum, pid) => sum + cpuMicros(pid), 0)
    }
    const during = async (work: () => Promise<unknown>) => {
      const [before, begun] = [await used(), performance.now()]
      await work()
      return ((await used()) - before) / 1_000 / (performance.now() - begun)
    }
    // What is shared for long, such as sums of last week, is read once; then as it is for hours.
    await Promise.all(polls.map((poll) => polled(poll, WARM_UP_MS)))
    const idle = await during(() => Bun.sleep(ms))
    const tabs = await during(() => Promise.all(polls.map((poll) => polled(poll, ms))))
    return { idle, tabs }
  } finally {
    await gateway.stop()
  }
}

type Poll = () => Promise<void>

/** Each at a moment of its own within the interval. */
async function polled(poll: Poll, ms: number): Promise<void> {
  const end = performance.now() + ms
  for (let next = performance.now() + Math.random() * EVERY_MS; next < end; next += EVERY_MS) {
    await Bun.sleep(Math.max(0, next - performance.now()))
    await poll()
  }
  await Bun.sleep(Math.max(0, end - performance.now()))
}

async function openTabs(gateway: Gateway): Promise<Poll[]> {
  const secrets = await Promise.all(
    ROLES.map(async (role) => {
      const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      return secret
    }),
  )
  return Array.from({ length: TABS }, (_, tab) => {
    const ask = adminClient(gateway.url, secrets[tab % secrets.length])
    const shown = tab % 4 < 2 ? `overview?range=${RANGES[tab] ?? '24h'}` : 'requests'
    const known = new Map<string, string>()
    let polls = 0
    return async () => {
      const hasAlerts = polls++ % ALERTS_EVERY === 0
      for (const path of [shown, ...(hasAlerts ? ['alerts?state=open&limit=100'] : [])]) {
        const tag = known.get(path)
        const { status, headers } = await ask('GET', path, { headers: tag ? { 'if-none-match': tag } : {} })
        if (status !== 200 && status !== 304) throw new Error(`${path}: ${status}`)
        known.set(path, headers.get('etag') ?? '')
      }
    }
  })
}
