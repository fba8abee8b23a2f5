// A queue of verbs that are sent in batches: verbs that arrive during a batch form the next one.
import type { RequestVerb, Result } from '../../money/ledger.ts'
import type { Decision } from './encode.ts'
import { faultOf, retry, storeDown } from './faults.ts'

export type QueuedVerb = {
  verb: RequestVerb
  /** The account whose rows it changes, as far as this node knows. */
  account: bigint | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

export type LaneOptions = {
  send(verbs: readonly RequestVerb[]): Promise<Decision[]>
  /** Receives verbs that were not decided because of a lock; a lane that waits for locks has none. */
  onBusy?: (queued: QueuedVerb) => void
  /** Concurrent batches. */
  width: number
  /** A batch has only verbs of one account, and an account one batch at a time: a locked account delays no other. */
  oneAccount: boolean
}

export type Lane = {
  push(queued: QueuedVerb): void
  /** Resolves when nothing is queued or running. */
  drained(): Promise<void>
}

const LARGEST_BATCH = 128

export function openLane({ send, onBusy, width, oneAccount }: LaneOptions): Lane {
  let queue: QueuedVerb[] = []
  const running = new Set<Promise<void>>()
  /** Accounts, or requests of unknown account, in running batches. */
  const taken = new Set<bigint>()
  let scheduled = false

  /** At the end of the turn of the event loop, so that verbs that arrive together share a batch. */
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    queueMicrotask(() => {
      scheduled = false
      while (running.size < width) {
        const batch = takeBatch()
        if (batch.length === 0) return
        const run = settleBatch(batch).then(() => {
          running.delete(run)
          if (batch[0]) taken.delete(groupOf(batch[0]))
          schedule()
        })
        running.add(run)
      }
    })
  }

  function takeBatch(): QueuedVerb[] {
    const first = oneAccount ? queue.find((queued) => !taken.has(groupOf(queued))) : queue[0]
    const batch: QueuedVerb[] = []
    const left: QueuedVerb[] = []
    const requests = new Set<bigint>()
    let full = false
    for (const queued of queue) {
      const isOurs = first !== undefined && (!oneAccount || groupOf(queued) === groupOf(first))
      // A request appears once in a batch, because the SQL function reads each once; its next verb, and all verbs after
      // that, go to the next batch.
      if (isOurs && (batch.length === LARGEST_BATCH || requests.has(queued.verb.id))) full = true
      if (!isOurs || full) {
        left.push(queued)
        continue
      }
      requests.add(queued.verb.id)
      batch.push(queued)
    }
    queue = left
    if (oneAccount && first) taken.add(groupOf(first))
    return batch
  }

  async function settleBatch(batch: readonly QueuedVerb[]): Promise<void> {
    try {
      const verbs = batch.map((queued) => queued.verb)
      const decisions = await retry(() => send(verbs))
      batch.forEach((queued, place) => {
        const decision = decisions[place]
        if (decision !== undefined && decision !== 'busy') queued.resolve(decision)
        else if (onBusy) onBusy(queued)
        else queued.reject(storeDown('undecided'))
      })
    } catch (error) {
      const [only] = batch
      // An invalid verb must not fail the others of its batch.
      if (batch.length > 1 && faultOf(error) !== 'down') for (const queued of batch) await settleBatch([queued])
      else if (batch.length === 1 && faultOf(error) === 'rejected') only?.reject(error)
      else for (const queued of batch) queued.reject(storeDown(error))
    }
  }

  return {
    push(queued) {
      queue.push(queued)
      schedule()
    },
    async drained() {
      while (running.size > 0 || queue.length > 0) await (running.size > 0 ? Promise.race(running) : Promise.resolve())
    },
  }
}

const groupOf = ({ account, verb }: QueuedVerb): bigint => account ?? -verb.id
