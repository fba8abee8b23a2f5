// Limits what operators may have running: each actor one piece of work of a kind at a time, and a process a few.
import { createConcurrencyLimit } from '../sharing/concurrency-limit.ts'
import { type Actor, auditEntry } from './operation.ts'
import { rejected } from './rejections.ts'

/** Rejected work may come again after this. */
const RETRY_S = 5

type Reason = 'too_many_upstream_calls' | 'too_many_computations' | 'too_many_changes' | 'too_many_mails'

/** Rejects instead of queueing: an operator waits for the answer. */
export function limitWork(most: number, reason: Reason) {
  const inAll = createConcurrencyLimit(most, 0)
  const busy = new Set<string>()
  return async <T>(actor: Actor, work: () => Promise<T>): Promise<T> => {
    const name = JSON.stringify(auditEntry({ actor }, '', { object: '' }).actor)
    if (busy.has(name)) throw rejected(reason, { retryAfter: RETRY_S })
    busy.add(name)
    try {
      const done = await inAll.run(async () => ({ result: await work() }))
      if (!done) throw rejected(reason, { retryAfter: RETRY_S })
      return done.result
    } finally {
      busy.delete(name)
    }
  }
}
