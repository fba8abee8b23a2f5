// Changes of one resource happen one after the other, on all nodes: a lease of the store by resource is held from the comparison with
// If-Match to the end of the write.

import { ApiRejection } from '../http-api/rejection.ts'
import { rejected } from '../operate/rejections.ts'
import type { Storage } from '../storage/storage.ts'
import { type Rendered, tagOf } from './routes.ts'

const LEASE_MS = 30_000
const WAIT_MS = 5_000
const POLL_MS = 20
/** Leases are rows that stay: resources share this many. */
const LEASES = 1_024

type Change<Result> = {
  /** The header; null: whatever the resource is now. */
  ifMatch: string | null
  show(): Promise<Rendered>
  work(): Promise<Result>
}

/** Throws 404, 412, or 409 if others change it without end. */
export async function changeResource<Result>(
  { ifMatch, show, work }: Change<Result>,
  { leases }: Pick<Storage, 'leases'>,
): Promise<Result> {
  // The path may name an account by its address or its name: the lease is that of its id.
  const { object, id } = await show()
  const lease = `admin change ${Bun.hash.crc32(`${object}/${id}`) % LEASES}`
  const epoch = await acquire(lease, leases)
  try {
    if (ifMatch !== null && !matches(ifMatch, tagOf(await show()))) throw new ApiRejection(CHANGED)
    return await work()
  } finally {
    await leases.release(lease, epoch)
  }
}

async function acquire(lease: string, leases: Storage['leases']): Promise<number> {
  const holder = crypto.randomUUID()
  for (const until = performance.now() + WAIT_MS; performance.now() < until; await Bun.sleep(POLL_MS)) {
    const epoch = await leases.acquire(lease, holder, LEASE_MS, LEASE_MS)
    if (epoch !== undefined) return epoch
  }
  throw rejected('changed_meanwhile', {})
}

const matches = (ifMatch: string, tag: string): boolean =>
  ifMatch.split(',').some((each) => each.trim() === '*' || each.trim() === tag)

const CHANGED = {
  code: 'precondition_failed',
  message: 'The resource has changed since you read it. Read it again, and repeat the change with its new ETag.',
} as const
