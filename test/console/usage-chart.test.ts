// The numbers behind the charts of the console.
import { describe, expect, test } from 'bun:test'
import { labelled, ticksFor } from '../../packages/console/src/charts/scale.ts'
import { daysOf, periodOf } from '../../packages/console/src/pages/usage/range.ts'
import { chartOf, usdText } from '../../packages/console/src/pages/usage/series.ts'

describe('ticks', () => {
  test.each([
    [0, [0]],
    [0.00023, [0, 0.0001, 0.0002, 0.0003]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [7.2, [0, 2, 4, 6, 8]],
    [999, [0, 250, 500, 750, 1000]],
  ])('up to %p', (most, expected) => {
    const ticks = ticksFor(most)
    expect(ticks).toHaveLength(expected.length)
    for (const [index, tick] of ticks.entries()) expect(tick).toBeCloseTo(expected[index] ?? Number.NaN, 12)
  })
})

describe('labels', () => {
  test('all that fit', () => {
    expect([0, 1, 2].filter(labelled(3, 300, 60))).toEqual([0, 1, 2])
  })
  test('else every second or third, the last always', () => {
    expect([0, 1, 2, 3, 4].filter(labelled(5, 150, 60))).toEqual([0, 2, 4])
  })
})

const STEPS = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
const point = (at: number, name: string, cost_usd: string) => ({
  at: STEPS[at] ?? '',
  name,
  label: name,
  requests: 1,
  tokens: 10,
  cost_usd,
})

describe('usage chart', () => {
  test('sums are exact', () => {
    const { series, totals } = chartOf(
      [point(0, 'a', '0.000000001'), point(0, 'b', '0.10'), point(1, 'a', '12.345678901')],
      ...[STEPS, 'spend' as const, usdText, 'Other'],
    )
    expect(totals).toEqual(['0.100000001', '12.345678901'])
    expect(series.map(({ name, shown }) => [name, shown])).toEqual([
      ['a', ['0.000000001', '12.345678901']],
      ['b', ['0.10', '0.00']],
    ])
  })

  test('a day on which more was returned than charged is negative', () => {
    const points = [point(0, 'a', '-0.04'), point(1, 'a', '0.05'), point(1, 'b', '-1.25')]
    const { series, totals } = chartOf(points, STEPS, 'spend', usdText, 'Other')
    expect(totals).toEqual(['-0.04', '-1.20'])
    expect(series.map(({ name, values }) => [name, values])).toEqual([
      ['a', [-0.04, 0.05]],
      ['b', [0, -1.25]],
    ])
  })

  test('the largest have a series each, the others one in common', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const points = [point(0, '', '90.00'), ...names.map((name, index) => point(0, name, `${names.length - index}.00`))]
    const { series } = chartOf(points, STEPS, 'spend', usdText, 'Other')
    expect(series.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd', 'e', 'Other'])
    expect(series.at(-1)?.shown[0]).toBe('93.00')
  })
})

describe('period', () => {
  const NOW = Date.parse('2026-01-10T12:34:56Z')
  test.each([
    ['24h', 'hour', 24, '2026-01-09T13:00:00.000Z'],
    ['7d', 'day', 7, '2026-01-04T00:00:00.000Z'],
    ['90d', 'day', 90, '2025-10-13T00:00:00.000Z'],
    ['nonsense', 'day', 7, '2026-01-04T00:00:00.000Z'],
  ])('%s', (range, step, count, first) => {
    const period = periodOf(range, '', '', NOW)
    expect([period.step, period.steps.length, period.steps[0]]).toEqual([step, count, first])
    expect(Date.parse(period.to)).toBeGreaterThan(NOW)
  })

  // [from, to, step, count, first step]; no period: the preset.
  test.each([
    ['2026-01-05', '2026-01-05', 'hour', 24, '2026-01-05T00:00:00.000Z'],
    ['2026-01-05', '2026-01-06', 'hour', 48, '2026-01-05T00:00:00.000Z'],
    ['2025-12-30', '2026-01-01', 'day', 3, '2025-12-30T00:00:00.000Z'],
    ['2025-01-01', '2026-02-04', 'day', 400, '2025-01-01T00:00:00.000Z'],
    ['2025-01-01', '2026-02-05', 'day', 7, '2026-01-04T00:00:00.000Z'],
    ['2026-01-06', '2026-01-05', 'day', 7, '2026-01-04T00:00:00.000Z'],
    ['2026-01-05', '', 'day', 7, '2026-01-04T00:00:00.000Z'],
    ['2026-02-31', '2026-03-40', 'day', 7, '2026-01-04T00:00:00.000Z'],
    ['0002-01-05', '2026-01-05', 'day', 7, '2026-01-04T00:00:00.000Z'],
  ])('chosen: %s to %s', (from, to, step, count, first) => {
    const period = periodOf('7d', from, to, NOW)
    expect([period.step, period.steps.length, period.steps[0]]).toEqual([step, count, first])
    if (count !== 7) expect(daysOf(period)).toEqual({ from, to })
  })
})
