// Memory of responses that wait for their clients to read. What is made is paid for, so it no longer counts in the memory of
// running requests: a client that does not read must not keep others from being served. It has a limit of its own, half as much
// again, of which an account has half. Beyond it responses are given up, those first whose clients read least: of the account
// itself, or of the one that has the most.
import { mostPerAccount } from '../sharing/fair-share.ts'

const SHARE = 1 / 2

/** A response on its way to the client. */
export type UnsentResponse = {
  /** So many bytes wait for the client now. */
  weigh(bytes: number): void
  end(): void
}

export type UnsentResponses = {
  /** `giveUp` drops what is unsent and disconnects the client. It is called once at most. */
  open(account: bigint, giveUp: () => void): UnsentResponse
  readonly bytes: number
}

type Entry = { bytes: number; readonly of: Holder; readonly giveUp: () => void }

/** What waits of one account; the response that made progress last is the last. */
type Holder = { readonly account: bigint; bytes: number; readonly entries: Set<Entry> }

export function createUnsentResponses(memoryBytes: () => number): UnsentResponses {
  const holders = new Map<bigint, Holder>()
  let all = 0

  function change(entry: Entry, bytes: number): void {
    const more = bytes - entry.bytes
    entry.bytes = bytes
    entry.of.bytes += more
    all += more
  }

  function remove(entry: Entry): void {
    change(entry, 0)
    const { entries, account } = entry.of
    entries.delete(entry)
    if (entries.size === 0 && holders.get(account) === entry.of) holders.delete(account)
  }

  /** The one that is waited for longest. */
  function firstOf({ entries }: Holder, spared: Entry): Entry | undefined {
    for (const entry of entries) if (entry !== spared && entry.bytes > 0) return entry
    return undefined
  }

  /** A response that alone exceeds the share of its account displaces others of that size, not everybody's small ones. */
  function fromHeaviest(entry: Entry, share: number): Entry | undefined {
    let [most, found] = [entry.bytes > share ? share : 0, undefined as Entry | undefined]
    for (const holder of holders.values()) {
      const first = holder.bytes > most ? firstOf(holder, entry) : undefined
      if (first) [most, found] = [holder.bytes, first]
    }
    return found
  }

  /** A single response of an account may have any size: limits may be smaller than one image. */
  function makeRoom(entry: Entry): void {
    const limit = memoryBytes() * SHARE
    const share = mostPerAccount(limit)
    for (;;) {
      const isOverShare = entry.of.bytes > share
      if (!isOverShare && all <= limit) return
      const victim =
        (isOverShare ? firstOf(entry.of, entry) : undefined) ?? (all > limit ? fromHeaviest(entry, share) : undefined)
      if (!victim) return
      remove(victim)
      victim.giveUp()
    }
  }

  return {
    open(account, giveUp) {
      let of = holders.get(account)
      if (!of) {
        of = { account, bytes: 0, entries: new Set() }
        holders.set(account, of)
      }
      const entry: Entry = { bytes: 0, of, giveUp }
      of.entries.add(entry)
      return {
        weigh(bytes) {
          // It has been given up.
          if (!entry.of.entries.delete(entry)) return
          entry.of.entries.add(entry)
          const isMore = bytes > entry.bytes
          change(entry, bytes)
          if (isMore) makeRoom(entry)
        },
        end: () => remove(entry),
      }
    },
    get bytes() {
      return all
    },
  }
}
