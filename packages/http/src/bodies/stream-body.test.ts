import { expect, test } from 'bun:test'
import { BodyFailure, streamBody } from './stream-body.ts'

const KIB = 1024
const MIB = 1024 * KIB

type Phase = { pieces: number; bytes: number; everySeconds: number }

/** Sends pieces by a simulated clock. Returns how reading ended, and after how many seconds. */
async function arrive(phases: readonly Phase[]): Promise<[string, number]> {
  const pieces = phases.flatMap(({ pieces, bytes, everySeconds }) => Array(pieces).fill([bytes, everySeconds]))
  let now = 0
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
  const options = { limitBytes: 1e9, idleMs: 30_000, after, now: () => now }
  const stream = streamBody({ body, headers: new Headers() }, options)
  let ended: string | undefined
  const reading = async () => {
    while (await stream.read());
    return 'read'
  }
  void reading().then(
    (how) => (ended = how),
    (error) => (ended = error instanceof BodyFailure ? error.error.reason : String(error)),
  )
  while (ended === undefined) {
    const [bytes, seconds] = (pieces.shift() ?? [0, 1]) as [number, number]
    const at = now + seconds * 1_000
    now = Math.min(at, alarm?.at ?? at)
    if (alarm && alarm.at < at) alarm.run()
    else deliver?.(bytes === 0 ? undefined : new Uint8Array(bytes))
    for (let turns = 0; turns < 8; turns++) await null
  }
  return [ended, now / 1_000]
}

const FAST: Phase = { pieces: 100, bytes: MIB, everySeconds: 0.01 }

test.each<[string, Phase[], how: string, seconds: number]>([
  ['a byte every 8 s', [{ pieces: 100, bytes: 1, everySeconds: 8 }], 'request_timeout', 30],
  ['a little faster than the least rate', [{ pieces: 500, bytes: 8.5 * KIB, everySeconds: 1 }], 'read', 501],
  ['a little slower', [{ pieces: 500, bytes: 7 * KIB, everySeconds: 1 }], 'request_timeout', 234],
  ['silent for half a minute between large pieces', [{ pieces: 9, bytes: MIB, everySeconds: 29 }], 'read', 262],
  // A hundred megabytes do not excuse a trickle behind them.
  ['fast, then a byte every 20 s', [FAST, { pieces: 99, bytes: 1, everySeconds: 20 }], 'request_timeout', 61],
  ['for more than an hour', [{ pieces: 9_999, bytes: 9 * KIB, everySeconds: 1 }], 'request_timeout', 3_600],
])('%s', async (_, phases, how, seconds) => {
  const [ended, at] = await arrive(phases)
  expect([ended, Math.round(at)]).toEqual([how, seconds])
})
