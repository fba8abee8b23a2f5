// Limits what operators ask of upstreams: each actor one call of this kind at a time, and a process a few.
import { createConcurrencyLimit } from '../../sharing/concurrency-limit.ts'
import { type Actor, auditEntry } from '../operation.ts'
import { rejected } from '../rejections.ts'

const MOST_AT_ONCE = 4
/** Rejected calls may come again after this. */
const RETRY_S = 5

const inAll = createConcurrencyLimit(MOST_AT_ONCE, 0)
const busy = new Set<string>()

/** Rejects with `too_many_upstream_calls` instead of queueing: an operator waits for the answer. */
export async function limitCalls<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
  const name = JSON.stringify(auditEntry({ actor }, '', { object: '' }).actor)
  if (busy.has(name)) throw rejected('too_many_upstream_calls', { retryAfter: RETRY_S })
  busy.add(name)
  try {
    const done = await inAll.run(async () => ({ result: await work() }))
    if (!done) throw rejected('too_many_upstream_calls', { retryAfter: RETRY_S })
    return done.result
  } finally {
    busy.delete(name)
  }
}
