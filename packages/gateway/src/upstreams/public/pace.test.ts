import { expect, test } from 'bun:test'
import { LEAST_PACE, PaceMeter } from './pace.ts'

/** How long a download at this rate goes on, in seconds; undefined: an hour and longer. A piece arrives every `everyMs`. */
function lasts(rate: (second: number) => number, everyMs: number): number | undefined {
  const meter = new PaceMeter(LEAST_PACE)
  for (let ms = everyMs; ms <= 3_600_000; ms += everyMs)
    if (!meter.arrived((rate(ms / 1_000) * everyMs) / 1_000, everyMs)) return ms / 1_000
  return undefined
}

test.each<[string, number | undefined, (second: number) => number, number]>([
  ['50 bytes a second', 30, () => 50, 1_000],
  ['a little less than the least', 30, () => 8_191, 1_000],
  ['the least', undefined, () => 8_192, 1_000],
  ['the least, in rare pieces', undefined, () => 8_192, 45_000],
  ['a little more than the least, in many pieces', undefined, () => 8_200, 10],
  ['nothing at first', undefined, (second) => (second <= 25 ? 0 : 1e6), 1_000],
  ['much, then little: only the last minute counts', 160, (second) => (second <= 100 ? 1e6 : 1), 1_000],
  ['pauses that a minute makes up for', undefined, (second) => (second % 60 < 10 ? 60_000 : 0), 1_000],
])('%s', (_, seconds, rate, everyMs) => {
  const found = lasts(rate, everyMs)
  if (seconds === undefined || found === undefined) return expect(found).toBe(seconds)
  expect(Math.abs(found - seconds)).toBeLessThanOrEqual(2)
})
