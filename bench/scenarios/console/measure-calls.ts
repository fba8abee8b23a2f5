// CPU time of the gateway, and of its connections to the database, for one answer; memory and the event loop during a long one.

import { existsSync } from 'node:fs'
import { backendsOf } from '../../../test/support/postgres/backends.ts'
import { cpuMicros, median, residentBytes } from '../../harness/measure.ts'
import type { FilledGateway } from './account.ts'
import type { PageCall } from './calls.ts'

/** Microseconds of CPU and bytes. */
export type CallCost = { gateway: number; database: number; bytes: number }
/** Beside the cost: memory above that before, and the longest time that another request took meanwhile, in milliseconds. */
export type ExportCost = CallCost & { memory: number; longestWait: number }

const WARM_UP = 3
const PING_EVERY_MS = 2

/** A gateway, and how it is asked. */
type Asked = Pick<FilledGateway, 'gateway'> & {
  client: { get(path: string): Promise<{ status: number; text: string }> }
}

export async function costOf({ gateway, client }: Asked, { path }: PageCall, rounds: number, calls: number) {
  let bytes = 0
  const call = async () => {
    const { status, text } = await client.get(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    bytes = Buffer.byteLength(text)
  }
  for (let count = 0; count < WARM_UP; count++) await call()
  const used = usedBy(await backendsOf(gateway))
  const samples: CallCost[] = []
  for (let round = 0; round < rounds; round++) {
    const before = { gateway: cpuMicros(gateway.pid), database: used() }
    for (let count = 0; count < calls; count++) await call()
    samples.push({
      gateway: (cpuMicros(gateway.pid) - before.gateway) / calls,
      database: (used() - before.database) / calls,
      bytes,
    })
  }
  const middle = (part: 'gateway' | 'database') => median(samples.map((sample) => sample[part]))
  return { gateway: middle('gateway'), database: middle('database'), bytes }
}

/** The shortest of the longest waits: the machine is shared, and a wait that repeats is the gateway's own. */
export async function exportCostOf(filled: FilledGateway, call: PageCall, rounds: number): Promise<ExportCost> {
  const cost = await costOf(filled, call, rounds, 1)
  const { gateway, client } = filled
  const waits: number[] = []
  const growths: number[] = []
  for (let round = 0; round < rounds; round++) {
    const idle = residentBytes(gateway.pid)
    let isRunning = true
    let [longest, most] = [0, idle]
    const pinged = (async () => {
      while (isRunning) {
        const from = performance.now()
        await fetch(`${gateway.url}/health`).then((response) => response.text())
        longest = Math.max(longest, performance.now() - from)
        most = Math.max(most, residentBytes(gateway.pid))
        await Bun.sleep(PING_EVERY_MS)
      }
    })()
    await client.get(call.path)
    isRunning = false
    await pinged
    waits.push(longest)
    growths.push(most - idle)
  }
  return { ...cost, memory: median(growths), longestWait: Math.min(...waits) }
}

/** Connections may be closed meanwhile: what their processes had used is kept. */
function usedBy(pids: readonly number[]): () => number {
  const last = new Map<number, number>()
  return () => {
    for (const pid of pids) if (existsSync(`/proc/${pid}`)) last.set(pid, cpuMicros(pid))
    return [...last.values()].reduce((sum, micros) => sum + micros, 0)
  }
}
