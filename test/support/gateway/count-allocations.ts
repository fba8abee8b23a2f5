// What the gateway allocates for one small JSON request, or one streamed event, counted in a process of its own: counts are the same on a busy machine.
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import {
  chunk,
  configFor,
  DONE,
  event,
  finish,
  LAST_CHUNK,
  role,
  STREAM_HEAD,
  startUpstream,
  type Upstream,
  usage,
} from '../upstreams/raw-upstream.ts'
import { newKey } from './accounts.ts'
import { chat, type Gateway, startGateway } from './gateway.ts'

/** Averages over many requests, one after the other. `messages`: to other threads. `reads`, `writes`: of sockets. */
export type Allocations = {
  promises: number
  asyncFunctions: number
  closures: number
  kilobytes: number
  messages: number
  reads: number
  writes: number
}

/** Nothing is collected, and no compiler that removes allocations runs: which of them it removes depends on the load. */
const COUNTABLE = { BUN_JSC_useGC: '0', BUN_JSC_useDFGJIT: '0', BUN_GC_TIMER_DISABLE: '1' }
const REQUESTS = 120
const WARM_UP = 400
/**
 * What the process does on the side, such as its jobs and sending traces, only adds to a count, and so does the count, after which
 * jobs are due. Short rounds have that, too: a request costs what long ones have in addition.
 */
const SHORT = 10
const ROUNDS = 8

const REQUEST = {
  model: 'same',
  messages: [
    { role: 'system', content: 'You are a helpful assistant that answers briefly.' },
    { role: 'user', content: 'Say hello in five languages, please, and name each of them.' },
  ],
  temperature: 0.7,
  max_tokens: 4096,
}

/** A chat request that passes through, unstreamed, on SQLite, with a key that is known. `env`: of the gateway. */
export async function countAllocations(env: Record<string, string>): Promise<Allocations> {
  const upstream = await startUpstream()
  return await inCountedGateway(upstream, env, async (gateway, secret) => {
    const send = async (count: number) => {
      for (let sent = 0; sent < count; sent++) await (await chat(gateway.url, secret, REQUEST)).text()
      upstream.received.length = 0
    }
    await send(WARM_UP)
    return await countEach(gateway, send)
  })
}

/** One event of a stream that this endpoint gets from a chat upstream, which sends the next one when the client has the last. */
export async function countEventAllocations(path: string, env: Record<string, string>): Promise<Allocations> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<Socket>()
  const upstream = await startUpstream((socket) => {
    socket.write(STREAM_HEAD + chunk(role()))
    begin(socket)
  })
  return await inCountedGateway(upstream, env, async (gateway, secret) => {
    const body = JSON.stringify({ ...REQUEST, messages: REQUEST.messages.slice(1), stream: true })
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'msg-version': '2023-06-01',
    }
    const [socket, response] = await Promise.all([begun, fetch(gateway.url + path, { method: 'POST', headers, body })])
    const reader = response.body?.getReader()
    let sent = 0
    const send = async (count: number) => {
      for (const end = sent + count; sent < end; sent++) {
        socket.write(chunk(event(`word${sent};`)))
        let text = ''
        while (!text.includes(`word${sent};`)) text += Buffer.from((await reader?.read())?.value ?? []).toString()
      }
    }
    await send(WARM_UP)
    const counts = await countEach(gateway, send)
    socket.write(chunk(finish() + usage() + DONE) + LAST_CHUNK)
    while (!(await reader?.read())?.done);
    return counts
  })
}

async function inCountedGateway(
  upstream: Upstream,
  env: Record<string, string>,
  count: (gateway: Gateway, secret: string) => Promise<Allocations>,
): Promise<Allocations> {
  const main = join(import.meta.dir, 'program/counted-main.ts')
  const gateway = await startGateway({ config: configFor(upstream), main, env: { ...env, ...COUNTABLE } })
  try {
    return await count(gateway, (await newKey(gateway)).secret)
  } finally {
    await gateway.stop()
    upstream.stop()
  }
}

/** `send`: so many requests, or events, one after the other. */
async function countEach(gateway: Gateway, send: (count: number) => Promise<void>): Promise<Allocations> {
  const long: Counts[] = []
  const short: Counts[] = []
  let before = await counted(gateway)
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const [rounds, count] = round % 2 === 0 ? [short, SHORT] : [long, SHORT + REQUESTS]
    await send(count)
    const after = await counted(gateway)
    rounds.push(difference(after, before))
    before = after
  }
  const leastIn = (rounds: readonly Counts[], name: string) => Math.min(...rounds.map((counts) => counts[name] ?? 0))
  const least = (name: string) => (leastIn(long, name) - leastIn(short, name)) / REQUESTS
  return {
    promises: least('Promise'),
    asyncFunctions: least('AsyncFunctionGenerator'),
    closures: least('Function'),
    kilobytes: least('bytes') / 1_024,
    messages: least('messages'),
    reads: least('reads'),
    writes: least('writes'),
  }
}

type Counts = Record<string, number>

const LINE = /^counted (.*)\n/gm

async function counted(gateway: Gateway): Promise<Counts> {
  const lines = () => [...gateway.output().stdout.matchAll(LINE)]
  const { length } = lines()
  gateway.signal('SIGUSR2')
  await eventually(() => lines().length > length)
  return JSON.parse(lines()[length]?.[1] ?? '{}')
}

const difference = (after: Counts, before: Counts): Counts =>
  Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]))
