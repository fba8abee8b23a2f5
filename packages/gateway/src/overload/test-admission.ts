// For tests: an admission by a clock of its own.

import { TestClient } from '@trivium/http/test-support.ts'
import { createAdmission, type Load, type Slot } from './admission.ts'

let accounts = 1_000n
/** Of an account that has no other request, unless it is named. */
export const load = (bytes: number, account = ++accounts, isArriving = false): Load => ({
  ...{ tenant: { account, key: account }, bytes, isArriving },
})

/** An admission by a clock that stands still unless it is moved. */
export function admissionOf(inFlight: number, memoryBytes = 100, ofAccounts = 2n ** 64n) {
  let [now, busy] = [0, 0]
  const admission = createAdmission({ inFlight, memoryBytes }, () => now)
  const places: (Slot | undefined)[] = []
  return {
    admission,
    /** In the order in which they were answered; undefined: sent home. */
    places,
    /** Time passes, tick by tick. */
    async pass(ms: number, tickMs = 250) {
      for (let end = now + ms; now < end; ) {
        now += tickMs
        admission.tick(now, busy)
      }
      await settled()
    },
    /** From here on the processor has no time to spare. */
    strain() {
      busy = 1
    },
    wait(bytes: number, client = new TestClient(), account?: bigint) {
      admission.enqueue(load(bytes, account ?? ++accounts % ofAccounts), client, (place) => places.push(place))
    },
  }
}

export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
