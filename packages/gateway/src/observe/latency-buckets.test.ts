import { describe, expect, test } from 'bun:test'
import { bucketOf, createLatencies, medians } from './latency-buckets.ts'

describe('latency buckets', () => {
  test.each([
    ['one time', [240], 240],
    ['an odd number', [100, 200, 5_000], 200],
    ['most of them quick', [50, 50, 50, 9_000], 50],
    ['below a millisecond', [0, 0.2], 1],
  ])('the median of %s is exact to a tenth', (_, times, median) => {
    const latencies = createLatencies()
    for (const ms of times) latencies.note('m', ms)
    const found = medians(latencies.take()).get('m') ?? 0
    expect(Math.abs(found - median) / median).toBeLessThan(0.1)
  })

  test('hours fall into the last bucket', () => {
    expect(bucketOf(1e12)).toBe(bucketOf(1e11))
  })

  test('each model has its own counts, and what is taken is counted once', () => {
    const latencies = createLatencies()
    latencies.note('a', 10)
    latencies.note('b', 1_000)
    expect(new Set(medians(latencies.take()).keys())).toEqual(new Set(['a', 'b']))
    expect(latencies.take()).toEqual([])
  })
})
