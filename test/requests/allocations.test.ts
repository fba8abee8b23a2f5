// What one small JSON request, or one streamed event, allocates in the gateway: counts, which no load of the machine changes. Later
// features must fit in.
import { afterAll, expect, test } from 'bun:test'
import { startCollector } from '../../packages/gateway/test-support/trace-collector.ts'
import { type Allocations, countAllocations, countEventAllocations } from '../support/gateway/count-allocations.ts'

const collector = startCollector()
afterAll(() => collector.stop())

/** As many calls of the system, and of other threads, as at least are needed: for the client, the upstream, the hold and its end. */
const CALLS = { messages: 2, reads: 2, writes: 2 }
const MOST: Allocations = { promises: 8, asyncFunctions: 3, closures: 26, kilobytes: 26, ...CALLS }
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

/** One event is read and written; nothing is made for it but its bytes, and for another dialect what it says. */
const EVENT = { promises: 0, asyncFunctions: 0, closures: 0, messages: 0, reads: 1, writes: 1 }

test.each([
  ['that passes through', '/v1/chat/completions', { ...EVENT, kilobytes: 1 }],
  ['that is translated', '/v1/messages', { ...EVENT, closures: 1, kilobytes: 1 }],
])('a streamed event %s stays within its budget of allocations', async (_, path, most) => {
  const counted = await countEventAllocations(path, { TRIVIUM_LOG: 'requests' })
  const excess = Object.entries(counted).filter(([name, count]) => Math.floor(count) > most[name as keyof Allocations])
  expect(excess).toEqual([])
})
