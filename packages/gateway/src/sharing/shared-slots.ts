// Slots for work that takes long, such as copies of videos, which accounts share fairly. Each piece of work takes a slot in
// several pools at once: in that of the process, and in smaller ones, such as that of its upstream. In none of them does one
// account hold more than half.
//
// Work that finds no slot waits in a queue that is woken by each slot that becomes free. Of all that may go on, the account
// with the fewest slots is first.

import { mayTake } from './fair-share.ts'

/** `pools`: names of the smaller pools that the work takes a slot in. */
export type Share = { account: bigint; pools: readonly string[] }

export type SharedSlots<T> = {
  /** Takes a slot, and returns the function that releases it. undefined: there is none for this share. */
  take(share: Share): (() => void) | undefined
  /** Queues `item` until there is a slot for it. An item with the same key is replaced. false: the queue is full. */
  wait(key: bigint, share: Share, item: T): boolean
  /** Forgets everything that waits. */
  close(): void
}

export type SharedSlotOptions<T> = {
  /** Slots in all. A function: they may change with the configuration. */
  limit: number | (() => number)
  /** Slots of one pool. */
  limitOf(pool: string): number
  /** Items that may wait, in all. */
  mostWaiting: number
  /** Gets an item that has waited, with its slot, which it must release. */
  woken(item: T, release: () => void): void
}

type Pool = { taken: number; byAccount: Map<bigint, number> }
type Lane<T> = { share: Share; waiting: Map<bigint, { item: T; since: number }> }

/** The pool that all work is in. */
const ALL = ''

export function createSharedSlots<T>({ limit, limitOf, mostWaiting, woken }: SharedSlotOptions<T>): SharedSlots<T> {
  const pools = new Map<string, Pool>()
  /** Work of one account in the same pools, in the order of its arrival. */
  const lanes = new Map<string, Lane<T>>()
  const laneOf = new Map<bigint, string>()
  const waitingOf = new Map<bigint, number>()
  let arrivals = 0

  const all = typeof limit === 'number' ? () => limit : limit
  const namesOf = ({ pools: own }: Share): string[] => [ALL, ...own]
  const heldIn = (pool: string, account: bigint): number => pools.get(pool)?.byAccount.get(account) ?? 0
  const takenIn = (pool: string): number => pools.get(pool)?.taken ?? 0

  const isFree = (share: Share): boolean =>
    namesOf(share).every((pool) =>
      mayTake(heldIn(pool, share.account), takenIn(pool), pool === ALL ? all() : limitOf(pool)),
    )

  function add(share: Share, by: 1 | -1): void {
    for (const name of namesOf(share)) {
      const pool = pools.get(name) ?? { taken: 0, byAccount: new Map() }
      pools.set(name, pool)
      pool.taken += by
      count(pool.byAccount, share.account, by)
      if (pool.taken === 0) pools.delete(name)
    }
  }

  function take(share: Share): (() => void) | undefined {
    if (!isFree(share)) return undefined
    add(share, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      add(share, -1)
      wake()
    }
  }

  /** Gives what is free to those that wait. */
  function wake(): void {
    for (let lane = next(); lane; lane = next()) {
      const [first] = lane.waiting
      const release = first && take(lane.share)
      if (!release) return
      const [key, { item }] = first
      forget(key)
      woken(item, release)
    }
  }

  function next(): Lane<T> | undefined {
    let found: Lane<T> | undefined
    let rank: readonly [number, number] = [0, 0]
    for (const lane of lanes.values()) {
      const [first] = lane.waiting.values()
      const own = [heldIn(ALL, lane.share.account), first?.since ?? 0] as const
      const isBefore = !found || own[0] < rank[0] || (own[0] === rank[0] && own[1] < rank[1])
      if (isBefore && isFree(lane.share)) [found, rank] = [lane, own]
    }
    return found
  }

  function forget(key: bigint): void {
    const name = laneOf.get(key)
    const lane = name === undefined ? undefined : lanes.get(name)
    if (name === undefined || !lane) return
    lane.waiting.delete(key)
    laneOf.delete(key)
    count(waitingOf, lane.share.account, -1)
    if (lane.waiting.size === 0) lanes.delete(name)
  }

  return {
    take,
    wait(key, share, item) {
      const name = `${share.account} ${namesOf(share).join(' ')}`
      const known = laneOf.get(key) === name ? lanes.get(name)?.waiting.get(key) : undefined
      if (known) {
        known.item = item
        return true
      }
      forget(key)
      if (!mayTake(waitingOf.get(share.account) ?? 0, laneOf.size, mostWaiting)) return false
      const lane = lanes.get(name) ?? { share, waiting: new Map() }
      lanes.set(name, lane)
      lane.waiting.set(key, { item, since: arrivals++ })
      laneOf.set(key, name)
      count(waitingOf, share.account, 1)
      // A slot may have become free since the item found none.
      wake()
      return true
    },
    close() {
      for (const map of [lanes, laneOf, waitingOf]) map.clear()
    },
  }
}

function count(counts: Map<bigint, number>, account: bigint, by: 1 | -1): void {
  const now = (counts.get(account) ?? 0) + by
  if (now === 0) counts.delete(account)
  else counts.set(account, now)
}
