import { describe, expect, test } from 'bun:test'
import { TestClient } from '../../../http/test-support/serve.ts'
import { admissionOf, load, settled } from '../../test-support/admission.ts'
import type { Admission, Slot } from './admission.ts'

test('counts requests and their weight; a slot is released once', () => {
  const { admission } = admissionOf(2)
  const first = admission.enter(load(60))
  expect(admission.enter(load(50))).toBeUndefined()
  first?.resize(10)
  const second = admission.enter(load(50))
  expect([admission.inFlight, admission.bytes, admission.enter(load(0))]).toEqual([2, 60, undefined])
  first?.release()
  first?.release()
  first?.resize(1_000)
  expect([admission.inFlight, admission.bytes]).toEqual([1, 50])
  second?.release()
  expect([admission.inFlight, admission.bytes]).toEqual([0, 0])
})

test('a body larger than the whole memory enters when nothing else runs', () => {
  const { admission } = admissionOf(2)
  expect(admission.enter(load(1_000))).toBeDefined()
  expect(admission.enter(load(1))).toBeUndefined()
})

test('a request that runs alone may grow to the whole memory, and not beyond it', () => {
  const { admission } = admissionOf(2)
  const slot = admission.enter(load(10))
  expect([slot?.weigh(100), slot?.weigh(101), slot?.receive(10, 101), slot?.received(101)]).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect(admission.bytes).toBe(100)
})

test('limits can change while requests run and others are queued', async () => {
  const { admission, wait, slots } = admissionOf(1)
  admission.enter(load(1))
  expect(admission.enter(load(1))).toBeUndefined()
  wait(1)
  admission.setLimits({ inFlight: 3, memoryBytes: 100 })
  await settled()
  expect([slots.length, admission.inFlight]).toEqual([1, 2])
  expect(admission.enter(load(1))).toBeDefined()
})

test('queued requests are served in FIFO order, and no other request overtakes them', async () => {
  const { admission, wait, slots } = admissionOf(1)
  const running = admission.enter(load(10))
  wait(1)
  wait(2)
  running?.release()
  // The slot is taken for the first request, which has not been notified yet.
  expect([admission.enter(load(1)), admission.bytes, admission.queued]).toEqual([undefined, 1, 1])
  await settled()
  slots[0]?.release()
  await settled()
  expect([slots.length, admission.bytes, admission.queued]).toEqual([2, 2, 0])
})

test('a released body makes room for requests queued for memory, in FIFO order', async () => {
  const { admission, wait, slots } = admissionOf(10)
  const running = admission.enter(load(90))
  wait(50)
  wait(5)
  await settled()
  expect([slots.length, admission.enter(load(5))]).toEqual([0, undefined])
  running?.resize(50)
  await settled()
  expect([slots.length, admission.bytes, admission.queued]).toEqual([1, 100, 1])
  running?.resize(0)
  await settled()
  expect([slots.length, admission.bytes, admission.inFlight]).toEqual([2, 55, 3])
})

test('a queued request expires after half a second and frees its queue position', async () => {
  const { admission, wait, slots, pass } = admissionOf(1)
  admission.enter(load(1))
  wait(1)
  await pass(250)
  expect(slots).toEqual([])
  await pass(250)
  expect([slots, admission.queued, admission.inFlight]).toEqual([[undefined], 0, 1])
})

test('bodies of unknown length queue like any other: hardly anything of them has arrived', async () => {
  const MEMORY = 32 * 1024 * 1024
  const { admission, wait, slots } = admissionOf(1, MEMORY)
  const running = admission.enter(load(1))
  for (let count = 0; count < 3; count++) wait(MEMORY)
  expect([admission.queued, slots]).toEqual([3, []])
  running?.release()
  // One of them may come in, and be as long as is feared.
  expect([admission.queued, admission.bytes]).toEqual([2, MEMORY])
  slots[0]?.release()
  slots[1]?.release()
  slots[2]?.release()
  expect([admission.queued, admission.bytes]).toEqual([0, 0])
})

test('a disconnected client leaves the queue', async () => {
  const { admission, wait, slots } = admissionOf(1)
  const running = admission.enter(load(1))
  const leaving = new TestClient()
  wait(60, leaving)
  wait(90)
  // With the first request queued, the second would exceed the limit.
  await settled()
  expect(slots).toEqual([undefined])
  leaving.disconnect()
  wait(90)
  running?.release()
  await settled()
  expect([slots.length, slots[2] !== undefined, admission.bytes]).toEqual([3, true, 90])
  wait(1, leaving)
  await settled()
  expect([slots.length, admission.queued]).toEqual([4, 0])
})

test('the queue is bounded; when it is full other requests are to be rejected at once', async () => {
  const { admission, wait, slots } = admissionOf(1)
  admission.enter(load(0))
  let waiting = 0
  for (; !admission.isShedding && waiting < 10_000; waiting++) wait(0)
  expect(waiting).toBe(64)
  wait(0)
  await settled()
  expect(slots).toEqual([undefined])
})

test('the queue is as long as the rate allows, and shorter once it does not get empty', async () => {
  const { admission, wait, slots, pass } = admissionOf(500, 1e9)
  // 500 in a quarter of a second: 1,000 are served while one waits.
  for (let round = 0; round < 40; round++) {
    for (let count = 0; count < 500; count++) admission.enter(load(1))?.release()
    await pass(250)
  }
  for (let count = 0; count < 500; count++) slots.push(admission.enter(load(1)))
  const lengths: number[] = []
  for (let round = 0; round < 12; round++) {
    for (let part = 0; part < 5; part++) {
      while (!admission.isShedding) wait(1)
      if (part === 0) lengths.push(admission.queued)
      for (const slot of slots.splice(0, 100)) slot?.release()
    }
    await pass(250)
  }
  expect(lengths[0]).toBe(1_000)
  expect(lengths.at(-1)).toBeLessThan(500)
})

test('while the CPU is saturated, the queue stays as long as its timeout allows, and no request queues in vain', async () => {
  const { admission, wait, slots, pass, saturate } = admissionOf(10_000, 1e9, 20n)
  /** 4,000 a second. */
  const serve = async (seconds: number, one: () => void) => {
    for (let part = 0; part < 40 * seconds; part++) {
      for (let count = 0; count < 100; count++) one()
      await pass(25, 25)
    }
  }
  await serve(10, () => admission.enter(load(1))?.release())
  for (let count = 0; count < 200; count++) slots.push(admission.enter(load(1)))
  saturate()
  await serve(1, () => admission.enter(load(1))?.release())
  expect(admission.isSaturated).toBe(true)
  await serve(3, () => {
    while (!admission.isShedding) wait(1)
    slots.shift()?.release()
  })
  // Without saturation the limit would be 400 by now.
  expect(admission.queued).toBeGreaterThan(1_500)
  expect(admission.queued).toBeLessThan(1_700)
  expect(slots).not.toContain(undefined)
  // No requests for a second: afterwards the queue may be as long as before.
  while (admission.queued > 0) slots.shift()?.release()
  await pass(1_000)
  for (; !admission.isShedding; wait(1));
  expect([admission.isSaturated, admission.queued > 1_500]).toEqual([true, true])
})

describe('unread requests', () => {
  /** One slot, which is taken. Collects the outcome of each queued request: its time in the queue; undefined: rejected. */
  function withUnreadQueue(memoryBytes = 100) {
    const { admission, wait, slots, pass } = admissionOf(1, memoryBytes)
    const outcomes: string[] = []
    const entered: (Slot | undefined)[] = []
    const arrive = (name: string, bytes: number, then: () => void, client = new TestClient()) =>
      admission.enqueueUnread(bytes, client, (queuedMs) => {
        outcomes.push(`${name}: ${queuedMs}`)
        if (queuedMs !== undefined) then()
      })
    const enter = (bytes: number) => () => void entered.push(admission.enter(load(bytes)))
    return { admission, wait, slots, pass, outcomes, entered, arrive, enter, running: admission.enter(load(1)) }
  }

  test('share the queue with all others, and each has its slot reserved while it is admitted', async () => {
    const { admission, wait, slots, pass, outcomes, entered, arrive, enter, running } = withUnreadQueue()
    arrive('first', 10, enter(4))
    wait(2)
    await pass(250)
    running?.release()
    // No other request takes the reserved slot.
    expect([admission.enter(load(1)), admission.bytes]).toEqual([undefined, 10])
    await settled()
    expect([outcomes, entered.length, admission.bytes, admission.queued]).toEqual([['first: 250'], 1, 4, 1])
    expect([slots.length, admission.enter(load(1))]).toEqual([0, undefined])
    entered[0]?.release()
    expect([slots.length, admission.inFlight, admission.bytes]).toEqual([1, 1, 2])
  })

  test('one that does not take its slot synchronously leaves it to the next', async () => {
    const { admission, outcomes, entered, arrive, enter, running } = withUnreadQueue()
    arrive('takes no slot', 10, () => {})
    arrive('later', 10, () => queueMicrotask(enter(1)))
    arrive('next', 10, enter(1))
    running?.release()
    await settled()
    expect(outcomes).toEqual(['takes no slot: 0', 'later: 0', 'next: 0'])
    expect([entered.filter(Boolean).length, admission.inFlight, admission.bytes]).toEqual([1, 1, 1])
  })

  test('one that turns out heavier than announced has to find a slot like any other', async () => {
    const { admission, entered, arrive, enter, running } = withUnreadQueue()
    admission.setLimits({ inFlight: 3, memoryBytes: 100 })
    const other = admission.enter(load(60))
    const another = admission.enter(load(1))
    arrive('heavy', 10, enter(50))
    running?.release()
    await settled()
    expect([entered, admission.inFlight, admission.bytes]).toEqual([[undefined], 2, 61])
    other?.release()
    another?.release()
    expect(admission.bytes).toBe(0)
  })

  test('ten thousand that all fail, one after the other', async () => {
    const { admission, outcomes, arrive, running } = withUnreadQueue(1e9)
    let left = 10_000
    const arriveAgain = (): void => {
      if (left-- > 0) arrive('', 1, arriveAgain)
      admission.enter(load(1))?.release()
    }
    arrive('', 1, arriveAgain)
    running?.release()
    while (left > 0) await settled()
    await settled()
    expect([outcomes.length, admission.inFlight, admission.queued]).toEqual([10_001, 0, 0])
  })

  test.each([
    ['requests that take no slot', (_admission: Admission) => {}],
    ['requests that fail at once', (admission: Admission) => admission.enter(load(1))?.release()],
  ])('%s, thousands of them, do not block the event loop', async (_, afterAdmission) => {
    const { admission, outcomes, arrive, running } = withUnreadQueue(1e9)
    const arriveAgain = (): void => {
      if (outcomes.length < 5_000) arrive('', 1, arriveAgain)
      afterAdmission(admission)
    }
    arrive('', 1, arriveAgain)
    running?.release()
    await settled()
    expect(outcomes.length).toBeLessThan(1_000)
    while (outcomes.length < 5_000) await settled()
    await settled()
    expect([admission.inFlight, admission.queued, admission.bytes]).toEqual([0, 0, 0])
  })

  test('one that is released when the process ends is rejected', async () => {
    const { admission, outcomes, arrive, running } = withUnreadQueue()
    arrive('first', 10, () => {})
    running?.release()
    admission.close()
    await settled()
    expect([outcomes, admission.inFlight]).toEqual([['first: undefined'], 0])
  })

  test('expire after half a second, and leave the queue when their clients disconnect', async () => {
    const { admission, pass, outcomes, arrive } = withUnreadQueue()
    const leaving = new TestClient()
    arrive('leaving', 60, () => {}, leaving)
    expect(arrive('too heavy', 50, () => {})).toBe(false)
    leaving.disconnect()
    arrive('too late', 50, () => {})
    await pass(500)
    expect([outcomes, admission.queued]).toEqual([['leaving: undefined', 'too late: undefined'], 0])
    expect(arrive('gone', 1, () => {}, leaving)).toBe(false)
  })

  test('a request that was queued unread comes before those that arrived later', async () => {
    const { admission, wait, slots, pass, running } = withUnreadQueue()
    await pass(250)
    wait(7)
    const before = new TestClient()
    before.queuedMs = 200
    wait(8, before)
    running?.release()
    expect([slots.length, admission.bytes]).toEqual([1, 8])
  })

  test('a request that was queued unread may queue again although the queue is full; not when the process ends', async () => {
    const { admission, wait, slots, running } = withUnreadQueue(1e9)
    while (!admission.isShedding) wait(0)
    const before = new TestClient()
    before.queuedMs = 1
    wait(8, before)
    running?.release()
    expect([slots.length, admission.bytes]).toEqual([1, 8])
    admission.close()
    const notified = slots.length
    wait(8, before)
    expect(slots.slice(notified)).toEqual([undefined])
  })
})

test('while the CPU is saturated, only as many are admitted as it can serve; those that wait for an upstream do not count', async () => {
  const { admission, wait, slots, pass, saturate } = admissionOf(10_000, 1e9)
  const running = Array.from({ length: 172 }, () => admission.enter(load(1)))
  await pass(2_000)
  expect(admission.enter(load(1))).toBeDefined()
  saturate()
  await pass(250)
  expect(admission.isSaturated).toBe(false)
  await pass(250)
  expect(admission.enter(load(1))).toBeUndefined()
  // 173 are running. With 45 of them waiting for an upstream, the rest still keep the CPU busy.
  for (const slot of running.slice(0, 45)) slot?.setAwaitingUpstream(true)
  wait(1)
  await settled()
  expect(slots).toEqual([])
  running[45]?.setAwaitingUpstream(true)
  running[45]?.setAwaitingUpstream(true)
  await settled()
  expect([slots.length, admission.inFlight]).toEqual([1, 174])
  // A request whose upstream has responded counts again; the end of one that waits for its upstream frees no CPU.
  running[0]?.setAwaitingUpstream(false)
  wait(1)
  running[1]?.release()
  await settled()
  expect(slots.length).toBe(1)
  for (const slot of running.slice(46, 48)) slot?.release()
  await settled()
  expect(slots.length).toBe(2)
})

test('queued requests are rejected when the process ends, and none is queued afterwards', async () => {
  const { admission, wait, slots, pass } = admissionOf(1)
  admission.enter(load(1))
  wait(1)
  admission.close()
  await pass(250)
  wait(1)
  await settled()
  expect([slots, admission.isShedding]).toEqual([[undefined, undefined], true])
})

test('a burst that saturates the CPU is served late rather than rejected, within ten seconds', async () => {
  const { admission, wait, slots, pass, saturate } = admissionOf(10_000, 1e9, 20n)
  for (let count = 0; count < 200; count++) slots.push(admission.enter(load(1)))
  saturate()
  await pass(750)
  expect(admission.isSaturated).toBe(true)
  // Their bodies wait in their connections.
  for (let count = 0; count < 1_000; count++) wait(1)
  expect([admission.isShedding, admission.queued]).toEqual([false, 1_000])
  await pass(1_000)
  expect([admission.isShedding, admission.queued]).toEqual([true, 1_000])
  await pass(4_000)
  expect(admission.queued).toBe(1_000)
  while (admission.queued > 100) slots.shift()?.release()
  expect(slots).not.toContain(undefined)
  await pass(6_000)
  expect([admission.queued, slots.filter((slot) => slot === undefined).length]).toEqual([0, 100])
})
