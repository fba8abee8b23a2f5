// What one small JSON request allocates in the gateway: counts, which no load of the machine changes. Later features must fit in.
import { afterAll, expect, test } from 'bun:test'
import { startCollector } from '../../packages/gateway/test-support/trace-collector.ts'
import { type Allocations, countAllocations } from '../support/gateway/count-allocations.ts'

const collector = startCollector()
afterAll(() => collector.stop())

/** As many calls of the system, and of other threads, as at least are needed: for the client, the upstream, the hold and its end. */
const CALLS = { messages: 2, reads: 2, writes: 2 }
const MOST: Allocations = { promises: 8, asyncFunctions: 3, closures: 26, kilobytes: 25, ...CALLS }
const MOST_WITH_BOTH: Allocations = { promises: 8, asyncFunctions: 3, closures: 27, kilobytes: 31, ...CALLS }

test.each([
  ['without log and traces', { TRIVIUM_LOG: 'off' }, MOST],
  ['with both', { TRIVIUM_LOG: 'requests', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, MOST_WITH_BOTH],
])('a small request stays within its budget of allocations, %s', async (_, env, most) => {
  const counted = await countAllocations(env)
  // A part of one is what the process does beside its requests, which is more the longer they take.
  const excess = Object.entries(counted).filter(([name, count]) => Math.floor(count) > most[name as keyof Allocations])
  expect(excess).toEqual([])
})
