// For tests: admission control with its own clock.

import { TestClient } from '../../http/test-support/serve.ts'
import { createAdmission, type Load, type Slot } from '../src/overload/admission.ts'

let accounts = 1_000n
/** By default of an account that has no other request. */
export const load = (bytes: number, account = ++accounts, isArriving = false): Load => ({
  tenant: { account, key: account },
  bytes,
  isArriving,
})

/** The clock stands still unless it is advanced. */
export function admissionOf(inFlight: number, memoryBytes = 100, ofAccounts = 2n ** 64n) {
  let [now, busy] = [0, 0]
  const admission = createAdmission({ inFlight, memoryBytes }, () => now)
  const slots: (Slot | undefined)[] = []
  return {
    admission,
    /** Slots in the order of release; undefined: rejected. */
    slots,
    /** Time passes, tick by tick. */
    async pass(ms: number, tickMs = 250) {
      for (let end = now + ms; now < end; ) {
        now += tickMs
        admission.tick(now, busy)
      }
      await settled()
    },
    /** From here on the CPU is busy. */
    saturate() {
      busy = 1
    },
    wait(bytes: number, client = new TestClient(), account?: bigint) {
      admission.enqueue(load(bytes, account ?? ++accounts % ofAccounts), client, (slot) => slots.push(slot))
    },
  }
}

export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
