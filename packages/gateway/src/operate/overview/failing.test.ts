import { expect, test } from 'bun:test'
import type { OperationContext } from '../operation.ts'
import { failingUpstreams } from './failing.ts'

const HOUR = 3_600_000
const NOW = 100 * HOUR + 5

type Hour = { good?: number; failed?: number }

const contextOf = (hours: readonly Hour[], recent: Hour): OperationContext => {
  const counts = (each: Hour) =>
    (['good', 'failed'] as const).flatMap((measure) =>
      each[measure] === undefined ? [] : [{ upstream: 'main', measure, bucket: 3, count: each[measure] }],
    )
  return {
    config: { upstreams: new Map([['main', {}]]) },
    routing: { measures: { recent: () => ({ counts: counts(recent), keys: [] }) } },
    storage: {
      now: () => NOW,
      upstreams: {
        counts: async () =>
          hours.flatMap((each, at) => counts(each).map((count) => ({ ...count, hour: (100 - at) * HOUR }))),
      },
      lists: { requests: async () => ({ rows: [] }) },
    },
  } as never
}

/** Hours as they are stored, the current one first, and what this process has not stored yet. */
test.each<[string, Hour[], Hour, number[]]>([
  ['too few', [{ failed: 2 }], {}, []],
  ['those of the hour', [{ failed: 4 }], { failed: 2 }, [6]],
  ['of several hours, up to the last success', [{ failed: 1 }, {}, { failed: 2 }, { good: 1, failed: 9 }], {}, [3]],
  ['a success within the same hour: the order is not known', [{ good: 1, failed: 9 }], {}, []],
  ['a success just now', [{ failed: 9 }], { good: 1 }, []],
  ['no traffic', [], {}, []],
])('the last calls that all failed: %s', async (_, hours, recent, calls) => {
  const failing = await failingUpstreams(contextOf(hours, recent))
  expect(failing.map((each) => each.calls)).toEqual(calls)
})
