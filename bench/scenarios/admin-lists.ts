// What the operators' pages, the lists of the admin API, and sums of usage in every grouping cost a gateway with many accounts.
import { USAGE_DIMENSIONS } from '../../packages/gateway/src/storage/console/reports.ts'
import { adminClient } from '../../test/support/admin/admin-client.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { newHome } from '../../test/support/gateway/home.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { fillMany } from '../../tools/fill/fill-many.ts'
import { fillRecords } from '../../tools/fill/fill-records.ts'
import { cpuMicros } from '../harness/measure.ts'
import { type BenchOptions, millis, type Outcome, type Scenario, verdict } from '../harness/scenario.ts'
import { type CallCost, costOf } from './console/measure-calls.ts'
import { operatorReads } from './console/operator-reads.ts'

const FULL = { accounts: 10_000, keysOfEach: 10, requests: 1_000_000, days: 30 }
const QUICK = { accounts: 200, keysOfEach: 10, requests: 20_000, days: 30 }
const MOST_LIST_MS = 50
const MOST_USAGE_MS = 300
/** They read all sums of the range, on a thread of their own. */
const MOST_SORTED_MS = 1_000
const CALLS_PER_ROUND = 5
const AUDITED_WITHIN_MS = 300_000
const DAY_MS = 86_400_000
const NANOS = 1_000_000_000n
/** As many rejected requests as are kept. */
const RECORDS = { rejected: 100_000, codes: 10_000, audited: 20_000 }
const UPSTREAMS = ['main', 'spare', 'local']
const MODELS = Array.from({ length: 10 }, (_, index) => `model-${index}`)
const upstreamOf = (index: number): string => UPSTREAMS[index % UPSTREAMS.length] ?? 'main'
const CONFIG = [
  'upstreams:',
  ...UPSTREAMS.map((id) => `  - { id: ${id}, dialect: chat, base_url: "http://127.0.0.1:9/v1", keys: ["none"] }`),
  'models:',
  ...MODELS.map(
    (id, index) =>
      `  - { id: ${id}, routes: [{ upstream: ${upstreamOf(index)}, model: ${id} }], price: { input: 1, output: 4 } }`,
  ),
].join('\n')

/** Weeks and months are added up from days, as days are. */
const DIMENSIONS = USAGE_DIMENSIONS.filter((each) => each !== 'week' && each !== 'month')

/** `first`: microseconds of CPU of the first call, for which nothing was shared or kept. */
type Measured = { path: string; first: number; cost: CallCost }

export const adminLists: Scenario = {
  number: 17,
  title: `Admin API with ${FULL.requests.toLocaleString('en')} requests, ${(FULL.accounts * FULL.keysOfEach).toLocaleString('en')} keys and ${FULL.accounts.toLocaleString('en')} accounts in a month`,
  run: measure,
}

async function measure({ rounds, quick, say }: BenchOptions): Promise<Outcome> {
  const plan = quick ? QUICK : FULL
  const home = await newHome('sqlite', CONFIG)
  const models = MODELS.map((id, index) => ({
    id,
    input: BigInt(index + 1) * NANOS,
    output: BigInt(4 * (index + 1)) * NANOS,
    upstream: upstreamOf(index),
  }))
  await fillMany(home.dataDir, { ...plan, models })
  fillRecords(home.dataDir, { ...RECORDS, keys: plan.accounts * plan.keysOfEach })
  say('  filled')
  const gateway = await startGateway({ home })
  try {
    await audited(gateway)
    const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'bench', role: 'owner' })
    const ask = adminClient(gateway.url, secret)
    const get = async (path: string) => {
      const { status, body } = await ask('GET', path)
      return { status, text: JSON.stringify(body) }
    }
    const measured: Measured[] = []
    for (const path of new Set([...operatorReads(Date.now()), ...paths()])) {
      const before = cpuMicros(gateway.pid)
      await get(path)
      const first = cpuMicros(gateway.pid) - before
      const cost = await costOf({ gateway, client: { get } }, { name: path, path }, rounds, CALLS_PER_ROUND)
      measured.push({ path, first, cost })
      say(`  ${decodeURIComponent(path)}: ${millis(cost.gateway / 1_000)}, at first ${millis(first / 1_000)}`)
    }
    return outcomeOf(measured)
  } finally {
    await gateway.stop()
  }
}

/** The audit after the start reads the whole ledger. */
async function audited(gateway: Gateway): Promise<void> {
  const end = performance.now() + AUDITED_WITHIN_MS
  while (!gateway.output().stderr.includes('audit: ') && performance.now() < end) await Bun.sleep(100)
}

function paths(): string[] {
  const now = Date.now()
  const iso = (ms: number) => new Date(ms).toISOString()
  const day = (ms: number) => iso(ms).slice(0, 10)
  const yesterday = `from=${day(now - 2 * DAY_MS)}T00:00:00Z&to=${day(now - DAY_MS)}T00:00:00Z`
  const month = `from=${day(now - 29 * DAY_MS)}&to=${day(now + DAY_MS)}`
  const groupings = Array.from({ length: 2 ** DIMENSIONS.length }, (_, set) =>
    DIMENSIONS.filter((_, index) => set & (1 << index)),
  )
  return [
    ...['accounts', 'accounts?state=deleted', 'accounts?email=user-99', 'accounts?after=9000'],
    ...['keys', 'keys?group=trial', 'keys?state=expired', 'keys?name=nothing', 'keys?account=77', 'keys?before=500'],
    `keys?unused_since=${iso(now - 10 * DAY_MS)}`,
    ...['people', 'people?role=owner', 'codes', 'audit-log', 'nodes', 'jobs', 'tasks'],
    ...['requests', 'requests?account=77', 'requests?key=90001', 'requests?model=nothing', 'requests?outcome=failed'],
    ...['requests?outcome=expired', 'requests?error_code=nothing', `requests?${yesterday}&upstream=nothing`],
    ...['ledger/transfers', 'ledger/transfers?kind=credit', 'ledger/transfers?account=77'],
    `ledger/transfers?${yesterday}&kind=shortfall`,
    ...groupings.map((by) => `usage?${month}${by.length === 0 ? '' : `&group_by=${by.join(',')}`}`),
    ...['account', 'key', 'model', 'account,model'].map((by) => `usage?${month}&group_by=${by}&sort=-charged`),
    ...['ledger/accounts', 'ledger/audits'],
    ...['account', 'key', 'model'].map((by) => `usage?${month}T05:00:00Z&group_by=${by}`),
  ]
}

function outcomeOf(measured: readonly Measured[]): Outcome {
  const isSorted = ({ path }: Measured) => path.includes('&sort=')
  const isUsage = (each: Measured) => each.path.startsWith('usage') && !isSorted(each)
  const isList = (each: Measured) => !isUsage(each) && !isSorted(each)
  const dearest = (some: readonly Measured[]) => Math.max(...some.map(({ cost }) => cost.gateway / 1_000))
  const atFirst = (some: readonly Measured[]) => Math.max(...some.map(({ first }) => first / 1_000))
  return {
    columns: ['GET /admin/v1/', 'CPU', 'first call', 'bytes'],
    rows: measured.map(({ path, first, cost }) => [
      decodeURIComponent(path),
      millis(cost.gateway / 1_000),
      millis(first / 1_000),
      String(cost.bytes),
    ]),
    verdicts: [
      verdict('A list of the admin API', dearest(measured.filter(isList)), MOST_LIST_MS, millis),
      verdict('Usage of a month in any grouping', dearest(measured.filter(isUsage)), MOST_USAGE_MS, millis),
      verdict('The largest sums of a month', dearest(measured.filter(isSorted)), MOST_SORTED_MS, millis),
      verdict('The first call of any of them', atFirst(measured), MOST_SORTED_MS, millis),
    ],
  }
}
