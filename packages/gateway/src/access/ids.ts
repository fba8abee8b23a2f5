// Request ids: 64 bits, ordered by time, unique over all nodes: 41 bits of milliseconds, 10 of slot, 12 of sequence.

import { EPOCH_MS } from '../money/request-ids.ts'

export { firstIdAt, timeOfId } from '../money/request-ids.ts'

export type Ids = { next(): bigint }

export function createIds(slot: () => number, clock: () => number): Ids {
  let lastMs = 0
  let sequence = 0
  return {
    next() {
      const now = clock() - EPOCH_MS
      // A clock that steps back, or more than 4,096 ids in a millisecond, borrows from the future.
      if (now > lastMs) {
        lastMs = now
        sequence = 0
      } else if (++sequence > 0xfff) {
        lastMs++
        sequence = 0
      }
      // Two 32-bit halves: bigint arithmetic costs several times as much, and every request has an id.
      halves.setUint32(0, Math.floor(lastMs / 1_024))
      halves.setUint32(4, ((lastMs % 1_024) << 22) | (slot() << 12) | sequence)
      return halves.getBigInt64(0)
    },
  }
}

const halves = new DataView(new ArrayBuffer(8))
const THREE_DIGITS = Array.from({ length: 0x1000 }, (_, number) => number.toString(16).padStart(3, '0'))
const TWO_DIGITS = Array.from({ length: 0x100 }, (_, number) => number.toString(16).padStart(2, '0'))

export function formatRequestId(id: bigint): string {
  halves.setBigInt64(0, id)
  return `req_${digitsOf(halves.getUint32(0))}${digitsOf(halves.getUint32(4))}`
}

const digitsOf = (half: number): string =>
  `${TWO_DIGITS[half >>> 24]}${THREE_DIGITS[(half >>> 12) & 0xfff]}${THREE_DIGITS[half & 0xfff]}`

/** undefined: cannot be the id of a request; no request has the id 0. */
export function parseRequestId(text: string): bigint | undefined {
  const id = /^req_[0-7][0-9a-f]{15}$/.test(text) ? BigInt(`0x${text.slice(4)}`) : 0n
  return id === 0n ? undefined : id
}
