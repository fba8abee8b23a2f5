// How slowly the body of a request may arrive, by a simulated clock.
import { describe, expect, test } from 'bun:test'
import { JSON_BODY, readBody } from './read-body.ts'

const JSON_HEADER = { 'content-type': 'application/json' }

describe('how slowly a body may arrive', () => {
  /** Sends `perSecond` bytes per second by a simulated clock. Returns how reading ended, and after how many seconds. */
  async function arrive(
    perSecond: number,
    bytes: number,
    everySeconds = 1,
    more: { totalMs?: number } = {},
  ): Promise<[string, number]> {
    let [now, sent] = [0, 0]
    let alarm: { at: number; run: () => void } | undefined
    let deliver: ((piece: Uint8Array | undefined) => void) | undefined
    const body = {
      received: 0,
      read: () =>
        new Promise<Uint8Array | undefined>((resolve) => {
          deliver = resolve
        }),
    }
    const after = (ms: number, run: () => void) => {
      alarm = { at: now + ms, run }
      return () => (alarm = undefined)
    }
    const headers = new Headers({ ...JSON_HEADER, 'content-length': String(bytes) })
    const options = { limitBytes: 1e9, contentTypes: JSON_BODY, idleMs: 30_000, after, now: () => now, ...more }
    let ended: string | undefined
    void Promise.resolve(readBody({ body, headers }, options)).then((read) => {
      ended = read instanceof Uint8Array ? 'read' : read.reason
    })
    while (ended === undefined) {
      now += everySeconds * 1_000
      if (alarm && alarm.at <= now) {
        now = alarm.at
        alarm.run()
      } else {
        const length = Math.min(bytes - sent, perSecond * everySeconds)
        sent += length
        deliver?.(length === 0 ? undefined : new Uint8Array(length))
      }
      for (let turns = 0; turns < 5; turns++) await null
    }
    return [ended, now / 1_000]
  }

  const KIB = 1024
  test.each([
    ['a byte every 8 s', 1 / 8, 100, 8, 'request_timeout', 30],
    ['small and slow', 1, 28, 1, 'read', 29],
    ['just below the pace', 8 * KIB - 1, 1024 * KIB, 1, 'request_timeout', 30],
    ['a little faster', 8.5 * KIB, 1024 * KIB, 1, 'read', 122],
    ['fast, then silent', 10_000 * KIB, 10_001 * KIB, 31, 'request_timeout', 30],
    ['ten minutes', 9 * KIB, 1e9, 1, 'request_timeout', 600],
  ])('%s', async (_, perSecond, bytes, every, how, seconds) => {
    expect(await arrive(perSecond, bytes, every)).toEqual([how, seconds])
  })

  test.each([
    ['without a byte', 0.1, 100, 10, 'request_timeout', 5],
    ['a byte a second', 1, 100, 1, 'request_timeout', 5],
    ['fast, but not fast enough', 100 * KIB, 1024 * KIB, 1, 'request_timeout', 5],
    ['in time', 100, 300, 1, 'read', 4],
  ])('with a limit on the whole body: %s', async (_, perSecond, bytes, every, how, seconds) => {
    expect(await arrive(perSecond, bytes, every, { totalMs: 5_000 })).toEqual([how, seconds])
  })
})
