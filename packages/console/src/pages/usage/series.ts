// The answer of the API as series of a chart: the largest ones, and the sum of the others. Pure.
import type { SeriesPoint } from '../../api/types.ts'
import type { Series } from '../../charts/series.ts'

export type Measure = 'spend' | 'tokens' | 'requests'

/** The API names as many, by any measure; the others come as points without a name. */
const MOST_SERIES = 5
/** The name of the sum of all others. */
export const OTHER_SERIES = '\u0000other'
/** Amounts have nine decimals: sums of them are exact as whole numbers. */
const NANOS = 1_000_000_000

/** In whole units of the measure: nano-USD, tokens or requests. */
function unitsOf({ cost_usd, tokens, requests }: SeriesPoint, measure: Measure): bigint {
  return measure === 'spend' ? nanosOf(cost_usd) : BigInt(measure === 'tokens' ? tokens : requests)
}

export function nanosOf(usd: string): bigint {
  // The sum of a day is negative if more was returned than charged.
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(usd) ?? []
  const units = BigInt(whole + fraction.padEnd(9, '0').slice(0, 9))
  return sign === '-' ? -units : units
}

/** What one of so many cost, to the nearest of nine decimals. */
export function meanUsd(usd: string, count: number): string {
  const [nanos, by] = [nanosOf(usd), BigInt(count)]
  const half = nanos < 0n ? -by / 2n : by / 2n
  return usdText((nanos + half) / by)
}

export type ShowUnits = (units: bigint) => string

/** `12340000n` -> `0.01234` */
export function usdText(nanos: bigint): string {
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '').padEnd(2, '0')
  return `${nanos < 0n ? '-' : ''}${digits.slice(0, -9)}.${fraction}`
}

export function chartOf(
  points: readonly SeriesPoint[],
  steps: readonly string[],
  measure: Measure,
  show: ShowUnits,
  other: string,
): { series: Omit<Series, 'colour'>[]; totals: string[] } {
  const indexOf = new Map(steps.map((step, index) => [Date.parse(step), index]))
  const byName = new Map<string, { label: string; units: bigint[]; sum: bigint }>()
  const totals = steps.map(() => 0n)
  for (const point of points) {
    const step = indexOf.get(Date.parse(point.at))
    if (step === undefined) continue
    const units = unitsOf(point, measure)
    const each = byName.get(point.name) ?? { label: point.label, units: steps.map(() => 0n), sum: 0n }
    each.units[step] = (each.units[step] ?? 0n) + units
    each.sum += units
    totals[step] = (totals[step] ?? 0n) + units
    byName.set(point.name, each)
  }
  const named = [...byName].filter(([name]) => name !== '')
  const largest = named.sort(([, one], [, two]) => (one.sum < two.sum ? 1 : one.sum > two.sum ? -1 : 0))
  const rest = [...largest.slice(MOST_SERIES), ...[...byName].filter(([name]) => name === '')]
  const shown = largest.slice(0, MOST_SERIES).map(([name, each]) => ({ name, label: each.label, units: each.units }))
  if (rest.length > 0) {
    const units = steps.map((_, step) => rest.reduce((sum, [, each]) => sum + (each.units[step] ?? 0n), 0n))
    shown.push({ name: OTHER_SERIES, label: other, units })
  }
  const scale = measure === 'spend' ? NANOS : 1
  const series = shown.map(({ name, label, units }) => ({
    name,
    label,
    values: units.map((each) => Number(each) / scale),
    shown: units.map(show),
  }))
  return { series, totals: totals.map(show) }
}
