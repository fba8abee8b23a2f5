import { describe, expect, test } from 'bun:test'
import { ReadPace } from './read-pace.ts'

const SECOND = 1_000
const KIB = 1024

/** Asks once a second, as connections do, and gives the second in which the reader is too slow; undefined: never. */
function tooSlowAt(seconds: number, accepted: (second: number) => number, isWaiting = (_second: number) => true) {
  const pace = new ReadPace()
  let all = 0
  for (let second = 0; second <= seconds; second++) {
    const now = second * SECOND
    if (isWaiting(second)) pace.begin(now, all)
    else pace.end(now)
    const more = second === 0 ? 0 : accepted(second)
    all += more
    if (more > 0 && isWaiting(second)) pace.progress(now)
    if (pace.isTooSlow(now, all)) return second
  }
  return undefined
}

describe('a client to which bytes wait to be sent', () => {
  test.each([
    ['that reads nothing', () => 0, 75],
    ['that reads nothing any more', (second: number) => (second < 1_000 ? 100 * KIB : 0), 1_075],
    ['that reads a byte from time to time', (second: number) => (second % 60 === 0 ? 1 : 0), 75],
    ['that reads far below the least rate', () => 100, 75],
    ['that was quick for an hour, and then trickles', (second: number) => (second < 3_600 ? KIB * KIB : 10), 3_675],
  ])('%s is too slow', (_, accepted, expected) => {
    expect(tooSlowAt(10_000, accepted)).toBe(expected)
  })

  test.each([
    ['at 2 KiB/s', () => 2 * KIB],
    ['in steps of a minute', (second: number) => (second % 60 === 0 ? 256 * KIB : 0)],
  ])('that reads steadily %s is not', (_, accepted) => {
    expect(tooSlowAt(10_000, accepted)).toBeUndefined()
  })
})

test('silence while nothing waits is no lack of progress, however long', () => {
  expect(
    tooSlowAt(
      10_000,
      () => 0,
      () => false,
    ),
  ).toBeUndefined()
  const isWaiting = (second: number) => second % 1_000 < 50
  expect(tooSlowAt(10_000, (second) => (isWaiting(second) ? 2 * KIB : 0), isWaiting)).toBeUndefined()
})

test('waiting adds up over silences', () => {
  const isWaiting = (second: number) => second % 100 < 50
  expect(tooSlowAt(10_000, (second) => (isWaiting(second) ? 10 : 0), isWaiting)).toBe(125)
})
