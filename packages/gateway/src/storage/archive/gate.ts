// How many readings of archives are under way: each decompresses and parses thousands of rows.
import { ArchiveUnavailable } from './part-store.ts'

const AT_ONCE = 2
/** Operators count as one account. */
const AT_ONCE_OF_ACCOUNT = 1
const WAITING = 32
const WAITING_OF_ACCOUNT = 3
const LONGEST_WAIT_MS = 10_000

type Waiting = { account: bigint | undefined; enter(): void }

export function createGate() {
  const running = new Map<bigint | undefined, number>()
  const queue: Waiting[] = []
  let count = 0
  const of = (account: bigint | undefined): number => running.get(account) ?? 0
  const mayEnter = (account: bigint | undefined) => count < AT_ONCE && of(account) < AT_ONCE_OF_ACCOUNT

  function take(account: bigint | undefined): void {
    count += 1
    running.set(account, of(account) + 1)
  }
  function release(account: bigint | undefined): void {
    count -= 1
    const left = of(account) - 1
    if (left > 0) running.set(account, left)
    else running.delete(account)
    // The first whose account has none under way: one account cannot keep others waiting.
    const next = queue.findIndex((each) => mayEnter(each.account))
    if (next >= 0) queue.splice(next, 1)[0]?.enter()
  }
  function wait(account: bigint | undefined): Promise<void> {
    const own = queue.filter((each) => each.account === account).length
    if (queue.length >= WAITING || own >= WAITING_OF_ACCOUNT)
      throw new ArchiveUnavailable('too many archived rows are being read: try again in a few seconds')
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        account,
        enter() {
          clearTimeout(timer)
          take(account)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1)
        reject(new ArchiveUnavailable('archived rows could not be read in time: try again in a few seconds'))
      }, LONGEST_WAIT_MS)
      queue.push(waiting)
    })
  }

  /** Resolves with what ends the reading. Throws ArchiveUnavailable if too many wait, or if this one has waited too long. */
  async function enter(account: bigint | undefined): Promise<() => void> {
    if (mayEnter(account)) take(account)
    else await wait(account)
    return () => release(account)
  }

  return {
    enter,
    async pass<T>(account: bigint | undefined, read: () => Promise<T>): Promise<T> {
      const leave = await enter(account)
      try {
        return await read()
      } finally {
        leave()
      }
    },
  }
}
