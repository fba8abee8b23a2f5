// A queue of verbs that leaves in batches: what arrives while one batch is under way is the next one.
import type { RequestVerb, Result } from '../../money/ledger.ts'
import type { Decision } from './encode.ts'
import { faultOf, retry, storeDown } from './faults.ts'

export type QueuedVerb = {
  verb: RequestVerb
  /** Whose rows it touches, as far as this node knows. */
  account: bigint | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

export type LaneOptions = {
  send(verbs: readonly RequestVerb[]): Promise<Decision[]>
  /** Takes over what was undecided; a lane that waits for locks itself never has any. */
  onBusy?: (waiting: QueuedVerb) => void
  /** Batches under way at once. */
  width: number
  /** Only verbs of one account in a batch, and one batch per account: a locked one keeps only itself waiting. */
  oneAccount: boolean
}

export type Lane = {
  push(waiting: QueuedVerb): void
  /** Resolves when nothing is queued or under way. */
  drained(): Promise<void>
}

const LARGEST_BATCH = 128

export function openLane({ send, onBusy, width, oneAccount }: LaneOptions): Lane {
  let queue: QueuedVerb[] = []
  const running = new Set<Promise<void>>()
  /** Accounts, or requests of unknown account, that a batch under way is about. */
  const taken = new Set<bigint>()
  let scheduled = false

  /** At the end of the turn, so that what arrives together leaves together. */
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
    const first = oneAccount ? queue.find((waiting) => !taken.has(groupOf(waiting))) : queue[0]
    const batch: QueuedVerb[] = []
    const left: QueuedVerb[] = []
    const requests = new Set<bigint>()
    let full = false
    for (const waiting of queue) {
      const isOurs = first !== undefined && (!oneAccount || groupOf(waiting) === groupOf(first))
      // A request appears once in a batch, because the function looks each up once; its next verb, and all that came
      // after that, go with the next batch.
      if (isOurs && (batch.length === LARGEST_BATCH || requests.has(waiting.verb.id))) full = true
      if (!isOurs || full) {
        left.push(waiting)
        continue
      }
      requests.add(waiting.verb.id)
      batch.push(waiting)
    }
    queue = left
    if (oneAccount && first) taken.add(groupOf(first))
    return batch
  }

  async function settleBatch(batch: readonly QueuedVerb[]): Promise<void> {
    try {
      const verbs = batch.map((waiting) => waiting.verb)
      const decisions = await retry(() => send(verbs))
      batch.forEach((waiting, place) => {
        const decision = decisions[place]
        if (decision !== undefined && decision !== 'busy') waiting.resolve(decision)
        else if (onBusy) onBusy(waiting)
        else waiting.reject(storeDown('undecided'))
      })
    } catch (error) {
      const [only] = batch
      // One bad verb must not take its neighbours with it.
      if (batch.length > 1 && faultOf(error) !== 'down') for (const waiting of batch) await settleBatch([waiting])
      else if (batch.length === 1 && faultOf(error) === 'rejected') only?.reject(error)
      else for (const waiting of batch) waiting.reject(storeDown(error))
    }
  }

  return {
    push(waiting) {
      queue.push(waiting)
      schedule()
    },
    async drained() {
      while (running.size > 0 || queue.length > 0) await (running.size > 0 ? Promise.race(running) : Promise.resolve())
    },
  }
}

const groupOf = ({ account, verb }: QueuedVerb): bigint => account ?? -verb.id
