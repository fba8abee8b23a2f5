// Open-loop load: a fixed number of requests per second, whether the server keeps up or not. Made by a process of its own, on
// loopback, bounded in time and connections.
import { childOf, untilLine } from '../harness/processes.ts'

export type SteadyPlan = {
  host: string
  port: number
  path: string
  body: string
  keys: readonly string[]
  /** One after the other, over the same connections. */
  phases: readonly { perSecond: number; seconds: number }[]
  /** If all of them are busy, requests are not sent, and are counted as unsent. */
  mostConnections: number
}

/** What became of the requests that were due in one second. */
export type Second = {
  sent: number
  /** 200, and 503. */
  served: number
  shed: number
  /** Any other response, or none. */
  failed: number
  /** All connections were busy. */
  unsent: number
  /** The median of the requests that were served. */
  p50Ms: number
  p99Ms: number
}

/** For each phase its seconds; `health`: the longest that /health took, asked ten times a second, and how often it failed. */
export type SteadyResult = { phases: Second[][]; health: { asked: number; failed: number; longestMs: number } }

/** `command`: what the generator is started through, such as `taskset`. */
export async function steadyLoad(plan: SteadyPlan, command: readonly string[] = []): Promise<SteadyResult> {
  const script = `${import.meta.dir}/steady-load-generator.ts`
  const generator = childOf('load generator', [...command, process.execPath, script])
  try {
    generator.say(`${JSON.stringify(plan)}\n`)
    const seconds = plan.phases.reduce((sum, phase) => sum + phase.seconds, 0)
    return JSON.parse(await untilLine(generator, /^\{.*\}$/m, (seconds + 60) * 1_000)) as SteadyResult
  } finally {
    await generator.stop()
  }
}
