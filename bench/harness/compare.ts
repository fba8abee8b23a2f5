// The same load on each server in turn, round after round, so that other load on the machine affects all of them alike.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../load/load.ts'
import { configFor, createHome, type GatewayHome } from './home.ts'
import { cpuMicros, mean, median, residentBytes } from './measure.ts'
import { type BenchOptions, megabytes, micros, millis, times } from './scenario.ts'
import type { Server, UpstreamProtocol } from './server.ts'
import { nginxVersion, startBare, startGateway, startNginx, startUpstream } from './servers.ts'
import { jsonReply, TEXT_EVENT } from './wire.ts'

export type Work = {
  upstreamPath: string
  /** Absent: plain http. */
  protocol?: UpstreamProtocol
  body: string
  connections: number
  /** Per round and server. */
  requests: number
  /** The requests of a round are divided into this many turns, which alternate between the servers. */
  turns?: number
  /** Events per request, or 1. */
  unitsPerRequest: number
  /** Requests before the first round, for the JIT. */
  warmUp: number
  /** Sent to the gateway instead, at another path or in another dialect than the upstream's. */
  translated?: Translated
  /** Sent to one more gateway, which translates, beside the one that passes on. */
  translating?: Translated
  /** What the upstream answers. Absent: a chat completion. */
  reply?: string
  /** What the model is, in the configuration. Absent: a text model. */
  model?: string
}

export type Translated = {
  path: string
  body: string
  /** Found once in an answer, or once in every event that carries text. */
  mark: string
}

type Sample = {
  cpu: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  unitsPerRead: number
  resident: number
}

export type Figures = { name: string } & Sample & {
    /** CPU beside that of the first server in the same round. */
    toFirst: number
  }

const TRANSLATING = 'translating'

/** Medians per server, the bare one first. */
export async function compare(work: Work, options: BenchOptions): Promise<Figures[]> {
  const upstream = await startUpstream([], work.protocol)
  const home = await createHome(upstream, work.upstreamPath, undefined, work.model)
  const homes = [home]
  const servers: Server[] = []
  try {
    servers.push(await startBare(upstream), await startGateway(home))
    if (work.translating) {
      const own = await createHome(upstream, work.upstreamPath, undefined, work.model)
      homes.push(own)
      servers.push(await startGateway(own, TRANSLATING))
    }
    if (options.beside !== undefined) {
      const other = await harnessOf(options.beside)
      const otherHome = await other.createHomeWith(configFor(upstream, work.upstreamPath, work.model))
      homes.push(otherHome)
      servers.push(await startGateway(otherHome, 'beside', other.MAIN))
    }
    if (nginxVersion() && upstream.protocol !== 'https/2')
      servers.push(await startNginx(upstream.port, upstream.protocol === 'https/1.1'))
    return await alternate(servers, home, work, options)
  } finally {
    for (const server of [...servers, upstream]) await server.stop()
    for (const each of homes) each.remove()
  }
}

/** Another checkout prepares its own folder: its database may have another schema. Older ones had no `harness/`. */
async function harnessOf(checkout: string): Promise<Pick<typeof import('./home.ts'), 'createHomeWith' | 'MAIN'>> {
  const paths = ['bench/harness/home.ts', 'bench/home.ts'].map((path) => join(checkout, path))
  const path = paths.find((each) => existsSync(each))
  if (path === undefined) throw new Error(`${checkout} has no ${paths.join(' or ')}`)
  return await import(path)
}

export async function alternate(
  servers: readonly Server[],
  home: Pick<GatewayHome, 'keys'>,
  work: Work,
  options: BenchOptions,
): Promise<Figures[]> {
  const samples = new Map(servers.map((server) => [server, [] as Sample[]]))
  for (const server of servers) await check(server, home, work)
  // In turns as long as those of the rounds, because opening and closing connections must be compiled, too.
  const turns = work.turns === undefined ? 1 : Math.ceil((work.turns * work.warmUp) / work.requests)
  await takeTurns(servers, home, { ...work, requests: work.warmUp, turns })
  for (let round = 1; round <= options.rounds; round++) {
    const ofRound = await takeTurns(servers, home, work)
    for (const [server, taken] of samples) taken.push(means(ofRound.get(server) ?? []))
    const line = [...samples].map(([{ name }, taken]) => `${name} ${micros(taken.at(-1)?.cpu ?? Number.NaN)}`)
    options.say(`  round ${round}: ${line.join(', ')}`)
  }
  const [firsts = []] = samples.values()
  return [...samples].map(([{ name }, taken]) => {
    const ratios = taken.map(({ cpu }, round) => cpu / (firsts[round]?.cpu ?? Number.NaN))
    return { name, ...medians(taken), toFirst: median(ratios) }
  })
}

/** Every other turn is in the opposite order, so that no server always follows the same one. */
async function takeTurns(
  servers: readonly Server[],
  home: Pick<GatewayHome, 'keys'>,
  work: Work,
): Promise<Map<Server, Sample[]>> {
  const samples = new Map(servers.map((server) => [server, [] as Sample[]]))
  const turns = work.turns ?? 1
  const part = { ...work, requests: Math.round(work.requests / turns) }
  for (let turn = 0; turn < turns; turn++)
    for (const server of turn % 2 === 0 ? servers : servers.toReversed())
      samples.get(server)?.push(await measure(server, home, part))
  return samples
}

/** A server that is fast because its response is wrong must not be measured. */
async function check(server: Server, { keys }: Pick<GatewayHome, 'keys'>, work: Work): Promise<void> {
  const { path, body, mark } = askOf(server, work)
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json', 'msg-version': '2023-06-01' },
    body,
  })
  const text = await answer.text()
  const units = mark === undefined ? Number(text === (work.reply ?? jsonReply())) : text.split(mark).length - 1
  if (answer.status !== 200 || units !== work.unitsPerRequest)
    throw new Error(
      `${server.name} answers ${answer.status} with ${units} of ${work.unitsPerRequest}: ${text.slice(0, 300)}`,
    )
}

function askOf(server: Server, work: Work): { path: string; body: string; mark: string | undefined } {
  if (work.translated && server.name !== 'bare' && server.name !== 'nginx') return work.translated
  if (work.translating && server.name === TRANSLATING) return work.translating
  const mark = work.unitsPerRequest === 1 ? undefined : TEXT_EVENT
  return { path: server.pathOf(work.upstreamPath), body: work.body, mark }
}

async function measure(server: Server, { keys }: Pick<GatewayHome, 'keys'>, work: Work): Promise<Sample> {
  const { connections, requests, unitsPerRequest } = work
  const { path, body } = askOf(server, work)
  const before = cpuMicros(server.pid)
  const result = await load({
    host: '127.0.0.1',
    port: server.port,
    path,
    body,
    keys,
    requests,
    reader: 'reads',
    connections: Math.min(connections, requests),
  })
  const units = requests * unitsPerRequest
  return {
    cpu: (cpuMicros(server.pid) - before) / units,
    requestsPerSecond: result.requestsPerSecond,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    unitsPerRead: units / result.reads,
    resident: residentBytes(server.pid),
  }
}

const means = (samples: readonly Sample[]): Sample => combined(samples, mean)
const medians = (samples: readonly Sample[]): Sample => combined(samples, median)

function combined(samples: readonly Sample[], combine: (values: readonly number[]) => number): Sample {
  const of = (name: keyof Sample) => combine(samples.map((sample) => sample[name]))
  return {
    cpu: of('cpu'),
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    unitsPerRead: of('unitsPerRead'),
    resident: of('resident'),
  }
}

/** To the first server, the one that the others are compared with. */
export const ratioOf = (figures: readonly Figures[], name: string): number =>
  figures.find((each) => each.name === name)?.toFirst ?? Number.NaN

export const cpuOf = (figures: readonly Figures[], name: string): number =>
  figures.find((each) => each.name === name)?.cpu ?? Number.NaN

export function columnsPer(unit: string): string[] {
  return ['', `CPU per ${unit}`, 'to the first', 'requests/s', 'p50', 'p99', 'resident']
}

export function rowsOf(figures: readonly Figures[]): string[][] {
  return figures.map((each) => [
    each.name,
    micros(each.cpu),
    times(each.toFirst),
    each.requestsPerSecond.toFixed(0),
    millis(each.p50Ms),
    millis(each.p99Ms),
    megabytes(each.resident),
  ])
}
