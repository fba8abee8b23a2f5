// The two lines in which requests may wait, kept going by the ticker: for a place in this process, and for room at an upstream.
import { type Admission, createAdmission, type Limits } from '../http/admission.ts'
import type { Ticker } from '../http/ticker.ts'
import { timeTurns } from '../http/turns.ts'
import type { Log } from '../observe/log.ts'
import { createRoom, type Room } from './room.ts'

export type Waiting = { admission: Admission; room: Room }

/** An operator who reads it once a minute knows enough. */
const TELL_EVERY_MS = 60_000

export function createWaiting(limits: Limits, ticker: Ticker, log: Log): Waiting {
  const admission = createAdmission(limits)
  const room = createRoom()
  let toldAt = Number.NEGATIVE_INFINITY
  timeTurns(ticker, (now, turnMs) => {
    admission.tick(now, turnMs)
    room.tick(now)
    const { refused, inFlight, waiting } = admission
    if (refused === 0 || now - toldAt < TELL_EVERY_MS) return
    toldAt = now
    admission.refused = 0
    log.warn('more requests than can be taken: some were told to come back', { refused, in_flight: inFlight, waiting })
  })
  return { admission, room }
}
