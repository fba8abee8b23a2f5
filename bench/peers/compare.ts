// `npm run bench -- --peers`: what a request and an event cost in other gateways and in this one, in the same rounds, over
// the same upstream. The first figure of each is checked: a gateway that is fast because its answer is wrong is not measured.
import { existsSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { cpuMicros, median, residentBytes } from '../harness/measure.ts'
import { machine, table } from '../harness/report.ts'
import { startUpstream } from '../harness/servers.ts'
import { agentRequest, jsonPath, MESSAGES_ANSWER, messagesRequest, smallRequest, streamPath } from '../harness/wire.ts'
import { type LoadResult, load } from '../load/load.ts'
import { ALL_PEERS } from './index.ts'
import { isInstalled, PEERS, type Peer, type RunningPeer } from './peer.ts'

type Work = {
  title: string
  /** The path of the upstream without `/v1`. */
  upstreamPath: string
  path: string
  body(model: string): string
  connections: number
  /** Absent: as many as take about `TURN_MS`. */
  requests?: number
  eventsPerRequest?: number
  /** Peers that cannot do it. */
  without?: readonly string[]
}

const eventsOf = (events: number, everyMs: number) => streamPath({ events, perWrite: 1, everyMs }).replace(/\/v1$/, '')
const CHAT = '/v1/chat/completions'
const EVENTS = 100

const WORKS: readonly Work[] = [
  {
    title: 'Small JSON requests, 32 at once',
    upstreamPath: jsonPath.replace(/\/v1$/, ''),
    path: CHAT,
    body: (model) => smallRequest(model, false),
    connections: 32,
  },
  {
    title: 'Requests of an agent, 76 KB with 24 tools, 16 at once',
    upstreamPath: jsonPath.replace(/\/v1$/, ''),
    path: CHAT,
    body: (model) => agentRequest(model, false),
    connections: 16,
  },
  {
    title: 'Streams, 8 at once, an event every 60 ms',
    upstreamPath: eventsOf(EVENTS, 60),
    path: CHAT,
    body: (model) => smallRequest(model, true),
    connections: 8,
    requests: 8,
    eventsPerRequest: EVENTS,
  },
  {
    title: 'Streams, 64 at once, an event every 16 ms',
    upstreamPath: eventsOf(EVENTS, 16),
    path: CHAT,
    body: (model) => smallRequest(model, true),
    connections: 64,
    requests: 64,
    eventsPerRequest: EVENTS,
  },
  {
    title: 'Anthropic Messages to a Chat Completions upstream, 32 at once',
    upstreamPath: jsonPath.replace(/\/v1$/, ''),
    path: '/v1/messages',
    body: (model) => messagesRequest(model, false),
    connections: 32,
    without: ['nginx', 'portkey'],
  },
]

type Sample = { cpu: number; requestsPerSecond: number; p50Ms: number; p99Ms: number; resident: number }
type Started = { peer: Peer; running: RunningPeer; startMs: number; idle: number }

type Options = { rounds: number; say(line: string): void; only?: readonly number[] | undefined }

const TURN_MS = 2_000
const WARM_UP_MS = 8_000
const MOST_REQUESTS = 15_000
/** Work that a gateway does after its answer is its work, too. */
const AFTER_MS = 500

/** `only`: numbers of works, from 1. */
export async function comparePeers(options: Options): Promise<string> {
  const { rounds, say, only } = options
  const wanted = WORKS.filter((_, index) => only?.includes(index + 1) ?? true)
  const there = ALL_PEERS.filter(isInstalled)
  const missing = ALL_PEERS.filter((peer) => !isInstalled(peer))
  for (const { name, version, install } of missing)
    say(`${name} ${version} is not installed, and left out:\n${install.replaceAll('$PEERS', PEERS)}`)
  const parts: string[] = []
  const starts = new Map<string, Started>()
  const before = loadavg()[0] ?? 0
  for (const [upstreamPath, works] of Map.groupBy(wanted, (work) => work.upstreamPath)) {
    const upstream = await startUpstream()
    const started: Started[] = []
    try {
      for (const peer of there) {
        const each = await startPeer(peer, upstream.url + upstreamPath, say)
        if (each) started.push(each)
      }
      for (const each of started) if (!starts.has(each.peer.name)) starts.set(each.peer.name, each)
      for (const work of works) {
        say(work.title)
        const able = started.filter(({ peer }) => work.without?.includes(peer.name) !== true)
        parts.push(`**${work.title}**\n\n${await measured(work, able, rounds, say)}`)
      }
    } finally {
      for (const { running } of started) await running.stop()
      await upstream.stop()
    }
  }
  const rows = [...starts.values()].map(({ peer, startMs, idle }) => [
    peer.name,
    startMs.toFixed(0),
    (idle / 1e6).toFixed(0),
  ])
  parts.push(`**Start and idle memory**\n\n${table(['', 'Start to the first response, ms', 'RSS MB'], rows)}`)
  const left = missing.map(({ name, version }) => `${name} ${version}`).join(', ') || 'none'
  const load = `Load average ${before.toFixed(1)} at the start, ${(loadavg()[0] ?? 0).toFixed(1)} at the end.`
  const versions = table(
    ['', 'Version', 'For a request'],
    there.map(({ name, version, does }) => [name, version, does]),
  )
  return [`${machine()}. ${load}`, `Medians of ${rounds} rounds. Not installed: ${left}.`, versions, ...parts].join(
    '\n\n',
  )
}

async function startPeer(peer: Peer, origin: string, say: (line: string) => void): Promise<Started | undefined> {
  const from = performance.now()
  try {
    const running = await peer.start({ origin, model: 'bench' })
    return { peer, running, startMs: performance.now() - from, idle: sumOf(running.pid, residentBytes) }
  } catch (error) {
    say(`  ${peer.name} is left out: ${(error as Error).message.slice(0, 500)}`)
    return undefined
  }
}

async function measured(work: Work, started: Started[], rounds: number, say: (line: string) => void): Promise<string> {
  const samples = new Map<Started, Sample[]>()
  const plans = new Map<Started, number>()
  /** A peer that refuses requests under load is left out, with its words; the others are measured. */
  const unless = async (each: Started, step: () => Promise<void>) => {
    await step().catch((error: Error) => {
      const reason = /error: (?!no answer)(.*)/.exec(error.message)?.[1] ?? error.message
      say(`  ${each.peer.name} is not measured: ${reason.slice(0, 300)}`)
      plans.delete(each)
      samples.delete(each)
    })
  }
  for (const each of started)
    await unless(each, async () => {
      const wrong = await check(work, each.running)
      if (wrong !== undefined) throw new Error(wrong)
      plans.set(each, work.requests ?? (await warmUp(work, each.running)))
      samples.set(each, [])
    })
  for (let round = 0; round < rounds; round++) {
    const turn = [...plans]
    for (const [each, requests] of round % 2 === 0 ? turn : turn.toReversed())
      await unless(each, async () => void samples.get(each)?.push(await sample(work, each.running, requests)))
    const figures = [...samples].map(([{ peer }, taken]) => `${peer.name} ${taken.at(-1)?.cpu.toFixed(0)}`)
    say(`  round ${round + 1}: ${figures.join(', ')}`)
  }
  const unit = work.eventsPerRequest === undefined ? 'request' : 'event'
  const rows = [...samples].map(([{ peer }, taken]) => {
    const cpus = taken.map(({ cpu }) => cpu)
    const of = (name: keyof Sample, digits: number) => median(taken.map((each) => each[name])).toFixed(digits)
    const shared = [peer.name, of('cpu', 0), `${Math.min(...cpus).toFixed(0)} to ${Math.max(...cpus).toFixed(0)}`]
    const memory = (median(taken.map(({ resident }) => resident)) / 1e6).toFixed(0)
    return unit === 'event'
      ? [...shared, memory]
      : [...shared, of('requestsPerSecond', 0), of('p50Ms', 1), of('p99Ms', 1), memory]
  })
  rows.sort((one, other) => Number(one[1]) - Number(other[1]))
  const columns = ['', `CPU per ${unit}, µs`, 'rounds']
  return table([...columns, ...(unit === 'event' ? [] : ['requests/s', 'p50 ms', 'p99 ms']), 'RSS MB'], rows)
}

const pathAt = ({ url }: RunningPeer, { path }: Work): string => new URL(url).pathname.replace(/\/$/, '') + path

const modelOf = ({ models }: RunningPeer): string => models.text[0] ?? 'bench'

/** What is wrong with its answer. */
async function check({ path, body, eventsPerRequest }: Work, { url, key, headers, ...running }: RunningPeer) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...headers,
    },
    body: body(modelOf({ url, key, headers, ...running })),
  })
  const text = await response.text()
  const events = text.split('" word').length - 1
  const isRight = eventsPerRequest === undefined ? text.includes(MESSAGES_ANSWER) : events === eventsPerRequest
  return response.status === 200 && isRight ? undefined : `${response.status}, ${events} events: ${text.slice(0, 300)}`
}

const loadOf = (work: Work, running: RunningPeer, requests: number): Promise<LoadResult> =>
  load({
    host: '127.0.0.1',
    port: Number(new URL(running.url).port),
    path: pathAt(running, work),
    body: work.body(modelOf(running)),
    keys: [running.key],
    headers: { ...running.headers, 'anthropic-version': '2023-06-01' },
    connections: Math.min(work.connections, requests),
    requests,
    reader: 'reads',
  })

/** So many requests as a turn shall have. Before that, as many as let a JIT compile what is measured, or as fit into the time. */
async function warmUp(work: Work, running: RunningPeer): Promise<number> {
  const fitting = ({ requestsPerSecond }: LoadResult, ms: number) =>
    Math.max(2 * work.connections, Math.min(MOST_REQUESTS, Math.round((requestsPerSecond * ms) / 1_000)))
  const first = await loadOf(work, running, 4 * work.connections)
  const second = await loadOf(work, running, fitting(first, TURN_MS))
  const third = await loadOf(work, running, fitting(second, WARM_UP_MS))
  return fitting(third, TURN_MS)
}

async function sample(work: Work, running: RunningPeer, requests: number): Promise<Sample> {
  const before = sumOf(running.pid, cpuMicros)
  const { requestsPerSecond, p50Ms, p99Ms } = await loadOf(work, running, requests)
  await Bun.sleep(AFTER_MS)
  const units = requests * (work.eventsPerRequest ?? 1)
  const cpu = (sumOf(running.pid, cpuMicros) - before) / units
  return { cpu, requestsPerSecond, p50Ms, p99Ms, resident: sumOf(running.pid, residentBytes) }
}

/** A figure of a process and of all that it has started. */
function sumOf(pid: number, figure: (pid: number) => number): number {
  const file = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : []
  return figure(pid) + children.reduce((sum, child) => sum + sumOf(child, figure), 0)
}
