import { expect, test } from 'bun:test'
import { Attempt, KeyHealth, type Verdict } from './key-health.ts'

const GOOD: Verdict = { is: 'good', latencyMs: 100 }
const FAILURE: Verdict = { is: 'failure' }
const limited = (waitMs?: number, all = false): Verdict => ({ is: 'limited', waitMs, all })

function attempt(health: KeyHealth, verdict: Verdict, now: number, model = 'm'): void {
  const attempt = new Attempt(health, model, now)
  attempt.record(verdict, now)
  attempt.end(now)
}
function failing(times: number, now = 0): KeyHealth {
  const health = new KeyHealth()
  for (let count = 0; count < times; count++) attempt(health, FAILURE, now)
  return health
}

test('ten failures in a row open the breaker, nine do not', () => {
  expect(failing(9).isReady('m', 0)).toBe(true)
  expect(failing(10).isReady('m', 0)).toBe(false)
  expect(failing(10).report(0)).toMatchObject({ state: 'open', until: 1_000 })
})

const NO_URL: Verdict = { is: 'failure', ofUrl: true }

test('a URL that an upstream lacks counts as a failure; of one that answers elsewhere it pauses only the model', () => {
  const wrong = new KeyHealth()
  for (let count = 0; count < 10; count++) attempt(wrong, NO_URL, 0)
  expect(wrong.report(0)).toMatchObject({ state: 'open', failures: 10 })
  const health = new KeyHealth()
  attempt(health, GOOD, 0, 'text')
  for (let count = 0; count < 30; count++) attempt(health, NO_URL, 0, 'audio')
  expect(health.report(0)).toMatchObject({ state: 'ready', failures: 30, cooling: [{ model: 'audio', until: 30_000 }] })
  expect([health.isReady('text', 0), health.isReady('audio', 0)]).toEqual([true, false])
  expect(health.isUsableAsLastResort('audio', 0)).toBe(true)
  attempt(health, GOOD, 1, 'text')
  expect(health.report(1)).toMatchObject({ failures: 0 })
  health.reset()
  for (let count = 0; count < 10; count++) attempt(health, NO_URL, 2)
  expect(health.report(2)).toMatchObject({ state: 'open' })
})

test('a success in between resets the count', () => {
  const health = failing(9)
  attempt(health, GOOD, 0)
  for (let count = 0; count < 9; count++) attempt(health, FAILURE, 0)
  expect(health.isReady('m', 0)).toBe(true)
})

test('a high failure rate opens the breaker despite occasional successes', () => {
  const health = new KeyHealth()
  let attempts = 0
  while (health.isReady('m', 0) && attempts < 1_000) attempt(health, ++attempts % 9 === 0 ? GOOD : FAILURE, 0)
  expect(attempts).toBeLessThan(100)
})

test('a failure rate of two thirds leaves the breaker closed', () => {
  const health = new KeyHealth()
  for (let attempts = 1; attempts <= 1_000; attempts++) attempt(health, attempts % 3 === 0 ? GOOD : FAILURE, 0)
  expect(health.isReady('m', 0)).toBe(true)
})

test('after the pause one probe is admitted; its success closes the breaker, its failure opens it for twice as long', () => {
  const health = failing(10)
  expect(health.isReady('m', 999)).toBe(false)
  expect(health.isReady('m', 1_000)).toBe(true)
  const probe = new Attempt(health, 'm', 1_000)
  expect([health.isReady('m', 1_000), health.report(1_000).state]).toEqual([false, 'probing'])
  probe.record(FAILURE, 1_100)
  expect([health.isReady('m', 3_099), health.isReady('m', 3_100)]).toEqual([false, true])
  new Attempt(health, 'm', 3_100).record(GOOD, 3_200)
  expect([health.isReady('m', 3_200), health.report(3_200).state]).toEqual([true, 'ready'])
})

test.each<[string, Verdict | undefined]>([
  ['whose client left', undefined],
  ['that failed', FAILURE],
  ['that was limited', limited(0)],
])('an older attempt %s admits no second probe and does not extend the pause', (_, verdict) => {
  const health = new KeyHealth()
  const older = new Attempt(health, 'm', 0)
  for (let count = 0; count < 10; count++) attempt(health, FAILURE, 0)
  const probe = new Attempt(health, 'm', 1_000)
  if (verdict) older.record(verdict, 1_100)
  older.end(1_100)
  expect([health.isReady('m', 1_100), health.report(1_100).state]).toEqual([false, 'probing'])
  probe.record(FAILURE, 1_200)
  expect([health.isReady('m', 3_199), health.isReady('m', 3_200)]).toEqual([false, true])
})

test('a former probe whose stream breaks off admits no second probe', () => {
  const health = failing(10)
  const former = new Attempt(health, 'm', 1_000)
  former.answered(1_100)
  for (let count = 0; count < 10; count++) attempt(health, FAILURE, 2_000)
  const probe = new Attempt(health, 'm', 3_000)
  former.record(FAILURE, 3_100)
  former.end(3_100)
  expect(health.report(3_200).state).toBe('probing')
  probe.record(GOOD, 3_300)
  expect(health.report(3_300).state).toBe('ready')
})

test('an older attempt that succeeds closes the breaker, even while a probe runs', () => {
  const health = new KeyHealth()
  const older = new Attempt(health, 'm', 0)
  for (let count = 0; count < 10; count++) attempt(health, FAILURE, 0)
  const probe = new Attempt(health, 'm', 1_000)
  older.answered(1_100)
  expect(health.isReady('m', 1_100)).toBe(true)
  for (let count = 0; count < 10; count++) attempt(health, FAILURE, 1_200)
  const next = new Attempt(health, 'm', 2_200)
  probe.end(2_300)
  expect(health.report(2_300).state).toBe('probing')
  next.end(2_400)
})

test('time before a request is sent is not part of its latency', () => {
  const health = new KeyHealth()
  const retry = new Attempt(health, 'm', 0)
  retry.sent(400)
  retry.answered(450)
  expect(health.report(450).latencyMs).toBe(50)
})

test('a model with a cool-down and a pause is reported once', () => {
  const health = new KeyHealth()
  attempt(health, limited(2_000), 0)
  attempt(health, { is: 'absent' }, 0)
  expect(health.report(0).cooling).toEqual([{ model: 'm', until: 30_000 }])
})

test('pauses grow to 30 seconds', () => {
  const health = failing(10)
  let now = 0
  for (let probes = 0; probes < 10; probes++) {
    now = health.readyAt('m')
    attempt(health, FAILURE, now)
  }
  expect(health.readyAt('m') - now).toBe(30_000)
})

test('a probe that never ends does not block the key forever', () => {
  const health = failing(10)
  health.startAttempt(1_000)
  expect([health.isReady('m', 120_999), health.isReady('m', 121_000)]).toEqual([false, true])
})

test.each([
  ['what it says', limited(7_000), 7_000],
  ['the usual', limited(), 2_000],
  ['a minute at most', limited(9_999_999), 60_000],
  ['not into the past', limited(-5), 0],
])('a 429 starts a cool-down of %s', (_, verdict, until) => {
  const health = new KeyHealth()
  attempt(health, verdict, 0)
  expect([health.isReady('m', until - 1), health.isReady('m', until)]).toEqual([false, true])
})

test('a 429 applies to one model, or to the key', () => {
  const health = new KeyHealth()
  attempt(health, limited(1_000), 0, 'one')
  expect([health.isReady('one', 0), health.isReady('other', 0)]).toEqual([false, true])
  attempt(health, limited(1_000, true), 0, 'one')
  expect(health.isReady('other', 0)).toBe(false)
})

test.each<[string, Verdict, number]>([
  ['with a retry-after', { is: 'failure', restMs: 7_000 }, 7_000],
  ['with a retry-after of a day', { is: 'failure', restMs: 86_400_000 }, 60_000],
  ['that does not have the model', { is: 'absent' }, 30_000],
])('a key %s serves other models, and this one as a last resort', (_, verdict, until) => {
  const health = new KeyHealth()
  attempt(health, verdict, 0, 'one')
  expect([health.isReady('one', until - 1), health.isReady('one', until), health.isReady('other', 0)]).toEqual([
    false,
    true,
    true,
  ])
  expect([health.isUsableAsLastResort('one', 0), health.hasRetryAfter('one', 0), health.readyAt('one')]).toEqual([
    true,
    false,
    until,
  ])
  expect(health.report(0).cooling).toEqual([{ model: 'one', until }])
})

test('429s are not failures: the breaker stays closed', () => {
  const health = new KeyHealth()
  for (let count = 0; count < 50; count++) attempt(health, limited(0), 0)
  expect(health.report(0).state).toBe('ready')
})

test('a rejected key is disabled with its reason, and tried again after five minutes', () => {
  const health = new KeyHealth()
  attempt(health, { is: 'rejected', reason: 'wrong key' }, 0)
  expect(health.report(0)).toMatchObject({ state: 'rejected', reason: 'wrong key', until: 300_000 })
  expect([health.isReady('m', 299_999), health.isReady('m', 300_000)]).toEqual([false, true])
  health.record('m', GOOD, 300_100)
  expect(health.report(300_100)).toMatchObject({ state: 'ready', reason: undefined })
})

test('load grows with requests in flight and with latency', () => {
  const [fast, slow] = [new KeyHealth(), new KeyHealth()]
  attempt(fast, { is: 'good', latencyMs: 10 }, 0)
  attempt(slow, { is: 'good', latencyMs: 100 }, 0)
  expect(fast.loadFor(1)).toBeLessThan(slow.loadFor(1))
  for (let calls = 0; calls < 10; calls++) fast.startAttempt(0)
  expect(fast.loadFor(1)).toBeGreaterThan(slow.loadFor(1))
  // As many are less for one who is to have more.
  expect(fast.loadFor(10)).toBeLessThan(slow.loadFor(1))
})

test('an attempt without a verdict changes only the number in flight', () => {
  const health = failing(9)
  attempt(health, { is: 'unknown' }, 0)
  expect([health.inFlight, health.isReady('m', 0)]).toEqual([0, true])
  attempt(health, FAILURE, 0)
  expect(health.isReady('m', 0)).toBe(false)
})

test('an attempt ends once; a response that began and broke off counts as success and failure', () => {
  const health = new KeyHealth()
  for (let count = 0; count < 5; count++) {
    const attempt = new Attempt(health, 'm', 0)
    attempt.answered(50)
    attempt.answered(900)
    expect(health.report(0).latencyMs).toBe(50)
    attempt.record(FAILURE, 100)
    attempt.end(100)
    attempt.end(100)
  }
  expect(health.inFlight).toBe(0)
  expect(health.isReady('m', 100)).toBe(true)
})

test('a probe that ends without a verdict admits the next', () => {
  const health = failing(10)
  const probe = new Attempt(health, 'm', 1_000)
  expect(health.isReady('m', 1_000)).toBe(false)
  probe.end(1_001)
  expect(health.isReady('m', 1_001)).toBe(true)
})

test('a key in cool-down or rejected is usable as a last resort, one with an open breaker is not', () => {
  const health = new KeyHealth()
  attempt(health, limited(undefined, true), 0)
  attempt(health, { is: 'rejected', reason: 'wrong key' }, 0)
  expect([health.isReady('m', 1), health.isUsableAsLastResort('m', 1)]).toEqual([false, true])
  expect(failing(10).isUsableAsLastResort('m', 1)).toBe(false)
})

test.each([
  ['a model', false, true],
  ['everything', true, false],
])('a retry-after for %s is respected even as a last resort', (_, all, others) => {
  const health = new KeyHealth()
  attempt(health, limited(5_000, all), 0)
  expect([health.isUsableAsLastResort('m', 4_999), health.isUsableAsLastResort('m', 5_000)]).toEqual([false, true])
  expect(health.isUsableAsLastResort('other', 1)).toBe(others)
})

test('the retry-after for callers covers the breaker, not a probe or a rejection', () => {
  const health = failing(10)
  expect(health.usableAsLastResortAt('m', 0)).toBe(1_000)
  health.record('m', { is: 'rejected', reason: 'wrong key' }, 0)
  expect([health.usableAsLastResortAt('m', 0), health.readyAt('m')]).toEqual([1_000, 300_000])
  health.startAttempt(1_000)
  expect([health.isUsableAsLastResort('m', 1_001), health.usableAsLastResortAt('m', 1_001)]).toEqual([false, 1_000])
})

test('a hundred attempts that fail together open the breaker once, for the first pause', () => {
  expect(failing(100).report(0)).toMatchObject({ state: 'open', until: 1_000 })
})

test('a key is healthy until an attempt fails, and again when one succeeds', () => {
  const health = new KeyHealth()
  expect(health.isHealthy).toBe(true)
  // A rate limit is not a failure, but retrying a rejecting upstream would only add to the load.
  for (const rejection of [limited(0), { is: 'rejected', reason: '401' } as const]) {
    attempt(health, rejection, 0)
    attempt(health, { is: 'unknown' }, 0)
    expect(health.isHealthy).toBe(false)
    attempt(health, GOOD, 0)
    expect(health.isHealthy).toBe(true)
  }
  attempt(health, FAILURE, 0)
  expect(health.isHealthy).toBe(false)
  attempt(health, GOOD, 0)
  expect(health.isHealthy).toBe(true)
})
