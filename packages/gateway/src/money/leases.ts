// Leases: at most one holder of a name at a time, by the store's clock. Each holder has a higher epoch than all before it, so that
// the store can reject what a former holder sends late.
import type { Book } from './book.ts'
import {
  type AcquireLease,
  done,
  type ReleaseLease,
  type RenewLease,
  type Result,
  rejected,
  repeated,
} from './verbs.ts'

export function acquireLease(book: Book, { lease: name, holder, ttlMs, longestMs = Infinity }: AcquireLease): Result {
  const lease = book.lease(name)
  if (lease && lease.expiresAt > book.now && lease.expiresAt - book.now <= longestMs)
    return lease.holder === holder
      ? repeated(BigInt(lease.epoch))
      : rejected('lease_taken', BigInt(lease.expiresAt - book.now))
  const epoch = (lease?.epoch ?? 0) + 1
  book.saveLease({ name, epoch, holder, expiresAt: book.now + ttlMs })
  return done(BigInt(epoch))
}

export function renewLease(book: Book, { lease: name, epoch, ttlMs }: RenewLease): Result {
  const lease = book.lease(name)
  if (lease?.epoch !== epoch || lease.expiresAt <= book.now) return rejected('lease_lost')
  book.saveLease({ ...lease, expiresAt: book.now + ttlMs })
  return done(0n)
}

export function releaseLease(book: Book, { lease: name, epoch }: ReleaseLease): Result {
  const lease = book.lease(name)
  if (lease?.epoch !== epoch || lease.expiresAt === 0) return repeated(0n)
  book.saveLease({ ...lease, holder: '', expiresAt: 0 })
  return done(0n)
}
