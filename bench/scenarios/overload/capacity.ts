// Three times the capacity for a minute: goodput, the cost of a rejection, and the time until recovery. Once with a capacity
// set by the configuration (a slow upstream and a concurrency limit), and with that of one CPU.
import { cpus } from 'node:os'
import { createHomeWith, type GatewayHome, gatewayEnvironment, MAIN } from '../../harness/home.ts'
import { cpuMicros, mean, median, residentBytes } from '../../harness/measure.ts'
import { type Child, childOf, untilLine } from '../../harness/processes.ts'
import {
  type BenchOptions,
  megabytes,
  micros,
  millis,
  type Outcome,
  type Scenario,
  times,
  verdict,
} from '../../harness/scenario.ts'
import { startUpstream, untilReady } from '../../harness/servers.ts'
import { CHAT, jsonPath, openPath, slowPath, smallRequest, streamPath } from '../../harness/wire.ts'
import { keepOpen } from '../../load/load.ts'
import { type Second, type SteadyPlan, type SteadyResult, steadyLoad } from '../../load/steady-load.ts'

const TIMES_CAPACITY = 3
/** Load without overload: the behaviour that the server should return to. */
const CALM_SHARE = 0.5
const ROUNDS = 5
const BACK_WITHIN_SECONDS = 10
const LEAST_GOODPUT = 0.8
const MOST_EXPENSIVE_REJECTION = 0.1

type Case = {
  title: string
  upstreamPath: string
  /** `in_flight` of `server.limits`; absent: the default. */
  inFlight?: number
  /** Enough to reach the capacity. */
  connections: number
  streamed?: true
  /** The gateway is pinned to the first CPU, upstream and load generator to the others. */
  ofProcessor?: true
}

const STREAM = { events: 100, perWrite: 10, everyMs: 0 }

const CASES: readonly Case[] = [
  { title: 'set by the configuration', upstreamPath: slowPath(100), inFlight: 64, connections: 64 },
  {
    title: 'of the processor, streams',
    upstreamPath: streamPath(STREAM),
    connections: 128,
    streamed: true,
    ofProcessor: true,
  },
  { title: 'of the processor, short JSON', upstreamPath: jsonPath, connections: 128, ofProcessor: true },
]

type Figures = {
  perSecond: number
  servedMicros: number
  /** Only if CPU-bound: otherwise most of the cost is waking up for each request. */
  shedMicros: number | undefined
  /** Only if CPU-bound: goodput with three times as many closed-loop clients. */
  crowdPerSecond: number | undefined
  calm: Second[]
  over: Second[]
  after: Second[]
  health: SteadyResult['health']
  memory: number
}

async function measure(each: Case, { quick, say }: BenchOptions): Promise<Figures> {
  const { inside, outside } = processorsOf(each)
  const upstream = await startUpstream(outside)
  const base = `http://127.0.0.1:${upstream.port}`
  const home = await createHomeWith(config(each, base))
  const gateway = await start(home, inside)
  try {
    const target = { host: '127.0.0.1', port: gateway.port, path: `/v1${CHAT}`, keys: home.keys }
    const body = smallRequest('bench', each.streamed === true)
    const phases = [{ perSecond: MORE_THAN_ENOUGH, seconds: quick ? 2 : 4 }]
    const closed = { ...target, body, phases, mostConnections: each.connections }
    const rounds = (plan: SteadyPlan) => runRounds(plan, gateway.pid, outside)
    say('   capacity')
    // Warm-up for the JIT.
    await rounds(closed)
    const before = await rounds(closed)
    const perSecond = pace(before)
    say(`   ${perSecond.toFixed(0)} per second; now ${TIMES_CAPACITY} times as much`)
    const calm = { perSecond: Math.ceil(perSecond * CALM_SHARE), seconds: quick ? 3 : 5 }
    const over = { perSecond: Math.ceil(perSecond * TIMES_CAPACITY), seconds: quick ? 10 : 60 }
    const after = { ...calm, seconds: BACK_WITHIN_SECONDS }
    const [seen, memory] = await withMemory(gateway.pid, () =>
      steadyLoad({ ...closed, phases: [calm, over, after], mostConnections: 6_000 }, outside),
    )
    say('   capacity again')
    const most = [...before, ...(await rounds(closed))]
    const crowd = { ...closed, mostConnections: TIMES_CAPACITY * each.connections }
    const crowdPerSecond = each.ofProcessor ? pace(await rounds(crowd)) : undefined
    await gateway.child.stop()
    const shedMicros = each.ofProcessor ? await costOfRejection(each, base, quick) : undefined
    const [calmSeconds = [], overSeconds = [], afterSeconds = []] = seen.phases
    return {
      perSecond: pace(most),
      servedMicros: median(most.map(({ micros }) => micros)),
      shedMicros,
      crowdPerSecond,
      calm: calmSeconds,
      over: overSeconds,
      after: afterSeconds,
      health: seen.health,
      memory,
    }
  } finally {
    await gateway.child.stop()
    await upstream.stop()
    home.remove()
  }
}

type Round = { perSecond: number; micros: number }

/** More than any server can do: each connection sends its next request as soon as it has a response. */
const MORE_THAN_ENOUGH = 200_000

/** Connections are opened in the first second, which does not count. */
async function runRounds(plan: SteadyPlan, pid: number, outside: readonly string[]): Promise<Round[]> {
  const rounds: Round[] = []
  while (rounds.length < ROUNDS) {
    const before = cpuMicros(pid)
    const { phases: [seconds = []] = [] } = await steadyLoad(plan, outside)
    const used = cpuMicros(pid) - before
    rounds.push({ perSecond: perSecondOf(seconds.slice(1), 'served'), micros: used / sum(seconds, 'served') })
  }
  return rounds
}

/** From rounds before and after the overload: the speed of the machine changes over time. */
const pace = (rounds: readonly Round[]): number => mean(rounds.map(({ perSecond }) => perSecond))

const PLACES = 8

/** Endless streams take all slots of a gateway, so that every other request is rejected. */
async function costOfRejection(each: Case, base: string, quick: boolean): Promise<number> {
  const home = await createHomeWith(config({ ...each, inFlight: PLACES }, base))
  const { inside, outside } = processorsOf(each)
  const gateway = await start(home, inside)
  try {
    const target = { host: '127.0.0.1', port: gateway.port, path: `/v1${CHAT}`, keys: home.keys, connections: PLACES }
    const streams = await keepOpen({ ...target, body: smallRequest('open', true), requests: PLACES, reader: 'waits' })
    const phases = [{ perSecond: MORE_THAN_ENOUGH, seconds: quick ? 3 : 6 }]
    const rejected = {
      ...target,
      body: smallRequest('bench', each.streamed === true),
      phases,
      mostConnections: each.connections + 64,
    }
    await steadyLoad(rejected, outside)
    const before = cpuMicros(gateway.pid)
    const { phases: [seconds = []] = [] } = await steadyLoad(rejected, outside)
    const used = cpuMicros(gateway.pid) - before
    await streams.close()
    return used / sum(seconds, 'shed')
  } finally {
    await gateway.child.stop()
    home.remove()
  }
}

const config = ({ upstreamPath, inFlight }: Case, base: string): string => `
sandbox: false
${inFlight === undefined ? '' : `server: { limits: { in_flight: ${inFlight} } }`}
upstreams:
  - { id: fixed, dialect: chat, base_url: "${base}${upstreamPath}", keys: ["none"] }
  - { id: open, dialect: chat, base_url: "${base}${openPath}", keys: ["none"] }
models:
  - { id: bench, routes: [{ upstream: fixed }], price: { input: 2.00, output: 8.00 } }
  - { id: open, routes: [{ upstream: open }], price: { input: 2.00, output: 8.00 } }
`

async function start(
  home: GatewayHome,
  command: readonly string[],
): Promise<{ child: Child; port: number; pid: number }> {
  const child = childOf('gateway', [...command, process.execPath, MAIN, 'serve'], gatewayEnvironment(home, 0))
  const port = Number(await untilLine(child, /address\s+http:\/\/[^:]+:(\d+)/, 20_000))
  await untilReady(port, child)
  return { child, port, pid: child.pid }
}

/** Commands to start the gateway and everything else through. */
function processorsOf({ ofProcessor }: Case): { inside: string[]; outside: string[] } {
  const canChoose = Bun.which('taskset') !== null && cpus().length > 1
  if (!ofProcessor || !canChoose) return { inside: [], outside: [] }
  return { inside: ['taskset', '-c', '0'], outside: ['taskset', '-c', `1-${cpus().length - 1}`] }
}

async function withMemory<T>(pid: number, run: () => Promise<T>): Promise<[T, number]> {
  let most = 0
  const looking = setInterval(() => (most = Math.max(most, residentBytes(pid))), 500)
  try {
    return [await run(), most]
  } finally {
    clearInterval(looking)
  }
}

const sum = (seconds: readonly Second[], figure: keyof Second): number =>
  seconds.reduce((total, second) => total + second[figure], 0)
const perSecondOf = (seconds: readonly Second[], figure: keyof Second): number => sum(seconds, figure) / seconds.length
const medianOf = (seconds: readonly Second[], figure: 'p50Ms' | 'p99Ms'): number =>
  median(seconds.map((second) => second[figure]).filter((value) => !Number.isNaN(value)))

/** The first second from which on all requests were served about as fast as before. Infinite: never. */
function secondsUntilWell({ calm, after }: Figures): number {
  const fast = 2 * medianOf(calm, 'p50Ms') + 5
  const isWell = ({ sent, served, p50Ms }: Second) => served === sent && p50Ms <= fast
  const lastBad = after.findLastIndex((second) => !isWell(second))
  return lastBad === after.length - 1 ? Number.POSITIVE_INFINITY : lastBad + 1
}

export const capacity: Scenario = {
  number: 2,
  title: `${TIMES_CAPACITY} times capacity for a minute`,
  async run(options): Promise<Outcome> {
    const measured: [Case, Figures][] = []
    for (const each of CASES) {
      options.say(`   capacity ${each.title}`)
      measured.push([each, await measure(each, options)])
    }
    return {
      columns: [
        'capacity',
        'phase',
        'sent/s',
        'served/s',
        'rejected/s',
        'failed',
        'not sent/s',
        'p50',
        'p99',
        'resident',
      ],
      rows: measured.flatMap(([{ title }, figures]) => rowsOf(title, figures)),
      verdicts: measured.flatMap(([{ title }, figures]) => verdictsOf(title, figures)),
    }
  },
}

function rowsOf(title: string, { perSecond, calm, over, after, memory }: Figures): string[][] {
  const row = (phase: string, seconds: readonly Second[]) => [
    title,
    phase,
    perSecondOf(seconds, 'sent').toFixed(0),
    perSecondOf(seconds, 'served').toFixed(0),
    perSecondOf(seconds, 'shed').toFixed(0),
    String(sum(seconds, 'failed')),
    perSecondOf(seconds, 'unsent').toFixed(0),
    millis(medianOf(seconds, 'p50Ms')),
    millis(medianOf(seconds, 'p99Ms')),
    seconds === over ? megabytes(memory) : '-',
  ]
  const most = [title, 'the most', perSecond.toFixed(0), perSecond.toFixed(0), '0', '0', '0', '-', '-', '-']
  return [most, row('half of it', calm), row('three times', over), row('half of it again', after)]
}

function verdictsOf(title: string, figures: Figures): Outcome['verdicts'] {
  const { perSecond, crowdPerSecond, over, servedMicros, shedMicros, health } = figures
  const until = secondsUntilWell(figures)
  const goodput = (what: string, served: number) => ({
    target: `capacity ${title}: ${what}, to the most`,
    limit: `at least ${times(LEAST_GOODPUT)}`,
    measured: times(served / perSecond),
    met: served / perSecond >= LEAST_GOODPUT,
  })
  return [
    goodput('served under three times as much', perSecondOf(over, 'served')),
    ...(crowdPerSecond === undefined ? [] : [goodput('served of three times as many clients, all', crowdPerSecond)]),
    ...(shedMicros === undefined
      ? []
      : [
          verdict(
            `capacity ${title}: CPU of a rejection, to ${micros(servedMicros)} of an answer`,
            shedMicros / servedMicros,
            MOST_EXPENSIVE_REJECTION,
            times,
          ),
        ]),
    verdict(`capacity ${title}: well again after`, until, BACK_WITHIN_SECONDS, (seconds) => `${seconds} s`),
    verdict(`capacity ${title}: /health not answered, of ${health.asked}`, health.failed, 0, String),
    verdict(`capacity ${title}: /health, the longest`, health.longestMs, 2_000, millis),
  ]
}
