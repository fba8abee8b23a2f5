// Load, made by a process of its own, on loopback and always bounded by a count.
import { type Child, childOf, untilLine } from '../harness/processes.ts'

export type LoadPlan = {
  host: string
  port: number
  path: string
  body: string
  /** Used in turn. */
  keys: readonly string[]
  /** Besides those that all requests have. */
  headers?: Readonly<Record<string, string>>
  connections: number
  requests: number
  /** Once a response has begun: read it and send the next request, keep it open, or stop reading. */
  reader: 'reads' | 'waits' | 'stalls'
}

export type LoadResult = {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Reads in which the responses arrived. */
  reads: number
  bytesRead: number
}

const WITHIN_MS = 120_000

/** Runs a plan to its end. `command`: what the generator is started through, such as `taskset`. */
export async function load(plan: LoadPlan, command: readonly string[] = []): Promise<LoadResult> {
  const generator = start(plan, command)
  try {
    return await resultOf(generator)
  } finally {
    await generator.stop()
  }
}

export type OpenStreams = {
  /** Resolves when the server has closed all connections, with how many responses had come to their end. */
  ended(): Promise<number>
  close(): Promise<void>
}

/** Opens all connections of a plan and keeps them until `close`. */
export async function keepOpen(plan: LoadPlan): Promise<OpenStreams> {
  const generator = start(plan)
  try {
    await resultOf(generator)
  } catch (error) {
    await generator.stop()
    throw error
  }
  return {
    ended: async () => Number(await untilLine(generator, /^ended (\d+)$/m, WITHIN_MS)),
    close: generator.stop,
  }
}

function start(plan: LoadPlan, command: readonly string[] = []): Child {
  const generator = childOf('load generator', [...command, process.execPath, `${import.meta.dir}/load-generator.ts`])
  generator.say(`${JSON.stringify(plan)}\n`)
  return generator
}

async function resultOf(generator: Child): Promise<LoadResult> {
  return JSON.parse(await untilLine(generator, /^\{.*\}$/m, WITHIN_MS)) as LoadResult
}
