// As many open streams in one process as its file descriptors allow: memory of each, a small request beside them, and how they end when the
// server is stopped.
import { join } from 'node:path'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { descriptorLimit } from '../../packages/http/src/system/descriptors.ts'
import { configFor, createHomeWith, type GatewayHome } from '../harness/home.ts'
import { residentBytes } from '../harness/measure.ts'
import { type BenchOptions, megabytes, type Scenario, times, verdict } from '../harness/scenario.ts'
import type { Server, UpstreamProtocol } from '../harness/server.ts'
import { startGateway, startUpstream } from '../harness/servers.ts'
import { openPath, smallRequest } from '../harness/wire.ts'
import { keepOpen } from '../load/load.ts'

const STREAMS = 10_000
/** For everything but clients and upstreams. */
const SPARE_DESCRIPTORS = 200
const CLIENT_PROCESSES = 2
const WARM_UP = 500
const WATCH_MS = 10_000
const DRAIN = '1s'

type Memory = { protocol: UpstreamProtocol; count: number; idle: number; opened: number; later: number }
type Ending = { seconds: number; whole: number }

export const manyStreams: Scenario = {
  number: 21,
  title: `${STREAMS} idle streams in one process`,
  async run(options) {
    const measured: (Memory & Ending)[] = []
    for (const protocol of ['http', 'https/2'] as const) measured.push(await onGateway(protocol, options))
    const each = ({ opened, later, idle, count }: Memory) => (Math.max(opened, later) - idle) / count
    return {
      columns: [
        'upstream',
        'streams',
        'resident idle',
        'when opened',
        'later',
        'each above idle',
        'stopped in',
        'whole',
      ],
      rows: measured.map((one) => [
        one.protocol,
        String(one.count),
        ...[one.idle, one.opened, one.later].map(megabytes),
        `${(each(one) / 1024).toFixed(1)} KiB`,
        `${one.seconds.toFixed(1)} s`,
        String(one.whole),
      ]),
      verdicts: measured.flatMap((one) => {
        const name = `${one.count} idle streams over ${one.protocol}`
        return [
          ...(one.protocol === 'http' ? [verdict(`${name}: memory each`, each(one), 24 * 1024, kibibytes)] : []),
          verdict(`${name}: opened to those that a stop brought to their end`, one.count / one.whole, 1, times),
        ]
      }),
    }
  },
}

const kibibytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

/** Streams over HTTP/1.1 need a connection to the upstream each. */
const countFor = (protocol: UpstreamProtocol, { quick }: BenchOptions): number =>
  Math.min(
    quick ? STREAMS / 10 : STREAMS,
    Math.floor((descriptorLimit() - SPARE_DESCRIPTORS) / (protocol === 'http' ? 2 : 1)),
  )

/** One account may have half of all slots. */
const configOf = (count: number): string =>
  `server: { drain: ${DRAIN}, limits: { in_flight: ${3 * count}, connections: ${count + 100} } }\n`

async function onGateway(protocol: UpstreamProtocol, options: BenchOptions): Promise<Memory & Ending> {
  const count = countFor(protocol, options)
  const upstream = await startUpstream([], protocol)
  const home = await createHomeWith(configFor(upstream, openPath) + configOf(count))
  try {
    const measured = await watch(await startGateway(home), home, protocol, count, options)
    await checkBooks(home)
    return measured
  } finally {
    await upstream.stop()
    home.remove()
  }
}

/** Each stream was charged or released before the process ended. */
async function checkBooks({ folder }: GatewayHome): Promise<void> {
  const storage = await openSqlite(join(folder, 'data'))
  const { ok } = await storage.ledger.audit()
  const { openHolds } = await storage.ledger.totals()
  await storage.close()
  if (!ok || openHolds > 0) throw new Error(`after the stop the audit says ok: ${ok}, and ${openHolds} holds are open`)
}

async function watch(
  server: Server,
  { keys }: GatewayHome,
  protocol: UpstreamProtocol,
  count: number,
  { quick, say }: BenchOptions,
): Promise<Memory & Ending> {
  const plan = { host: '127.0.0.1', port: server.port, path: server.pathOf(openPath), keys, reader: 'waits' as const }
  const ofEach = { ...plan, body: smallRequest('bench', true), connections: count / CLIENT_PROCESSES }
  const clients: Awaited<ReturnType<typeof keepOpen>>[] = []
  try {
    // Some before, so that compiled code and other one-time allocations are not counted as the streams'.
    const before = await keepOpen({ ...ofEach, connections: WARM_UP, requests: WARM_UP })
    await before.close()
    await Bun.sleep(2_000)
    const idle = residentBytes(server.pid)
    const all = Array.from({ length: CLIENT_PROCESSES }, () => keepOpen({ ...ofEach, requests: ofEach.connections }))
    clients.push(...(await Promise.all(all)))
    const opened = residentBytes(server.pid)
    await Bun.sleep(quick ? 2_000 : WATCH_MS)
    const later = residentBytes(server.pid)
    const from = performance.now()
    const ended = Promise.all(clients.map((client) => client.ended()))
    const code = await server.terminate()
    const seconds = (performance.now() - from) / 1_000
    const whole = (await ended).reduce((sum, each) => sum + each, 0)
    say(`  ${protocol}: ${count} streams, idle ${megabytes(idle)}, then ${megabytes(opened)}, ${megabytes(later)}`)
    say(`  stopped in ${seconds.toFixed(1)} s with code ${code}: ${whole} streams came to their end`)
    return { protocol, count, idle, opened, later, seconds, whole }
  } finally {
    for (const client of clients) await client.close()
    await server.stop()
  }
}
