// Which stored responses, tasks and receipts a key sees.
import type { Caller } from '../storage/storage.ts'

/** A key that was handed out for something particular sees what was made with it; any other key sees all of its account (undefined). */
export const visibleKey = ({ key, isRestricted }: Pick<Caller, 'key' | 'isRestricted'>): bigint | undefined =>
  isRestricted ? key : undefined

/** Whether the caller sees something that remembers whose it is. */
export const isVisibleTo = (caller: Caller, { account, key }: { account: bigint; key: bigint }): boolean =>
  account === caller.account && key === (visibleKey(caller) ?? key)
