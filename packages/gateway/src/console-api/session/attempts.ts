// Limits on guessing passwords and codes, per account and per network, on all nodes. Attempts are counted before the work, so that
// concurrent guesses count, too.

import { hashToken } from '../../access/secrets/tokens.ts'
import { addressForm } from '../../storage/sql/address-form.ts'
import type { AttemptLimit, Storage } from '../../storage/storage.ts'
import { Rejection } from '../rejection.ts'

const MINUTE_MS = 60_000
const WINDOW_MS = 15 * MINUTE_MS
const HOUR_MS = 60 * MINUTE_MS

type Dependencies = { store: Pick<Storage, 'signIns'> }

/** By the address, in all its spellings, whether an account has it or not; hashed, since anyone may type one. */
const subjectOf = (purpose: string, email: string): string =>
  `${purpose} ${hashToken(addressForm(email)).toString('base64url').slice(0, 22)}`

const ofAccount = (email: string): AttemptLimit => ({
  ...{ subject: subjectOf('sign-in', email), most: 10, windowMs: WINDOW_MS },
})
const ofNetwork = (network: string): AttemptLimit => ({
  ...{ subject: `sign-in from ${network}`, most: 100, windowMs: WINDOW_MS },
})

/** Of passwords and codes. A request of a signed-in browser has no network here: its session is proof enough. */
export async function countGuess(email: string, network: string | undefined, deps: Dependencies): Promise<void> {
  await count([ofAccount(email), ...(network === undefined ? [] : [ofNetwork(network)])], deps)
}

/** After a success. The network's attempts stay: else one known password would allow any number of guesses at others. */
export const forgetGuesses = (email: string, { store }: Dependencies): Promise<void> =>
  store.signIns.forgetAttempts([ofAccount(email).subject])

/** E-mails that a network may cause; rejects with 429. */
export const countMailRequest = (network: string, deps: Dependencies): Promise<void> =>
  count([{ subject: `mail from ${network}`, most: 20, windowMs: HOUR_MS }], deps)

/** E-mails to one address. True: one more may be sent. */
export async function mayReceiveMail(email: string, { store }: Dependencies): Promise<boolean> {
  const limit = { subject: subjectOf('mail', email), most: 5, windowMs: HOUR_MS }
  return (await store.signIns.countAttempt([limit])) === undefined
}

async function count(limits: readonly AttemptLimit[], { store }: Dependencies): Promise<void> {
  const waitMs = await store.signIns.countAttempt(limits)
  if (waitMs === undefined) return
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  const minutes = Math.ceil(retryAfter / 60)
  throw new Rejection({
    ...{ code: 'too_many_tries', retryAfter },
    message: `Too many attempts. Retry in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
  })
}
