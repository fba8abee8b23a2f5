// Passwords are hashed and compared off the main thread, few at a time: each takes tens of megabytes and about 100 ms of CPU, and
// anyone can ask for it.

import type { Client } from '@trivium/http/request.ts'
import type { ApiError } from '../../http-api/errors.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { hashPassword } from '../../storage/password.ts'
import { createDelays, type Delays } from './guessing/delays.ts'
import {
  createHashingPlaces,
  type HashingOptions,
  type HashingPlaces,
  type Requester,
} from './guessing/hashing-places.ts'

export type Passwords = {
  /** Shared by everything that hashes. */
  places: HashingPlaces
  delays: Delays
  /** For what is looked up before it is known whether a password is hashed at all. Throws 503 like `inPlace`. */
  lookUp<T>(requester: Requester, work: () => Promise<T>, client?: Client): Promise<T>
  hash(password: string, requester: Requester): Promise<string>
  /** Runs `work` in a hashing place, or throws 503. */
  inPlace<T>(requester: Requester, work: () => Promise<T>, client?: Client): Promise<T>
  /** To be called in a hashing place. `hash`: undefined if there is none; takes as long as a real comparison. */
  compare(password: string, hash: string | undefined): Promise<boolean>
}

const LOOKUPS_AT_ONCE = 16

/** A signed-in account: guesses by others do not delay it. */
export const personRequester = (person: bigint): Requester => ({
  network: `person ${person}`,
  wideNetwork: `person ${person}`,
  isKnown: true,
})

export function createPasswords(options: HashingOptions): Passwords {
  const places = createHashingPlaces(options)
  let decoy: Promise<string> | undefined
  const running =
    (shared: HashingPlaces): Passwords['inPlace'] =>
    async (requester, work, client) => {
      const result = await shared.run(requester, work, client)
      if (result === undefined) throw new ApiRejection(BUSY)
      return result.value
    }
  const inPlace = running(places)
  return {
    places,
    delays: createDelays(options.after),
    inPlace,
    lookUp: running(createHashingPlaces({ ...options, places: LOOKUPS_AT_ONCE })),
    hash: (password, requester) => inPlace(requester, () => hashPassword(password)),
    async compare(password, hash) {
      // Made for every first comparison, so that its time tells nothing, either.
      decoy ??= hashPassword(crypto.randomUUID())
      const absent = await decoy
      const isEqual = await Bun.password.verify(password, hash ?? absent)
      return isEqual && hash !== undefined
    },
  }
}

export const BUSY: ApiError = {
  code: 'service_unavailable',
  retryAfter: 5,
  message: 'Too many passwords are being checked. Retry in 5 seconds.',
}
