// `npm run scaling`: one PostgreSQL, one gateway with 1, 2, ... workers in front of it, the same load for each. Prints the
// table of docs/decisions/measured-scaling.md. Everything runs on this machine and shares its CPUs: the figures show what a request costs
// and where, and how far this machine goes, not what a larger one would do.
//
//   npm run scaling -- --workers 1,2,4     --rounds 3     --requests 4000     --connections 32     --accounts 50
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { hashSecret } from '../packages/gateway/src/access/authenticate.ts'
import { newApiKey } from '../packages/gateway/src/access/secrets/new-secrets.ts'
import { CREDIT } from '../packages/gateway/src/money/ledger.ts'
import { NO_LIMITS } from '../packages/gateway/src/money/limits.ts'
import { openPostgres } from '../packages/gateway/src/storage/postgres/open-postgres.ts'
import { NO_RESTRICTIONS } from '../packages/gateway/src/storage/storage.ts'
import { childrenOf, launchPostgres } from '../test/support/postgres/postgres.ts'
import { gatewayEnvironment, MAIN } from './harness/home.ts'
import { cpuMicros, median } from './harness/measure.ts'
import { childOf, untilLine } from './harness/processes.ts'
import { table } from './harness/report.ts'
import { startUpstream, untilReady } from './harness/servers.ts'
import { CHAT, jsonPath, smallRequest } from './harness/wire.ts'
import { load } from './load/load.ts'

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2' },
    rounds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '4000' },
    connections: { type: 'string', default: '32' },
    // Verbs of one account are decided one after the other: one account alone shows the ceiling of a hot one.
    accounts: { type: 'string', default: '50' },
  },
})
const options = [values.rounds, values.requests, values.connections, values.accounts].map(Number)
const [rounds = 0, requests = 0, connections = 0, accounts = 0] = options
const counts = values.workers.split(',').map(Number)
if (![...options, ...counts].every((count) => Number.isInteger(count) && count > 0)) {
  console.error('scaling: all options take whole numbers from 1')
  process.exit(1)
}

const START_WITHIN_MS = 30_000
const WARM_UP_CONNECTIONS = 64

type Sample = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  gatewayMicros: number
  postgresMicros: number
  /** Verbs of the ledger in a transaction: each request has two. */
  verbs: number
}

const folder = mkdtempSync(join(tmpdir(), 'trivium-scaling-'))
const postgres = await launchPostgres()
const upstream = await startUpstream()
writeFileSync(
  join(folder, 'trivium.yaml'),
  `sandbox: false
upstreams: [{ id: fixed, dialect: chat, base_url: "http://127.0.0.1:${upstream.port}${jsonPath}", keys: [none] }]
models: [{ id: bench, routes: [{ upstream: fixed }], price: { input: 2, output: 8 } }]
`,
)
const databaseUrl = await postgres.freshDatabase()
const sql = new SQL(databaseUrl, { max: 1 })
const keys = await createKeys(databaseUrl)

async function createKeys(url: string): Promise<string[]> {
  const storage = await openPostgres(url)
  const secrets: string[] = []
  for (let index = 0; index < accounts; index += 1) {
    const account = await storage.accounts.create(`bench-${index}@example.com`, 1_000_000_000_000_000n, CREDIT)
    if (!account) throw new Error('no account')
    const secret = newApiKey()
    const none = { expiresAt: undefined, cap: undefined, capPeriod: undefined }
    const key = {
      account: account.id,
      hash: hashSecret(secret),
      name: 'bench',
      group: 'default',
      madeBy: 'command-line' as const,
    }
    await storage.keys.create({ ...key, ...none, limits: NO_LIMITS, restrictions: NO_RESTRICTIONS })
    secrets.push(secret)
  }
  await storage.close()
  return secrets
}

/** CPU time that processes have used so far. A worker of PostgreSQL's vacuum may have ended meanwhile: what it used is not counted. */
function cpuOf(pids: readonly number[]): Map<number, number> {
  const used = new Map<number, number>()
  for (const pid of pids) if (existsSync(`/proc/${pid}`) || process.platform !== 'linux') used.set(pid, cpuMicros(pid))
  return used
}

const usedSince = (before: Map<number, number>): number =>
  [...cpuOf([...before.keys()])].reduce((sum, [pid, now]) => sum + now - (before.get(pid) ?? 0), 0)

async function measure(workers: number): Promise<{ sample: Sample; open: number }> {
  const store = { DATABASE_URL: databaseUrl, TRIVIUM_SECRET: 'the secret of a measurement' }
  const environment = { ...gatewayEnvironment({ folder }, 0), ...store, TRIVIUM_WORKERS: String(workers) }
  const gateway = childOf(`${workers} workers`, [process.execPath, MAIN, 'serve'], environment)
  try {
    const port = Number(await untilLine(gateway, /address\s+http:\/\/[^:]+:(\d+)/, START_WITHIN_MS))
    await untilReady(port, gateway)
    const plan = { host: '127.0.0.1', port, path: `/v1${CHAT}`, body: smallRequest('bench', false), keys, connections }
    // Each worker compiles its code. Over few connections: a cold gateway would shed a part of the load.
    const few = Math.min(connections, WARM_UP_CONNECTIONS)
    await load({ ...plan, connections: few, requests: Math.ceil(requests / 4) * workers, reader: 'reads' })
    const ours = [gateway.pid, ...childrenOf(gateway.pid)]
    const theirs = [postgres.pid, ...childrenOf(postgres.pid)]
    const before = [cpuOf(ours), cpuOf(theirs)]
    const firstTransaction = await transactions()
    const { requestsPerSecond: perSecond, p50Ms, p99Ms } = await load({ ...plan, requests, reader: 'reads' })
    const [gatewayMicros = 0, postgresMicros = 0] = before.map((processes) => usedSince(processes) / requests)
    const verbs = (2 * requests) / ((await transactions()) - firstTransaction)
    const open = await openConnections()
    return { sample: { perSecond, p50Ms, p99Ms, gatewayMicros, postgresMicros, verbs }, open }
  } finally {
    const orphans = childrenOf(gateway.pid)
    await gateway.stop()
    // A killed parent cannot stop its workers, which would keep accepting connections for a while.
    for (const pid of orphans) process.kill(pid, 'SIGKILL')
    await Bun.sleep(200)
  }
}

async function openConnections(): Promise<number> {
  const [row] = await sql.unsafe(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE 'trivium%'",
  )
  return Number(row?.n)
}

/** Those that wrote anything, which under load are nearly all the ledger's. */
async function transactions(): Promise<number> {
  const [row] = await sql.unsafe('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next')
  return Number(row?.next)
}

/** Bytes of the write-ahead log so far, and of the database. */
async function written(): Promise<[number, number]> {
  const [row] = await sql.unsafe(
    "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS log, pg_database_size(current_database())::float8 AS size",
  )
  return [Number(row?.log), Number(row?.size)]
}

/** Every run ends with the proof that its books are right. */
async function audit(): Promise<void> {
  const storage = await openPostgres(databaseUrl)
  const { ok, requests: audited } = await storage.ledger.audit()
  await storage.close()
  if (!ok) throw new Error('the audit found mistakes in the ledger')
  const [log, size] = (await written()).map((bytes, index) => (bytes - (atFirst[index] ?? 0)) / audited / 1_000)
  console.log(
    `\n${audited} requests, audit ok; ${log?.toFixed(1)} KB of log and ${size?.toFixed(2)} KB of database for each`,
  )
}

const atFirst = await written()
const samples = new Map<number, Sample[]>(counts.map((count) => [count, []]))
const open = new Map<number, number>()
for (let round = 1; round <= rounds; round += 1) {
  for (const workers of counts) {
    console.error(`round ${round} of ${rounds}: ${workers} workers`)
    const measured = await measure(workers)
    samples.get(workers)?.push(measured.sample)
    open.set(workers, Math.max(open.get(workers) ?? 0, measured.open))
  }
}
const columns = [
  'workers',
  'requests/s',
  'p50',
  'p99',
  'gateway CPU each',
  'PostgreSQL CPU each',
  'verbs per transaction',
  'connections',
]
const rows = counts.map((workers) => {
  const of = (figure: keyof Sample) => median((samples.get(workers) ?? []).map((sample) => sample[figure]))
  return [
    String(workers),
    of('perSecond').toFixed(0),
    `${of('p50Ms').toFixed(1)} ms`,
    `${of('p99Ms').toFixed(0)} ms`,
    `${of('gatewayMicros').toFixed(0)} us`,
    `${of('postgresMicros').toFixed(0)} us`,
    of('verbs').toFixed(0),
    String(open.get(workers)),
  ]
})
console.log(`${cpus().length} x ${cpus()[0]?.model.trim()}, Bun ${Bun.version}, medians of ${rounds} rounds,`)
console.log(`${requests} requests of ${accounts} accounts over ${connections} connections in each\n`)
console.log(table(columns, rows))
await audit()
await sql.close()
await upstream.stop()
await postgres.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
