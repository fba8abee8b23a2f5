// Spans on their way to a collector on a real socket: whatever it does, nothing waits for it, and what is lost is counted.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Collector, startCollector } from '../../../test-support/trace-collector.ts'
import { createExporter } from './exporter.ts'

const SPAN = '{"traceId":"1","spanId":"2","name":"x","kind":2,"attributes":[]}'

let collector: Collector
beforeEach(() => {
  collector = startCollector()
})
afterEach(() => collector.stop())

type Limits = Parameters<typeof createExporter>[1]['limits']

function exporterTo(url: string, limits: Limits = {}, times: { timeoutMs?: number; delayMs?: number } = {}) {
  const { timeoutMs = 10_000, delayMs = 5_000 } = times
  const lines: string[] = []
  const noted = { dropped: 0, lines }
  const note = (message: string) => void lines.push(message)
  const exporter = createExporter(
    {
      endpoint: `${url}/v1/traces`,
      headers: { 'api-key': 'k' },
      timeoutMs,
      delayMs,
      resource: { 'service.name': 'test' },
      sampler: { ratio: 1, parent: true },
    },
    {
      log: { info: note, warn: note, error: note },
      dropped(spans) {
        noted.dropped += spans
      },
      limits: { retryMs: 1, ...limits },
    },
  )
  return { exporter, noted }
}

test('a full batch is sent at once, the rest when it closes', async () => {
  const { exporter, noted } = exporterTo(collector.url, { batchSpans: 3 })
  for (let count = 0; count < 7; count++) exporter.add(1, () => SPAN)
  await exporter.close()
  expect([collector.spans.length, noted.dropped, noted.lines]).toEqual([7, 0, []])
  expect(collector.resource).toEqual({ 'service.name': 'test' })
  expect(collector.headers[0]?.get('content-type')).toBe('application/json')
  expect(collector.headers[0]?.get('api-key')).toBe('k')
})

test('a batch that is not full is sent after a while', async () => {
  const { exporter } = exporterTo(collector.url, {}, { delayMs: 1 })
  exporter.add(1, () => SPAN)
  while (collector.spans.length === 0) await Bun.sleep(1)
  await exporter.close()
})

test('a batch is sent once more if the collector asks for it, and not a third time', async () => {
  const { exporter, noted } = exporterTo(collector.url)
  let tries = 0
  collector.respond(() => {
    tries += 1
    if (tries === 2) collector.respond(undefined)
    return new Response('', { status: 503 })
  })
  exporter.add(2, () => `${SPAN},${SPAN}`)
  await exporter.close()
  expect([collector.bodies.length, collector.spans.length, noted.dropped]).toEqual([2, 0, 2])
})

test.each([
  [503, 2],
  [400, 1],
  [302, 1],
])('status %d: %d requests, and the loss is counted and reported once', async (status, requests) => {
  const { exporter, noted } = exporterTo(collector.url, { batchSpans: 1 })
  collector.respond(() => new Response('', { status, headers: { location: '/v1/traces' } }))
  exporter.add(1, () => SPAN)
  while (noted.dropped === 0) await Bun.sleep(1)
  expect(collector.bodies).toHaveLength(requests)
  collector.respond(undefined)
  exporter.add(1, () => SPAN)
  while (collector.spans.length === 0) await Bun.sleep(1)
  await exporter.close()
  expect(noted.lines).toEqual([expect.stringContaining('not exported'), expect.stringContaining('exported again')])
  expect(noted.dropped).toBe(1)
})

test('spans that the collector rejects within a batch are counted', async () => {
  const { exporter, noted } = exporterTo(collector.url)
  collector.respond(() => Response.json({ partialSuccess: { rejectedSpans: '2' } }))
  for (let count = 0; count < 3; count++) exporter.add(1, () => SPAN)
  await exporter.close()
  expect(noted.dropped).toBe(2)
})

test('a collector that never answers: the queue is bounded, nothing more is encoded, and closing ends', async () => {
  collector.respond(() => new Promise(() => {}))
  const { exporter, noted } = exporterTo(collector.url, { batchSpans: 10, queuedSpans: 50, closeMs: 1 })
  let encoded = 0
  for (let count = 0; count < 100_000; count++)
    exporter.add(1, () => {
      encoded += 1
      return SPAN
    })
  // Ten are on their way.
  expect(encoded).toBe(60)
  await exporter.close()
  expect(noted.dropped).toBe(100_000)
  exporter.add(1, () => SPAN)
  expect(noted.dropped).toBe(100_001)
})

test('large spans are bounded by their size', async () => {
  collector.respond(() => new Promise(() => {}))
  const { exporter, noted } = exporterTo(collector.url, { queuedBytes: 10_000, closeMs: 1 })
  for (let count = 0; count < 100; count++) exporter.add(1, () => 'x'.repeat(1_000))
  expect(noted.dropped).toBe(93)
  await exporter.close()
})

test('a collector that is not there, and one that is too slow', async () => {
  for (const [url, timeoutMs] of [
    ['http://127.0.0.1:1', 10_000],
    [collector.url, 1],
  ] as const) {
    collector.respond(() => new Promise(() => {}))
    const { exporter, noted } = exporterTo(url, {}, { timeoutMs })
    exporter.add(1, () => SPAN)
    await exporter.close()
    expect(noted.dropped).toBe(1)
  }
})
