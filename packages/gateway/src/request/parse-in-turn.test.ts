import { describe, expect, test } from 'bun:test'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import { parseBody } from '@trivium/protocol/dialects/shared/pass-through/request.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { codec } from '../bytes/codec.ts'
import type { Waiter } from '../overload/thread-time.ts'
import { parseInTurn, SLICED_BYTES } from './parse-in-turn.ts'

const client = { isDisconnected: false, onDisconnect: undefined }
const large = codec.encode(JSON.stringify({ text: 'a'.repeat(SLICED_BYTES) }))

/** Notes who waits for each turn, and how many pieces of work were run. */
function openSlot() {
  const waiters: Waiter[] = []
  const slot = {
    runs: 0,
    turn(_: number, waiter: Waiter) {
      waiters.push(waiter)
      return Promise.resolve()
    },
    run<T>(work: () => T): T {
      slot.runs++
      return work()
    },
  }
  return Object.assign(slot, { waiters })
}

describe('a body that is parsed', () => {
  test('is parsed in one turn if it is not large', async () => {
    const slot = openSlot()
    const body = codec.encode('{"text":"a"}')
    expect(await parseInTurn(body, client, slot, (own) => parseBody(body, own))).toEqual({ text: 'a' })
    expect(slot.runs).toBe(1)
  })

  test('is decoded and parsed in turns of their own if it is large, and only once', async () => {
    const slot = openSlot()
    const read = (own: Codec) => ({ first: parseBody(large, own), again: parseBody(large, own) })
    const { first, again } = await parseInTurn(large, client, slot, read)
    expect(first).toEqual(JSON.parse(codec.decode(large, 0, large.length)))
    expect(again).toBe(first)
    expect(slot.runs).toBe(4)
    expect(slot.waiters).toHaveLength(4)
  })

  test('is not rejected once it has been begun, and ends with its client', async () => {
    const slot = openSlot()
    const http = { ...client }
    await parseInTurn(large, http, slot, (own) => parseBody(large, own))
    const [first, ...others] = slot.waiters
    expect(first?.isPatient).toBeUndefined()
    expect(others.every(({ isPatient }) => isPatient === true)).toBe(true)
    http.isDisconnected = true
    expect(others.every(({ isDisconnected }) => isDisconnected)).toBe(true)
  })

  test('is not parsed if its bytes say enough, and can be parsed later', async () => {
    const slot = openSlot()
    const later = await parseInTurn(large, client, slot, (own) => () => parseBody(large, own))
    expect(slot.runs).toBe(1)
    expect(later()).toHaveProperty('text')
  })

  test('is rejected as a small one if it is no JSON, or by its reader', async () => {
    const invalid = codec.encode(`{"text":"\\x${'a'.repeat(SLICED_BYTES)}"}`)
    const parsing = async () => parseInTurn(invalid, client, openSlot(), (own) => parseBody(invalid, own))
    await expect(parsing()).rejects.toThrow('The body is not valid JSON')
    const wrong = new RequestError('bad_request', 'text', 'text is wrong')
    const slot = openSlot()
    const reading = async () =>
      parseInTurn(large, client, slot, () => {
        throw wrong
      })
    await expect(reading()).rejects.toBe(wrong)
    expect(slot.runs).toBe(1)
  })
})
