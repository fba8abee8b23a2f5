// Does the CPU cost of a request grow with the ledger? The same load on a gateway with an empty ledger and on one with
// millions of requests, in alternation, so that disturbances affect both.
// (That one locked account delays no other is shown in packages/gateway/src/storage/postgres/contention.test.ts.)

import { cpuMicros, median } from '../../bench/harness/measure.ts'
import { startUpstream } from '../../bench/harness/servers.ts'
import { CHAT, jsonPath, smallRequest } from '../../bench/harness/wire.ts'
import { load } from '../../bench/load/load.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import type { Engine } from '../../test/support/gateway/home.ts'
import { backendsOf } from '../../test/support/postgres/backends.ts'
import { checkAudit } from '../check-ledger.ts'
import { fillLedger } from '../fill-ledger.ts'
import type { Scenario, Torture } from '../scenario.ts'
import { newWallet, startGateways, type Wallet } from '../setup.ts'
import { SIZES } from '../sizes.ts'

/** At most a tenth more. The sample has few and short rounds, which show only large differences. */
const MOST = { small: 2, full: 1.1 }
const CONNECTIONS = 32
const AUDITED_WITHIN_MS = 600_000
const KEYS = 20

const rows = (engine: Engine): Scenario => ({
  name: `rows-${engine}`,
  title: `a request beside millions of others in the ledger, on ${engine}`,
  run: (torture) => run(engine, torture),
})

export const rowsSqlite = rows('sqlite')
export const rowsPostgres = rows('postgres')

type Side = { gateway: Gateway; wallet: Wallet; cpu: number[] }

async function run(engine: Engine, torture: Torture): Promise<string> {
  const { findings, say, size } = torture
  const count = SIZES[size].ledgerRows[engine]
  const upstream = await startUpstream()
  const config = configFor(`http://127.0.0.1:${upstream.port}${jsonPath}`)
  const sides: Side[] = []
  try {
    for (const filled of [false, true]) sides.push(await open(engine, config, filled ? count : 0, say))
    if (size === 'full') await Promise.all(sides.map(({ gateway }) => untilAudited(gateway)))
    for (const side of sides) await measure(side, SIZES[size].ledgerRequests)
    for (const side of sides) side.cpu = []
    for (let round = 0; round < (torture.rounds ?? SIZES[size].ledgerRounds); round++) {
      for (const side of sides) await measure(side, SIZES[size].ledgerRequests)
      say(`  round ${round + 1}: ${sides.map(({ cpu }) => `${cpu.at(-1)?.toFixed(0)} us`).join(', ')}`)
    }
    const [empty, full] = sides
    if (!empty || !full) throw new Error('two gateways are needed')
    const ratio = full.cpu.map((cpu, round) => cpu / (empty.cpu[round] ?? Number.NaN))
    const judged = size === 'full' ? median(ratio) : Math.min(...ratio)
    findings.must(judged <= MOST[size], `a request costs ${judged.toFixed(2)} times the CPU beside ${count} others`)
    await checkAudit(full.gateway, findings, true)
    const [before, after] = [median(empty.cpu).toFixed(0), median(full.cpu).toFixed(0)]
    return `${count} requests in the ledger: ${after} us of CPU for one more, ${before} in an empty one; median ratio ${median(ratio).toFixed(3)}`
  } finally {
    for (const { gateway } of sides) await gateway.stop()
    await upstream.stop()
  }
}

/** Waits for the audit after the start, which takes a minute of CPU here and is not part of a request. */
async function untilAudited(gateway: Gateway): Promise<void> {
  const end = performance.now() + AUDITED_WITHIN_MS
  while (!gateway.output().stderr.includes('audit: ')) {
    if (performance.now() > end) throw new Error('the gateway has not audited its books')
    await Bun.sleep(500)
  }
}

const configFor = (baseUrl: string): string => `
upstreams:
  - { id: fixed, dialect: chat, base_url: "${baseUrl}", keys: ["none"] }
models:
  - { id: bench, routes: [{ upstream: fixed }], price: { input: 2.00, output: 8.00 } }
`

async function open(engine: Engine, config: string, count: number, say: (line: string) => void): Promise<Side> {
  const [first] = await startGateways(engine, 1, config)
  if (!first) throw new Error('no gateway')
  const wallet = await newWallet(first, '1000000', KEYS)
  if (count === 0) return { gateway: first, wallet, cpu: [] }
  await first.kill()
  const began = performance.now()
  await fillLedger(first.home, count)
  const startedAt = performance.now()
  const gateway = await startGateway({ home: first.home })
  const took = (performance.now() - startedAt).toFixed(0)
  say(`  ${count} requests written in ${((startedAt - began) / 1_000).toFixed(0)} s; ready ${took} ms after the start`)
  return { gateway, wallet, cpu: [] }
}

/** CPU per request, of the gateway and its database backends. */
async function measure(side: Side, requests: number): Promise<void> {
  const { gateway, wallet } = side
  const pids = [gateway.pid, ...(await backendsOf(gateway))]
  const used = () => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0)
  const before = used()
  await load({
    host: '127.0.0.1',
    port: Number(new URL(gateway.url).port),
    path: `/v1${CHAT}`,
    reader: 'reads',
    requests,
    body: smallRequest('bench', false),
    keys: wallet.secrets,
    connections: CONNECTIONS,
  })
  side.cpu.push((used() - before) / requests)
}
