// The rules of tasks and leases, each broken in one place, as in ../broken.ts.
import {
  apply,
  type Book,
  DEAD_AFTER_MS,
  HELD,
  type RequestRow,
  TASK_NODE,
  type Verb,
} from '../../../packages/gateway/src/money/ledger.ts'
import type { Rules } from '../rules.ts'

const lying = (lie: (book: Book, verb: Verb) => Partial<Book>): Partial<Rules> => ({
  apply: (book, verb) => apply({ ...book, ...lie(book, verb) }, verb),
})

/** The real ledger, which sees the lease of a task or job changed. */
const leaseAs = (change: (epoch: number, verb: Verb) => object, only: readonly Verb['verb'][]) =>
  lying((book, verb) => ({
    lease(name) {
      const lease = book.lease(name)
      return lease && only.includes(verb.verb) ? { ...lease, ...change(lease.epoch, verb) } : lease
    },
  }))

const isTask = ({ nodeId }: RequestRow): boolean => nodeId === TASK_NODE

/** What the reaper finds. */
const reaping = (change: (found: RequestRow[], book: Book, limit: number) => RequestRow[]) =>
  lying((book) => ({ orphans: (deadBefore, limit) => change(book.orphans(deadBefore, limit), book, limit) }))

/** The rows of a task's account and key, after the real ledger has taken a verb on it. */
const counting = (only: Verb['verb'], more: number): Partial<Rules> => ({
  apply(book, verb) {
    const result = apply(book, verb)
    const request = 'id' in verb && verb.verb === only && result.verdict === 'done' ? book.request(verb.id) : undefined
    if (request && isTask(request))
      for (const row of [book.account(request.account), book.key(request.key)]) if (row) row.meter.open += more
    return result
  },
})

export const BROKEN_TASKS: Record<string, Partial<Rules>> = {
  'a former holder of the lease ends a task': leaseAs(
    (epoch, verb) => ({ epoch: 'epoch' in verb ? verb.epoch : epoch }),
    ['settle', 'void'],
  ),
  'a former holder of the lease places the hold of a task': leaseAs(
    (epoch, verb) => ({ epoch: 'epoch' in verb ? verb.epoch : epoch, expiresAt: Number.MAX_SAFE_INTEGER }),
    ['hold'],
  ),
  'a lease is acquired while another has it': leaseAs(() => ({ expiresAt: 0 }), ['acquire_lease']),
  'a new holder has the epoch of the one before': leaseAs((epoch) => ({ epoch: epoch - 1 }), ['acquire_lease']),
  'a former holder renews a lease': leaseAs(
    (epoch, verb) => ({ epoch: 'epoch' in verb ? verb.epoch : epoch }),
    ['renew_lease'],
  ),
  'the lease of an open task is removed': { removesLease: () => true },
  'the reaper overlooks deadlines': reaping((found) => found.filter((row) => !isTask(row))),
  'the reaper takes tasks with the nodes that placed them': {
    apply(book, verb) {
      const { now } = book
      if (verb.verb !== 'reap') return apply(book, verb)
      const open = Array.from({ length: 40 }, (_, id) => book.request(BigInt(id)))
        .filter((row) => row !== undefined)
        .filter((row) => row.state === HELD && isTask(row) && row.heldAt < now - DEAD_AFTER_MS)
      const orphans: Book['orphans'] = (deadBefore, limit) => [...book.orphans(deadBefore, limit), ...open]
      return apply({ ...book, orphans }, verb)
    },
  },
  'the reaper charges a task': {
    apply(book, verb) {
      const charged = (rows: RequestRow[]) =>
        rows.map((row) => (isTask(row) ? Object.assign(row, { nodeId: 1_000, progress: 1n }) : row))
      const orphans: Book['orphans'] = (deadBefore, limit) => charged(book.orphans(deadBefore, limit))
      return apply(verb.verb === 'reap' ? { ...book, orphans } : book, verb)
    },
  },
  'the hold of a task counts as a running request': counting('hold', 1),
  'the end of a task counts as the end of a running request': counting('settle', -1),
}
