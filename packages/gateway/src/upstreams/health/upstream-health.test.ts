import { expect, test } from 'bun:test'
import { createHealth } from './health.ts'
import type { Verdict } from './key-health.ts'
import { healthOf } from './upstream-health.ts'

const GOOD: Verdict = { is: 'good', latencyMs: 5 }
const FAILED: Verdict = { is: 'failure' }
const times = (count: number, verdict: Verdict): Verdict[] => Array.from({ length: count }, () => verdict)

test.each<[string, Verdict[][], string]>([
  ['no call', [[]], 'unknown'],
  ['a call that was invalid', [[{ is: 'unknown' }]], 'unknown'],
  ['a good call', [[GOOD]], 'ready'],
  ['a good call, with a key that was not tried', [[GOOD], []], 'ready'],
  ['one failure', [[GOOD, FAILED]], 'degraded'],
  ['three failures, before the circuit breaker opens', [[GOOD, ...times(3, FAILED)]], 'down'],
  ['an open circuit breaker', [times(10, FAILED)], 'down'],
  ['a good call after failures', [[...times(5, FAILED), GOOD]], 'ready'],
  ['one of two keys fails', [[GOOD], times(3, FAILED)], 'degraded'],
  ['one key fails, and the other was not tried', [times(3, FAILED), []], 'degraded'],
  ['both keys fail', [times(3, FAILED), times(4, FAILED)], 'down'],
  ['a rejected key', [[{ is: 'rejected', reason: '401' }]], 'down'],
  ['a model that cools down', [[GOOD, { is: 'limited', waitMs: 1_000, all: false }]], 'degraded'],
  ['a key that cools down', [[GOOD, { is: 'limited', waitMs: 1_000, all: true }]], 'down'],
])('%s', (_, verdicts, expected) => {
  const health = createHealth()
  const keys = verdicts.map((_, index) => `key-${index}-123456`)
  const upstream = { id: 'main', baseUrl: 'http://127.0.0.1:1', keys } as unknown as Parameters<typeof health.keysOf>[0]
  for (const [index, { health: key }] of health.keysOf(upstream).entries())
    for (const verdict of verdicts[index] ?? []) key.record('m', verdict, 0)
  expect(healthOf(health.report(upstream, 1))).toBe(expected as ReturnType<typeof healthOf>)
})

test('nobody was asked', () => expect([healthOf(undefined), healthOf([])]).toEqual(['unknown', 'unknown']))
