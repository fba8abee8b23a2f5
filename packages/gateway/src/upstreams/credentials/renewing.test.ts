// When a credential is read again, who waits for it, and what happens while it cannot be read. The clock is the test's.
import { describe, expect, test } from 'bun:test'
import { CredentialUnavailable, type Expiring, type Source, SourceFailed } from './credential.ts'
import { Renewing } from './renewing.ts'

const MINUTE = 60_000
const START = 1_800_000_000_000

/** A source that answers when the test says so, and timers that fire when the clock passes them. */
function setup() {
  let now = START
  const timers = new Set<{ at: number; run(): void }>()
  const reads: { resolve(read: Expiring<string>): void; reject(error: unknown): void; signal: AbortSignal }[] = []
  const reports: string[] = []
  let inFlight = 0
  let mostInFlight = 0
  const source: Source<string> = {
    name: 'the source',
    async read(signal) {
      mostInFlight = Math.max(mostInFlight, ++inFlight)
      const { promise, resolve, reject } = Promise.withResolvers<Expiring<string>>()
      reads.push({ resolve, reject, signal })
      return await promise.finally(() => inFlight--)
    },
  }
  const renewing = new Renewing(source, {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    failed: (message) => reports.push(message),
    recovered: () => reports.push('recovered'),
  })
  const settle = async () => {
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
  }
  return {
    renewing,
    reads,
    reports,
    most: () => mostInFlight,
    timers: () => timers.size,
    settle,
    async pass(ms: number) {
      now += ms
      for (const timer of timers) {
        if (timer.at > now) continue
        timers.delete(timer)
        timer.run()
      }
      await settle()
    },
    async give(value: string, lifeMs: number | undefined) {
      await settle()
      reads.at(-1)?.resolve({ value, expiresAt: lifeMs === undefined ? undefined : now + lifeMs })
      await settle()
    },
    async fail(error: unknown) {
      await settle()
      reads.at(-1)?.reject(error)
      await settle()
    },
  }
}

type Setup = ReturnType<typeof setup>

async function withToken(lifeMs: number | undefined): Promise<Setup> {
  const made = setup()
  const first = made.renewing.value()
  await made.give('one', lifeMs)
  expect(await first).toBe('one')
  return made
}

const outcome = async (value: string | Promise<string>): Promise<string> => {
  try {
    return await value
  } catch (error) {
    expect(error).toBeInstanceOf(CredentialUnavailable)
    return `unavailable: ${(error as Error).message}`
  }
}

describe('a valid credential', () => {
  test.each([
    ['an hour', 60 * MINUTE, 55 * MINUTE],
    ['half an hour', 30 * MINUTE, 25 * MINUTE],
    ['25 minutes', 25 * MINUTE, 20 * MINUTE],
    ['10 minutes', 10 * MINUTE, 8 * MINUTE],
    ['20 seconds', 20_000, 16_000],
  ])('that lives %s is read again after %d ms, once, and used meanwhile', async (_, lifeMs, renewedAfterMs) => {
    const { renewing, reads, pass, give } = await withToken(lifeMs)
    await pass(renewedAfterMs - 1)
    expect([renewing.value(), reads.length]).toEqual(['one', 1])
    await pass(1)
    // Without a promise: nobody waits.
    for (let requests = 0; requests < 10; requests++) expect(renewing.value()).toBe('one')
    expect(reads.length).toBe(2)
    await give('two', lifeMs)
    expect([renewing.value(), renewing.lastTwo, reads.length]).toEqual(['two', ['two', 'one'], 2])
  })

  test('without an end is read once', async () => {
    const { renewing, reads, pass } = await withToken(undefined)
    await pass(365 * 24 * 60 * MINUTE)
    expect([renewing.value(), reads.length, renewing.expiresAt]).toEqual(['one', 1, undefined])
  })

  test('is used until its end while the source fails, which is reported once; then a new one is', async () => {
    const { renewing, reads, reports, pass, fail, give } = await withToken(60 * MINUTE)
    await pass(55 * MINUTE)
    for (let failures = 0; failures < 4; failures++) {
      expect(renewing.value()).toBe('one')
      await fail(new SourceFailed('the source: down'))
      expect([renewing.value(), renewing.problem]).toEqual(['one', undefined])
      await pass(MINUTE)
    }
    expect(reports).toEqual(['the source: down'])
    expect(renewing.value()).toBe('one')
    await give('two', 60 * MINUTE)
    expect([renewing.value(), reads.length, reports.at(-1)]).toEqual(['two', 6, 'recovered'])
  })
})

describe('without a valid credential', () => {
  test('requests share one reading', async () => {
    const { renewing, reads, give, most, timers } = setup()
    const waiting = Array.from({ length: 200 }, () => outcome(renewing.value()))
    await give('one', MINUTE)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['one']))
    expect([reads.length, most(), timers()]).toEqual([1, 1, 0])
  })

  test('a request waits 5 s, while the reading goes on for the next ones', async () => {
    const { renewing, reads, pass, give } = setup()
    const early = outcome(renewing.value())
    await pass(4_999)
    const late = outcome(renewing.value())
    await pass(1)
    expect(await early).toBe('unavailable: the source: no answer yet, after 5 s')
    await give('one', MINUTE)
    expect([await late, renewing.value(), reads.length]).toEqual(['one', 'one', 1])
  })

  test('a reading ends after 30 s, whether the source hears it or not', async () => {
    const { renewing, reads, reports, pass } = setup()
    const first = outcome(renewing.value())
    await pass(30_000)
    expect(await first).toStartWith('unavailable: the source: no answer')
    expect([reads[0]?.signal.aborted, reports]).toEqual([true, ['the source: no answer within 30 s']])
    await pass(1_000)
    void outcome(renewing.value())
    expect(reads.length).toBe(2)
  })

  test('requests fail at once between readings, which become rare', async () => {
    const { renewing, reads, reports, pass, fail } = setup()
    const pauses = [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000)
    for (const [failures, pause] of pauses.entries()) {
      const first = outcome(renewing.value())
      expect(reads.length).toBe(failures + 1)
      await fail(new SourceFailed('the source: set client_secret'))
      expect(await first).toBe('unavailable: the source: set client_secret')
      await pass(pause - 1)
      expect(await outcome(renewing.value())).toBe('unavailable: the source: set client_secret')
      expect(reads.length).toBe(failures + 1)
      await pass(1)
    }
    expect([reports, renewing.problem]).toEqual([['the source: set client_secret'], 'the source: set client_secret'])
  })

  test('an unexpected error is named without its message, which may have a secret', async () => {
    const { renewing, fail } = setup()
    const first = outcome(renewing.value())
    await fail(new TypeError('the-planted-secret'))
    expect(await first).toBe('unavailable: the source: TypeError')
  })

  test('a credential that has expired is none', async () => {
    const { renewing, give } = setup()
    const first = outcome(renewing.value())
    await give('old', 0)
    expect(await first).toContain('it gives a credential that has expired; is the clock of this machine right?')
  })
})

describe('a rejected credential', () => {
  test('is renewed once for all requests that had it', async () => {
    const { renewing, reads, give } = await withToken(60 * MINUTE)
    const renewals = Promise.all(Array.from({ length: 50 }, () => renewing.renew('one')))
    await give('two', 60 * MINUTE)
    expect(new Set(await renewals)).toEqual(new Set([true]))
    expect([renewing.value(), reads.length]).toEqual(['two', 2])
    // It was sent before the renewal.
    expect([await renewing.renew('one'), reads.length]).toEqual([true, 2])
  })

  test('that the source gives again is not sent again, and not asked for with each request', async () => {
    const { renewing, reads, pass, give } = await withToken(60 * MINUTE)
    await pass(2_000)
    const renewal = renewing.renew('one')
    await give('one', 58 * MINUTE)
    expect([await renewal, await renewing.renew('one'), reads.length]).toEqual([false, false, 2])
    await pass(30_000)
    const again = renewing.renew('one')
    await give('two', MINUTE)
    expect([await again, reads.length]).toEqual([true, 3])
  })

  test('is not waited for longer than 5 s', async () => {
    const { renewing, pass } = await withToken(60 * MINUTE)
    await pass(2_000)
    const renewal = renewing.renew('one')
    await pass(5_000)
    expect([await renewal, renewing.value()]).toEqual([false, 'one'])
  })
})
