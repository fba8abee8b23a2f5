import { describe, expect, test } from 'bun:test'
import { TestClient } from '../../../http/test-support/serve.ts'
import { createThreadTime } from './thread-time.ts'

const [GREEDY, POLITE, OTHER] = [1n, 2n, 3n]
const LARGE = 1024 * 1024

/** The clock stands still unless it is advanced; what was put off runs when its time has come. */
function threadTimeOf(hasOthers = true) {
  let now = 0
  let waiting: { at: number; run: () => void }[] = []
  const thread = createThreadTime({
    clock: () => now,
    hasOthers: () => hasOthers,
    later: (ms, run) => waiting.push({ at: now + ms, run }),
  })
  /** One iteration of the event loop. */
  async function iterate() {
    const due = waiting.filter(({ at }) => at <= now)
    waiting = waiting.filter(({ at }) => at > now)
    for (const { run } of due) run()
    await Promise.resolve()
  }
  async function pass(ms: number, busy = 1) {
    for (let left = ms; left > 0; left -= 20) {
      now += Math.min(20, left)
      thread.tick(now, busy)
      await iterate()
    }
  }
  const work = (account: bigint, ms: number) =>
    thread.run(account, () => {
      now += ms
    })
  return { thread, iterate, pass, work }
}

/** What became of a turn: `now`, `waits`, `done`, or the seconds after which to retry. */
function outcomeOf(turn: Promise<void> | undefined) {
  const state: { is: string | number } = { is: turn ? 'waits' : 'now' }
  turn?.then(
    () => {
      state.is = 'done'
    },
    (failure) => {
      state.is = failure.info.code === 'rate_limit_exceeded' ? failure.info.retryAfter : failure.info.code
    },
  )
  return state
}

describe('the debt of an account', () => {
  test('is the time that its work has taken, and is worked off at a quarter of a busy thread', async () => {
    const { thread, work, pass } = threadTimeOf()
    await pass(20)
    work(GREEDY, 800)
    expect(thread.debtOf(GREEDY)).toBe(800)
    expect(thread.totals.chargedMs).toBe(800)
    await pass(1_000)
    expect(thread.debtOf(GREEDY)).toBeCloseTo(800 - 1_000 / 4, 0)
  })

  test('is worked off with all the time that nobody needs', async () => {
    const { thread, work, pass } = threadTimeOf()
    work(GREEDY, 800)
    thread.tick(800, 0.3)
    const before = thread.debtOf(GREEDY)
    await pass(500, 0.3)
    expect(before - thread.debtOf(GREEDY)).toBeCloseTo(350, 0)
  })

  test('of many accounts is worked off at three quarters of the thread in all', async () => {
    const { thread, work, pass } = threadTimeOf()
    const accounts = [11n, 12n, 13n, 14n, 15n, 16n]
    for (const account of accounts) thread.charge(account, 5_000)
    work(GREEDY, 0)
    await pass(20)
    const before = accounts.map((account) => thread.debtOf(account))
    await pass(800)
    const workedOff = accounts.map((account, index) => (before[index] ?? 0) - thread.debtOf(account))
    expect(workedOff.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(600, 0)
    expect(workedOff[0]).toBeCloseTo(100, 0)
  })

  test('counts work that fails', () => {
    const { thread, work } = threadTimeOf()
    const fail = () =>
      thread.run(GREEDY, () => {
        work(GREEDY, 5)
        throw new Error('rejected')
      })
    expect(fail).toThrow('rejected')
    expect(thread.debtOf(GREEDY)).toBe(10)
  })
})

describe('an account in debt', () => {
  test('waits before its next body while others are active, and they do not', async () => {
    const { thread, work, pass } = threadTimeOf()
    await pass(20)
    work(GREEDY, 700)
    const greedy = outcomeOf(thread.turn(GREEDY, 0, new TestClient()))
    expect([greedy.is, outcomeOf(thread.turn(POLITE, LARGE, new TestClient())).is]).toEqual(['waits', 'now'])
    await pass(900)
    expect(greedy.is).toBe('waits')
    await pass(1_000)
    expect([greedy.is, thread.queued, thread.totals.delayed]).toEqual(['done', 0, 1])
  })

  test('does not wait while it is alone', () => {
    const { thread, work } = threadTimeOf(false)
    work(GREEDY, 60_000)
    expect(outcomeOf(thread.turn(GREEDY, LARGE, new TestClient())).is).toBe('now')
  })

  test.each([
    [0, 'waits'],
    [900, 'waits'],
    [1_100, 'now'],
  ])('has company for a second after the last request of another account (%d ms)', async (ms, is) => {
    const { thread, pass } = threadTimeOf(false)
    await pass(2_000)
    thread.seen(POLITE)
    for (let requests = 0; requests < 3; requests++) thread.seen(GREEDY)
    await pass(ms)
    thread.seen(GREEDY)
    thread.charge(GREEDY, 1_000)
    expect(outcomeOf(thread.turn(GREEDY, 0, new TestClient())).is).toBe(is)
  })

  test('does not wait for a burst of ordinary size', () => {
    const { thread, work } = threadTimeOf()
    work(GREEDY, 250)
    expect(outcomeOf(thread.turn(GREEDY, 0, new TestClient())).is).toBe('now')
  })

  test('is rejected with the time after which to retry where the wait would be long', async () => {
    const { thread, work, pass } = threadTimeOf()
    await pass(20)
    work(GREEDY, 3_000)
    const greedy = outcomeOf(thread.turn(GREEDY, 0, new TestClient()))
    await pass(20)
    expect(greedy.is).toBe(11)
    expect(thread.totals.rejected).toBe(1)
  })

  test('has no more than 32 requests waiting, and other accounts still have places', async () => {
    const { thread, pass } = threadTimeOf()
    await pass(20)
    for (const account of [GREEDY, OTHER]) thread.charge(account, 1_000)
    const all = Array.from({ length: 40 }, () => outcomeOf(thread.turn(GREEDY, 0, new TestClient())))
    const other = outcomeOf(thread.turn(OTHER, 0, new TestClient()))
    await pass(20)
    expect([all.filter(({ is }) => is === 'waits').length, other.is]).toEqual([32, 'waits'])
    expect(all.at(-1)?.is).toBe(3)
  })

  test('is rejected when its debt grew while it waited, unless nobody waits for it', async () => {
    const { thread, pass } = threadTimeOf()
    await pass(20)
    thread.charge(GREEDY, 1_000)
    const greedy = outcomeOf(thread.turn(GREEDY, 0, new TestClient()))
    const background = outcomeOf(thread.turn(GREEDY, 0, Object.assign(new TestClient(), { isPatient: true })))
    thread.charge(GREEDY, 3_000)
    await pass(10_040)
    expect([typeof greedy.is, background.is]).toEqual(['number', 'waits'])
    await pass(6_000)
    expect(background.is).toBe('done')
  })

  test('leaves the queue when its client disconnects', async () => {
    const { thread } = threadTimeOf()
    thread.charge(GREEDY, 1_000)
    const client = new TestClient()
    const greedy = outcomeOf(thread.turn(GREEDY, 0, client))
    client.disconnect()
    await Promise.resolve()
    expect([greedy.is, thread.queued]).toEqual(['client_closed_request', 0])
  })
})

describe('large bodies', () => {
  test('are parsed one in each iteration of the event loop, in fair order; small ones do not wait', async () => {
    const { thread, iterate } = threadTimeOf()
    thread.charge(GREEDY, 100)
    const turn = (account: bigint, bytes: number) => outcomeOf(thread.turn(account, bytes, new TestClient()))
    const first = turn(GREEDY, LARGE)
    const [second, third] = [turn(GREEDY, LARGE), turn(GREEDY, LARGE)]
    const polite = turn(POLITE, LARGE)
    const all = () => [first, second, third, polite].map(({ is }) => is)
    expect([...all(), turn(OTHER, 20_000).is]).toEqual(['now', 'waits', 'waits', 'waits', 'now'])
    await iterate()
    expect(all()).toEqual(['now', 'waits', 'waits', 'done'])
    await iterate()
    expect(all()).toEqual(['now', 'done', 'waits', 'done'])
    await iterate()
    expect(all()).toEqual(['now', 'done', 'done', 'done'])
    expect(thread.queued).toBe(0)
  })

  test('are all parsed, however many an account that is not in debt sends at once', async () => {
    const { thread, iterate } = threadTimeOf()
    const all = Array.from({ length: 600 }, () => outcomeOf(thread.turn(POLITE, LARGE, new TestClient())))
    for (let iterations = 0; iterations < 600; iterations++) await iterate()
    expect(all.filter(({ is }) => is === 'now' || is === 'done').length).toBe(600)
  })
})
