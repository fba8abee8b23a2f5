// Passwords are hashed and compared off the main thread, few at a time: each takes tens of megabytes and about 100 ms of CPU, and
// anyone can ask for it.
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../overload/concurrency-limit.ts'
import { hashPassword } from '../../storage/password.ts'
import { Rejection } from '../rejection.ts'

/** Each hash keeps a CPU core busy for a while, which requests need as well. */
const AT_ONCE = 2
const MOST_WAITING = 20

export type Passwords = {
  /** Shared by everything that hashes. */
  limit: ConcurrencyLimit
  hash(password: string): Promise<string>
  /** `hash`: undefined if there is no such account or it has no password; takes as long as a real comparison. */
  isRight(password: string, hash: string | undefined): Promise<boolean>
}

export function createPasswords(limit = createConcurrencyLimit(AT_ONCE, MOST_WAITING)): Passwords {
  let decoy: Promise<string> | undefined
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await limit.run(async () => ({ value: await work() }))
    if (result === undefined) throw new Rejection(BUSY)
    return result.value
  }
  return {
    limit,
    hash: (password) => limited(() => hashPassword(password)),
    isRight: (password, hash) =>
      limited(async () => {
        // Made for every first comparison, so that its time tells nothing, either.
        decoy ??= hashPassword(crypto.randomUUID())
        const absent = await decoy
        const isEqual = await Bun.password.verify(password, hash ?? absent)
        return isEqual && hash !== undefined
      }),
  }
}

const BUSY = {
  ...({ code: 'unavailable', retryAfter: 5 } as const),
  message: 'Too many passwords are being checked. Retry in 5 seconds.',
}
