// Reasoning state that a client's dialect cannot carry: signatures and encrypted reasoning of earlier turns, put back when the
// conversation goes on. Values are encrypted before they come here.

export type ReasoningEntry = {
  account: bigint
  /** 32 bytes: tells what the value belongs to. */
  key: Uint8Array
  value: Uint8Array
}

export const MOST_REASONING_BYTES = 64 * 1024 ** 2
export const MOST_REASONING_IN_ALL = 1024 ** 3
