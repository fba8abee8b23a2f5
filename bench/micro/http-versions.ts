// The cost of an upstream call over HTTP/1.1 and HTTP/2: CPU of this process, and connections opened.
// Rounds alternate between the two, since other programs share the machine: `bun bench/micro/http-versions.ts [rounds]`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PROTOCOLS = ['http1.1', 'http2'] as const
type Protocol = (typeof PROTOCOLS)[number]

const ROUNDS = Number(process.argv[2] ?? 5)
const REQUESTS = 2_000
const EVENTS = 100
const FIXTURES = join(import.meta.dir, '../../packages/gateway/fixtures')
const tls = { ca: readFileSync(join(FIXTURES, 'localhost.cert.pem'), 'utf8') }

const child = Bun.spawn(['node', join(import.meta.dir, 'http-versions-server.mjs')], { stdout: 'pipe' })
process.on('exit', () => child.kill())
const first = await child.stdout.getReader().read()
const base = `https://localhost:${Buffer.from(first.value ?? '')
  .toString()
  .trim()}`

const body = new Uint8Array(2_000).fill(120)
const send = (protocol: Protocol, path: string, signal?: AbortSignal) =>
  fetch(base + path, { method: 'POST', body, tls, protocol, ...(signal ? { signal } : {}) })

async function connections(): Promise<number> {
  return Number(await (await fetch(`${base}/connections`, { tls, protocol: 'http1.1', keepalive: false })).text())
}

async function json(protocol: Protocol): Promise<number> {
  await (await send(protocol, '/json')).arrayBuffer()
  return 1
}

async function events(protocol: Protocol): Promise<number> {
  const { body: stream } = await send(protocol, `/events/${EVENTS}`)
  for await (const _ of stream ?? []);
  return EVENTS
}

/** Every tenth client disconnects after the first event. */
async function leaving(protocol: Protocol, index: number): Promise<number> {
  const controller = new AbortController()
  const { body: stream } = await send(protocol, '/events/5', controller.signal)
  const reader = stream?.getReader()
  await reader?.read()
  if (index % 10 === 0) controller.abort()
  else while (!(await reader?.read())?.done);
  return 1
}

type Work = { name: string; unit: string; requests: number; one(protocol: Protocol, index: number): Promise<number> }
const WORKS: Work[] = [
  { name: 'JSON', unit: 'request', requests: REQUESTS, one: json },
  { name: 'SSE, an event every 10 ms', unit: 'event', requests: 0, one: events },
  { name: 'short SSE, every tenth client leaves', unit: 'request', requests: REQUESTS, one: leaving },
]

type Figures = { cpu: number[]; opened: number[] }

async function round(work: Work, protocol: Protocol, parallel: number, figures: Figures): Promise<void> {
  const requests = work.requests || parallel
  const [before, cpu] = [await connections(), process.cpuUsage()]
  let next = 0
  let units = 0
  const worker = async () => {
    while (next < requests) {
      const done = await work.one(protocol, next++)
      units += done
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  const { user, system } = process.cpuUsage(cpu)
  figures.cpu.push((user + system) / units)
  // Minus the connection of the request for this count.
  figures.opened.push((((await connections()) - before - 1) * 1_000) / requests)
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

for (const work of WORKS) {
  for (const parallel of [32, 200]) {
    const all = new Map<Protocol, Figures>(PROTOCOLS.map((protocol) => [protocol, { cpu: [], opened: [] }]))
    for (let number = 0; number < ROUNDS; number++) {
      for (const [protocol, figures] of all) await round(work, protocol, parallel, figures)
    }
    for (const [protocol, { cpu, opened }] of all) {
      const [cost, first = 0, later] = [median(cpu).toFixed(1), opened[0], median(opened.slice(1)).toFixed(1)]
      const reuse = `connections per 1,000: first round ${first.toFixed(1)}, later ${later}`
      console.log(`${work.name}, ${parallel} at once, ${protocol}: ${cost} us per ${work.unit}; ${reuse}`)
    }
  }
}
process.exit(0)
