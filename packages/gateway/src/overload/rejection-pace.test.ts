import { describe, expect, test } from 'bun:test'
import { createRejectionPace } from './rejection-pace.ts'

const rejections = (count: number, run: () => number): number[] => Array.from({ length: count }, run)

describe('rejections of an account', () => {
  test('are sent at once up to a burst, and then at a rate', () => {
    let now = 0
    const pace = createRejectionPace(() => now)
    expect(Math.max(...rejections(100, () => pace.delayOf(1n)))).toBe(0)
    expect(rejections(3, () => pace.delayOf(1n))).toEqual([10, 20, 30])
    expect(pace.delayOf(2n)).toBe(0)
    now = 2_000
    expect(pace.delayOf(1n)).toBe(0)
  })

  test('are held back for a second at most', () => {
    const pace = createRejectionPace(() => 0)
    expect(Math.max(...rejections(5_000, () => pace.delayOf(1n)))).toBe(1_000)
  })
})
