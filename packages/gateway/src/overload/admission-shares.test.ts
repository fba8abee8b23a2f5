// How slots and memory are shared among accounts and keys.
import { describe, expect, test } from 'bun:test'
import { TestClient } from '../../../http/test-support/serve.ts'
import { admissionOf, load, settled } from '../../test-support/admission.ts'
import type { Load } from './admission.ts'

describe('shared among accounts', () => {
  const [GREEDY, MODEST] = [1n, 2n]

  test('an account gets half at most, and while it queues for its own slots others enter at once', () => {
    const { admission, wait, slots } = admissionOf(64)
    const taken = Array.from({ length: 64 }, () => admission.enter(load(0, GREEDY)))
    expect(taken.filter(Boolean)).toHaveLength(32)
    wait(0, new TestClient(), GREEDY)
    expect(admission.enter(load(0, MODEST))).toBeDefined()
    // All but a sixteenth; the rest is for accounts that hold none.
    for (let count = 33; count < 60; count++) expect(admission.enter(load(0, MODEST))).toBeDefined()
    expect(admission.enter(load(0, MODEST))).toBeUndefined()
    for (let count = 60; count < 64; count++) expect(admission.enter(load(0))).toBeDefined()
    expect([admission.enter(load(0)), admission.inFlight, slots]).toEqual([undefined, 64, []])
  })

  test('a free slot goes to the account that holds the fewest, in FIFO order within it', () => {
    const { admission, wait, slots } = admissionOf(16)
    const greedy = Array.from({ length: 8 }, () => admission.enter(load(0, GREEDY)))
    const modest = Array.from({ length: 7 }, () => admission.enter(load(0, MODEST)))
    const last = admission.enter(load(0))
    wait(1, new TestClient(), GREEDY)
    wait(2, new TestClient(), MODEST)
    wait(3, new TestClient(), 3n)
    wait(4, new TestClient(), 3n)
    for (const [slot, bytes] of [
      [last, 3],
      [greedy[0], 3 + 4],
      [greedy[1], 3 + 4 + 1],
      [greedy[2], 3 + 4 + 1 + 2],
    ] as const) {
      slot?.release()
      // The next one would have the slot that is kept.
      if (slot === last) modest[0]?.release()
      expect(admission.bytes).toBe(bytes)
    }
    expect([slots.length, admission.queued]).toEqual([4, 0])
  })

  test('half of the memory and of the queue, too; a single body may be larger', () => {
    const { admission, wait, slots } = admissionOf(1_000, 100)
    expect(admission.enter(load(70, GREEDY))).toBeDefined()
    expect(admission.enter(load(1, GREEDY))).toBeUndefined()
    expect(admission.enter(load(30, MODEST))).toBeDefined()
    for (let count = 0; count < 100; count++) wait(0, new TestClient(), GREEDY)
    expect([admission.queued, admission.isShedding, slots.length]).toEqual([32, false, 68])
    for (let count = 0; count < 100; count++) wait(0)
    expect([admission.queued, slots.length]).toEqual([64, 68 + 68])
  })

  test('an unread request whose account has used its share yields to others and keeps its order', async () => {
    const { admission, slots, pass } = admissionOf(4)
    const [first, second] = [admission.enter(load(0, GREEDY)), admission.enter(load(0, GREEDY))]
    const others = [admission.enter(load(0)), admission.enter(load(0))]
    const come = (account: bigint, client = new TestClient()) =>
      admission.enqueueUnread(0, client, (queuedMs) => {
        if (queuedMs === undefined) return slots.push(undefined)
        client.queuedMs = queuedMs + 1
        const slot = admission.enter(load(0, account))
        if (slot) slots.push(slot)
        else admission.enqueue(load(0, account), client, (slot) => slots.push(slot))
      })
    for (let count = 0; count < 10; count++) come(GREEDY)
    come(MODEST)
    others[0]?.release()
    await settled()
    // All before it were looked at, and wait on.
    expect([slots.length, admission.inFlight, admission.queued]).toEqual([1, 4, 10])
    first?.release()
    second?.release()
    await settled()
    expect([slots.length, admission.inFlight, admission.queued]).toEqual([2, 3, 9])
    await pass(500)
    expect([admission.queued, admission.inFlight]).toEqual([0, 3])
  })
})

describe('bodies that are still arriving', () => {
  const arriving = (bytes: number, account: bigint, key = account): Load => ({
    tenant: { account, key },
    bytes,
    isArriving: true,
  })

  test('get three quarters of the slots, an account three eighths and a key a quarter', () => {
    const { admission } = admissionOf(64, 1e9)
    const enter = (account: bigint, key: bigint) => {
      let count = 0
      for (; admission.enter(arriving(1, account, key)); count++);
      return count
    }
    expect([enter(1n, 1n), enter(1n, 2n), enter(2n, 3n), enter(2n, 4n), enter(3n, 5n)]).toEqual([16, 8, 16, 8, 0])
    expect([admission.inFlight, admission.enter(load(0, 3n)) !== undefined]).toEqual([48, true])
  })

  test('weigh what has arrived; only the request for which there is no memory ends', () => {
    const { admission } = admissionOf(64, 1_000)
    const slow = Array.from({ length: 3 }, () => admission.enter(arriving(10, 1n)))
    expect(admission.bytes).toBe(30)
    expect(slow[0]?.receive(200, 200)).toBe(true)
    // A key has a quarter.
    expect(slow[1]?.receive(41, 41)).toBe(false)
    const other = admission.enter(arriving(10, 2n))
    expect([other?.receive(770, 770), other?.receive(781, 781), admission.bytes]).toEqual([true, false, 990])
    expect([other?.received(700), admission.bytes]).toEqual([true, 920])
    for (const slot of [...slow, other]) slot?.release()
    expect([admission.bytes, admission.inFlight]).toEqual([0, 0])
  })

  test('a body that has arrived makes room for the next of its key', async () => {
    const { admission, slots } = admissionOf(4, 1e9)
    const first = admission.enter(arriving(5, 1n))
    admission.enqueue(arriving(7, 1n), new TestClient(), (slot) => slots.push(slot))
    expect([admission.queued, first?.received(3), admission.queued, admission.bytes]).toEqual([1, true, 0, 10])
    slots[0]?.release()
    first?.release()
    expect([admission.bytes, admission.inFlight]).toEqual([0, 0])
  })
})

describe('requests that need more memory than was sent', () => {
  const MIB = 1024 * 1024

  test('gets a small share until it is paid for', () => {
    const { admission } = admissionOf(64, 512 * MIB)
    const slots = Array.from({ length: 4 }, () => admission.enter(load(MIB, 1n)))
    for (const slot of slots) expect(slot?.received(MIB)).toBe(true)
    // A sixteenth for an account, beyond a mebibyte each that is not counted.
    expect([slots[0]?.weigh(20 * MIB), slots[1]?.weigh(16 * MIB), slots[2]?.weigh(17 * MIB)]).toEqual(
      [true, true, true].with(2, false),
    )
    slots[0]?.paid()
    expect([slots[2]?.weigh(17 * MIB), admission.bytes]).toEqual([true, (20 + 16 + 17 + 1) * MIB])
    for (const slot of slots) slot?.release()
    expect([admission.bytes, admission.enter(load(0, 1n))?.receive(1, 400 * MIB)]).toEqual([0, true])
  })
})
