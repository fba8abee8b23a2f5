// Request ids: 64 bits, ordered by time, unique over all nodes: 41 bits of milliseconds, 10 of node id, 12 of sequence.

import { EPOCH_MS, formatRequestId } from '../money/request-ids.ts'

export { firstIdAt, formatRequestId, timeOfId } from '../money/request-ids.ts'

export type Ids = { next(): bigint }

/** A lead that a step of the clock explains, and the most ids per millisecond do not. */
const NOTABLE_LEAD_MS = 5_000

/** `ranAhead` is called once for each step back of the clock: until it catches up, receipts carry times of the future. */
export function createIds(
  nodeId: () => number,
  clock: () => number,
  ranAhead: (leadMs: number) => void = () => {},
): Ids {
  let lastMs = 0
  let sequence = 0
  let isAhead = false
  return {
    next() {
      const now = clock() - EPOCH_MS
      // A clock that steps back, or more than 4,096 ids in a millisecond, borrows from the future.
      if (now > lastMs) {
        lastMs = now
        sequence = 0
        isAhead = false
      } else if (++sequence > 0xfff) {
        lastMs++
        sequence = 0
      }
      if (!isAhead && lastMs - now >= NOTABLE_LEAD_MS) {
        isAhead = true
        ranAhead(lastMs - now)
      }
      // Two 32-bit halves: bigint arithmetic costs several times as much, and every request has an id.
      halves.setUint32(0, Math.floor(lastMs / 1_024))
      halves.setUint32(4, ((lastMs % 1_024) << 22) | (nodeId() << 12) | sequence)
      return halves.getBigInt64(0)
    },
  }
}

const halves = new DataView(new ArrayBuffer(8))
/** A response of the responses dialect is named by its request. */
export const formatResponseId = (id: bigint): string => `resp_${formatRequestId(id).slice('req_'.length)}`
export const parseResponseId = (text: string): bigint | undefined =>
  text.startsWith('resp_') ? parseRequestId(`req_${text.slice('resp_'.length)}`) : undefined

/** undefined: cannot be the id of a request; no request has the id 0. */
export function parseRequestId(text: string): bigint | undefined {
  const id = /^req_[0-7][0-9a-f]{15}$/.test(text) ? BigInt(`0x${text.slice(4)}`) : 0n
  return id === 0n ? undefined : id
}
