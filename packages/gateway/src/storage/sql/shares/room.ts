// Makes room in what accounts have stored: the same rules for every kind of contents.
import type { Removal, ShareLimits } from '../../shares.ts'

/** Something that can be removed. */
export type Removable = { id: string; table: string; bytes: number; at: number }

/** The contents of one kind. */
export type Pool = {
  kind: Removal['kind']
  bytesOf(account: bigint): Promise<number>
  total(): Promise<number>
  largest(): Promise<{ account: bigint; bytes: number } | undefined>
  /** At most `limit`, the oldest first, without the one that has the id `kept`. */
  oldest(account: bigint, limit: number, kept: string): Promise<Removable[]>
  /** Resolves with the ids of those that were still there. */
  remove(account: bigint, removables: readonly Removable[]): Promise<string[]>
}

export type Room = {
  limits: ShareLimits
  /**
   * After so many bytes have been added to the account: removes what exceeds the limits, but not the object `kept`. `stored`: what the
   * account had before or has now, if it is known. Resolves with the ids of what was removed, and whether the account still has too
   * much.
   */
  make(account: bigint, added: number, kept: string, stored?: number): Promise<Made>
}

export type Made = { removed: readonly string[]; isOver: boolean }

const ENOUGH: Made = { removed: [], isOver: false }

const PAGE = 100
/** A limit that was lowered by much is reached in steps, by later calls. */
const MOST_PAGES = 50
/** The sum of all accounts is asked for again after this part of the limit has been added: other processes add, too. */
const REFRESHED_AFTER = 1 / 64

export function createRoom(pool: Pool, limits: ShareLimits, report: (removal: Removal) => void): Room {
  /** What all accounts had when it was asked for the last time, and what this process has added since then. */
  let [known, added] = [Number.POSITIVE_INFINITY, 0]
  /** One at a time: calls at once would all choose the same contents. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }

  async function trim(account: bigint, target: number, kept: string, limit: Removal['limit']): Promise<string[]> {
    const removed: string[] = []
    let bytes = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const excess = (await pool.bytesOf(account)) - target
      const oldest = excess > 0 ? await pool.oldest(account, PAGE, kept) : []
      const chosen = firstOf(oldest, excess)
      if (chosen.length === 0) break
      removed.push(...(await pool.remove(account, chosen)))
      bytes += sumOf(chosen)
    }
    if (removed.length > 0) report({ kind: pool.kind, account, count: removed.length, bytes, limit })
    return removed
  }

  /** Takes from the account that has the most until it has no longer the most, or there is room. */
  async function trimAll(allBytes: number, account: bigint, kept: string): Promise<string[]> {
    const removed: string[] = []
    known = await pool.total()
    added = 0
    for (let page = 0; known > allBytes && page < MOST_PAGES; page++) {
      const largest = await pool.largest()
      if (!largest) break
      const target = Math.max(0, largest.bytes - (known - allBytes))
      const gone = await trim(largest.account, target, largest.account === account ? kept : '', 'all')
      if (gone.length === 0) break
      removed.push(...gone)
      known = await pool.total()
    }
    return removed
  }

  /** What others have added since is removed by the calls that follow theirs. */
  const hasTooMuch = async (account: bigint, most: number, kept: string): Promise<boolean> =>
    (await pool.bytesOf(account)) > most && (await pool.oldest(account, 1, kept)).length === 0

  const room: Room = {
    limits,
    make(account, bytes, kept, stored) {
      const { accountBytes, allBytes } = room.limits
      added += bytes
      const isWithin = stored !== undefined && stored + bytes <= Math.min(accountBytes, allBytes)
      const isKnown = known + added <= allBytes && added < allBytes * REFRESHED_AFTER
      if (isWithin && isKnown) return Promise.resolve(ENOUGH)
      return inTurn(async () => {
        const most = Math.min(accountBytes, allBytes)
        const own = isWithin ? [] : await trim(account, most, kept, 'account')
        const removed = isKnown ? own : [...own, ...(await trimAll(allBytes, account, kept))]
        return { removed, isOver: !isWithin && (await hasTooMuch(account, most, kept)) }
      })
    },
  }
  return room
}

/** The first ones that have so many bytes together. */
function firstOf(removables: readonly Removable[], bytes: number): Removable[] {
  let sum = 0
  return removables.filter((removable) => {
    const isNeeded = sum < bytes
    sum += removable.bytes
    return isNeeded
  })
}

const sumOf = (removables: readonly Removable[]): number => removables.reduce((sum, { bytes }) => sum + bytes, 0)
