// Memory of open streams and of stalled readers.
import { createHome, type GatewayHome } from '../harness/home.ts'
import { residentBytes } from '../harness/measure.ts'
import { type BenchOptions, megabytes, type Scenario, times, verdict } from '../harness/scenario.ts'
import type { Server } from '../harness/server.ts'
import { startBare, startGateway, startUpstream } from '../harness/servers.ts'
import { agentRequest, openPath, smallRequest, streamPath } from '../harness/wire.ts'
import { keepOpen, type LoadPlan, load } from '../load/load.ts'

type Memory = { idle: number; samples: number[] }

const SAMPLE_EVERY_MS = 3_000
const OPEN_STREAMS = 2_000
const STALLED = 300
/** 20 MB in pieces of some 60 KB. */
const LONG = { events: 66_000, perWrite: 200, everyMs: 0 }

export const openStreams: Scenario = {
  number: 4,
  title: `${OPEN_STREAMS} open streams with 76 KB requests`,
  async run(options) {
    const count = options.quick ? OPEN_STREAMS / 10 : OPEN_STREAMS
    const plan = { body: agentRequest('bench', true), connections: count, requests: count, reader: 'waits' as const }
    const memory = await onBoth(openPath, plan, options.quick ? 3_000 : 12_000, options)
    return {
      ...tableOf(memory, count),
      verdicts: [
        verdict(`${count} open streams with 76 KB requests: resident`, peak(memory.gateway), 250e6, megabytes),
      ],
    }
  },
}

export const stalledReaders: Scenario = {
  number: 5,
  title: `${STALLED} stalled readers of 20 MB streams`,
  async run(options) {
    const plan = {
      body: smallRequest('bench', true),
      connections: STALLED,
      requests: STALLED,
      reader: 'stalls' as const,
    }
    const memory = await onBoth(streamPath(LONG), plan, options.quick ? 10_000 : 60_000, options)
    const each = (name: 'bare' | 'gateway') => growth(memory[name]) / STALLED
    // Buffers may still fill during the first sample; from the second on memory must not grow.
    const [, settled = Number.NaN, ...later] = memory.gateway.samples
    const drift = Math.max(...later) / settled
    return {
      ...tableOf(memory, STALLED),
      verdicts: [
        verdict('stalled readers: memory each, above idle', each('gateway'), 2e6, megabytes),
        verdict('stalled readers: resident, to bare relay', peak(memory.gateway) / peak(memory.bare), 1.3, times),
        verdict('stalled readers: most later on, to the second sample', drift, 1.05, times),
      ],
    }
  },
}

const peak = ({ samples }: Memory): number => Math.max(...samples)
const growth = (memory: Memory): number => peak(memory) - memory.idle

function tableOf(memory: Record<'bare' | 'gateway', Memory>, count: number) {
  const rows = Object.entries(memory).map(([name, each]) => [
    name,
    megabytes(each.idle),
    megabytes(each.samples[0] ?? Number.NaN),
    megabytes(peak(each)),
    megabytes(each.samples.at(-1) ?? Number.NaN),
    `${(growth(each) / count / 1000).toFixed(0)} KB`,
  ])
  return { columns: ['', 'resident idle', 'at first', 'at most', 'at last', 'each above idle'], rows }
}

type Part = Pick<LoadPlan, 'body' | 'connections' | 'requests' | 'reader'>

async function onBoth(path: string, plan: Part, watchMs: number, options: BenchOptions) {
  const upstream = await startUpstream()
  const home = await createHome(upstream, path)
  try {
    const bare = await watch(await startBare(upstream), home, path, plan, watchMs, options)
    const gateway = await watch(await startGateway(home), home, path, plan, watchMs, options)
    return { bare, gateway }
  } finally {
    await upstream.stop()
    home.remove()
  }
}

async function watch(
  server: Server,
  { keys }: GatewayHome,
  path: string,
  part: Part,
  watchMs: number,
  { say }: BenchOptions,
): Promise<Memory> {
  const plan: LoadPlan = { ...part, host: '127.0.0.1', port: server.port, path: server.pathOf(path), keys }
  try {
    // A first request, so that one-time allocations are not counted as the streams'.
    if (part.reader === 'stalls') await load({ ...plan, connections: 1, requests: 1, reader: 'reads' })
    await Bun.sleep(500)
    const idle = residentBytes(server.pid)
    const opened = await keepOpen(plan)
    const samples: number[] = []
    for (let passed = 0; passed < watchMs; passed += SAMPLE_EVERY_MS) {
      await Bun.sleep(SAMPLE_EVERY_MS)
      samples.push(residentBytes(server.pid))
    }
    await opened.close()
    say(`  ${server.name}: idle ${megabytes(idle)}, then ${samples.map(megabytes).join(', ')}`)
    return { idle, samples }
  } finally {
    await server.stop()
  }
}
