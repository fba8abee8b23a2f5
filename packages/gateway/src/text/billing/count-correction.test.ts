import { describe, expect, test } from 'bun:test'
import { learnCorrection, noteCount } from './count-correction.ts'
import { createStatistics } from './model-statistics.ts'

const ofModel = () => createStatistics().of('m')
const request = (tokens: number, { account = 1n, bytes = 10_000, at = 0 } = {}) => ({ account, bytes, tokens, at })

describe('the factor of a model', () => {
  test('is 1 at first, and approaches what is billed', () => {
    const statistics = ofModel()
    expect(statistics.countCorrection).toBe(1)
    for (let round = 0; round < 20; round++) {
      noteCount(statistics, request(1_000))
      learnCorrection(statistics, request(1_300))
    }
    expect(statistics.countCorrection).toBeCloseTo(1.3, 2)
  })

  test('one comparison moves it a quarter of the way, and is made once', () => {
    const statistics = ofModel()
    noteCount(statistics, request(1_000))
    learnCorrection(statistics, request(1_400))
    learnCorrection(statistics, request(1_400))
    expect(statistics.countCorrection).toBeCloseTo(1.1, 9)
  })

  test.each([
    [1_000_000, 2],
    [1, 0.5],
  ])('stays within bounds where %d tokens are billed', (billed, bound) => {
    const statistics = ofModel()
    for (let round = 0; round < 100; round++) {
      noteCount(statistics, request(1_000))
      learnCorrection(statistics, request(billed))
    }
    expect(statistics.countCorrection).toBeCloseTo(bound, 6)
  })

  test.each([
    ['another account', { account: 2n }],
    ['another size', { bytes: 12_000 }],
    ['a request with images', { bytes: 0 }],
    ['a request that comes too late', { at: 301_000 }],
  ])('%s is not compared', (_, other) => {
    const statistics = ofModel()
    noteCount(statistics, request(1_000))
    learnCorrection(statistics, request(2_000, other))
    expect(statistics.countCorrection).toBe(1)
    learnCorrection(statistics, request(2_000, { bytes: 10_400 }))
    expect(statistics.countCorrection).toBe(1.25)
  })

  test('unreported usage, short requests and empty counts teach nothing; the list is bounded', () => {
    const statistics = ofModel()
    noteCount(statistics, request(1_000, { bytes: 100 }))
    noteCount(statistics, request(0))
    expect(statistics.recentCounts).toEqual([])
    for (let count = 0; count < 100; count++) noteCount(statistics, request(1_000))
    expect(statistics.recentCounts).toHaveLength(32)
    learnCorrection(statistics, request(0))
    expect([statistics.countCorrection, statistics.recentCounts.length]).toEqual([1, 32])
  })
})
