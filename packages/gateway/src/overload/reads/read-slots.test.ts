import { describe, expect, test } from 'bun:test'
import { TestClient } from '../../../../http/test-support/serve.ts'
import { createReadSlots, READ_LIMITS, type ReadLimits, type ReadSlot } from './read-slots.ts'

const [GREEDY, POLITE] = [1n, 2n]
/** Between two reads of an account that take no CPU time of their own. */
const PAUSE_MS = 10

/** Iterations of the event loop, the clock and the CPU time are the test's. */
function setUp(limits: Partial<ReadLimits> = {}, isContended = true) {
  const time = { now: 0, cpu: 0 }
  let waiting: { at: number; run: () => void }[] = []
  const slots = createReadSlots(
    {
      clock: () => time.now,
      cpuMs: () => time.cpu,
      isContended: () => isContended,
      later: (ms, run) => void waiting.push({ at: time.now + ms, run }),
    },
    { ...READ_LIMITS, ...limits },
  )
  /** The accounts in the order in which their reads began. */
  const began: bigint[] = []
  const running: { account: bigint; slot: ReadSlot }[] = []
  const rejected: bigint[] = []
  const turn = async () => {
    const due = waiting.filter(({ at }) => at <= time.now)
    waiting = waiting.filter(({ at }) => at > time.now)
    for (const { run } of due) run()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    time,
    slots,
    began,
    running,
    rejected,
    turn,
    read(account: bigint, client = new TestClient()) {
      void slots.enter(account, client).then((slot) => {
        if (!slot) return rejected.push(account)
        began.push(account)
        return running.push({ account, slot })
      })
    },
    /** The oldest running read of the account ends, after so much CPU time. */
    end(account: bigint, cpuMs = 0) {
      const [ended] = running.splice(
        running.findIndex((each) => each.account === account),
        1,
      )
      time.cpu += cpuMs
      time.now += cpuMs
      ended?.slot.release()
    },
    async turns(count: number) {
      for (let index = 0; index < count; index += 1) await turn()
    },
  }
}

describe('reads beside other requests', () => {
  test('a greedy account has two in work at once, and another one waits for none of its queued reads', async () => {
    const { read, turns, began, slots, end, time } = setUp()
    for (let index = 0; index < 64; index += 1) read(GREEDY)
    for (let count = 0; count < 20; count += 1) {
      await turns(2)
      time.now += PAUSE_MS
    }
    expect([slots.running, slots.queued]).toEqual([2, 62])
    read(POLITE)
    await turns(2)
    expect(began).toEqual([GREEDY, GREEDY, POLITE])
    end(GREEDY)
    read(POLITE)
    time.now += PAUSE_MS
    await turns(2)
    expect(began.slice(3).toSorted()).toEqual([GREEDY, POLITE])
  })

  test('all accounts together have a limited number in work', async () => {
    const { read, turns, slots } = setUp({ atOnce: 3 })
    for (let account = 1n; account <= 10n; account += 1n) read(account)
    await turns(20)
    expect([slots.running, slots.queued]).toEqual([3, 7])
  })

  test('two of one account begin 10 ms apart', async () => {
    const { read, turns, began, time } = setUp()
    read(GREEDY)
    read(GREEDY)
    time.now += PAUSE_MS - 1
    await turns(3)
    expect(began).toHaveLength(1)
    time.now += PAUSE_MS
    await turns(3)
    expect(began).toHaveLength(2)
  })

  test('two never begin in the same iteration of the event loop', async () => {
    const { read, turn, began } = setUp()
    for (let account = 1n; account <= 5n; account += 1n) read(account)
    const counts: number[] = []
    for (let index = 0; index < 5; index += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      counts.push(began.length)
      await turn()
    }
    expect(counts).toEqual([1, 2, 3, 4, 5])
  })

  test('the next one waits for three times the CPU time of the last, and of its connection', async () => {
    const { read, turns, began, end, time } = setUp({ atOnce: 1 })
    for (let index = 0; index < 3; index += 1) read(GREEDY)
    await turns(3)
    end(GREEDY, 4)
    await turns(3)
    expect(began).toHaveLength(1)
    time.now += 13
    await turns(3)
    expect(began).toHaveLength(1)
    time.now += 1
    await turns(3)
    expect(began).toHaveLength(2)
  })

  test('reads alone do not wait, and much CPU time delays the next by a tenth of a second at most', async () => {
    const alone = setUp({ atOnce: 1 }, false)
    alone.read(GREEDY)
    alone.read(GREEDY)
    await alone.turns(2)
    alone.end(GREEDY, 1_000)
    await alone.turns(2)
    expect(alone.began).toHaveLength(2)
    const contended = setUp({ atOnce: 1 })
    contended.read(GREEDY)
    contended.read(GREEDY)
    await contended.turns(2)
    contended.end(GREEDY, 1_000)
    contended.time.now += 100
    await contended.turns(2)
    expect(contended.began).toHaveLength(2)
  })
})

describe('the queue', () => {
  test('is bounded in all and per account', async () => {
    const { read, turns, rejected, slots } = setUp({ atOnce: 1, queued: 5, queuedPerAccount: 3 })
    for (let index = 0; index < 6; index += 1) read(GREEDY)
    await turns(1)
    expect([rejected.length, slots.queued]).toEqual([2, 3])
    for (let account = 10n; account < 15n; account += 1n) read(account)
    await turns(1)
    expect([rejected.length, slots.queued]).toEqual([5, 5])
  })

  test('gives up what waited too long, and clients that disconnected', async () => {
    const { read, turns, rejected, slots, time } = setUp({ atOnce: 1, queueMs: 1_000 })
    const client = new TestClient()
    read(GREEDY)
    read(GREEDY, client)
    read(POLITE)
    await turns(1)
    client.onDisconnect?.()
    await turns(1)
    expect(rejected).toEqual([GREEDY])
    time.now += 1_000
    slots.tick(time.now)
    await turns(1)
    expect(rejected).toEqual([GREEDY, POLITE])
    expect(slots.queued).toBe(0)
  })

  test('a slot that is released twice is free once', async () => {
    const { read, turns, slots, running, time } = setUp({ atOnce: 2, atOncePerAccount: 2 })
    for (let index = 0; index < 4; index += 1) read(GREEDY)
    await turns(2)
    time.now += PAUSE_MS
    await turns(2)
    running[0]?.slot.release()
    running[0]?.slot.release()
    time.now += PAUSE_MS
    await turns(4)
    expect([slots.running, slots.queued]).toEqual([2, 1])
  })
})
