// Reasoning state that a client's dialect cannot carry: signatures and encrypted reasoning of earlier turns, put back when the
// conversation goes on. Values are encrypted before they come here.

export type ReasoningEntry = {
  account: bigint
  /** 32 bytes: tells what the value belongs to. */
  key: Uint8Array
  value: Uint8Array
}

/** All reject with StoreDown if the store does not answer: whether the call took effect is then unknown. */
export interface Reasoning {
  /** Durable when this resolves. The newest value of a key replaces earlier ones. */
  put(entries: readonly ReasoningEntry[], keepMs: number): Promise<void>
  /** The values that there are, by the keys in hexadecimal, in one round trip. */
  find(account: bigint, keys: readonly Uint8Array[]): Promise<Map<string, Uint8Array>>
  /** The same, unless they have more than `mostBytes` together: then the number of their bytes, and nothing of them is read. */
  findWithin(account: bigint, keys: readonly Uint8Array[], mostBytes: number): Promise<Map<string, Uint8Array> | number>
  /**
   * Removes at most `limit` entries; resolves with their number. These are expired ones, the oldest of accounts with more than
   * `mostBytes` in values, and, if all accounts together have more than `mostInAll`, those of the account that has the most.
   */
  sweep(limit: number, mostBytes?: number, mostInAll?: number): Promise<number>
}

export const MOST_REASONING_BYTES = 64 * 1024 ** 2
export const MOST_REASONING_IN_ALL = 1024 ** 3
