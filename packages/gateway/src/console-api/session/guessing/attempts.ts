// Limits on wrong guesses of passwords and codes, on all nodes. A guess is counted once its answer is known and before it is given: an
// attempt that was not looked at (the gateway was busy or crashed) is no guess, and of concurrent guesses no more learn their answer than
// the limit allows. By account alone guesses only cause delays: otherwise anyone could keep an account holder out.
import { nameOfAddress } from '../../../access/mail-limits.ts'
import { hashToken } from '../../../access/secrets/tokens.ts'
import { ApiRejection } from '../../../http-api/rejection.ts'
import type { AttemptLimit, Storage } from '../../../storage/storage.ts'
import { delayAfter } from './delays.ts'
import type { From } from './rings.ts'

const MINUTE_MS = 60_000
const WINDOW_MS = 15 * MINUTE_MS
const HOUR_MS = 60 * MINUTE_MS
/** Counted only to be read. */
const NO_LIMIT = 1_000_000_000

type AttemptStore = { store: Pick<Storage, 'signIns'> }

export type Guesses = {
  /** Throws 429 if a limit is reached. Resolves with the delay that the next guess deserves, in milliseconds. */
  check(): Promise<number>
  /** Counts a wrong guess, unless a limit was reached meanwhile: then it throws 429, which does not tell that the guess was wrong. */
  countWrong(): Promise<void>
  /** After a success. What is counted by network alone stays: a known password must not allow more guesses at others. */
  forget(): Promise<void>
}

/** At sign-in. `browser`: the id of a browser that has signed in to this account before, which has a count of its own. */
export function passwordGuesses(email: string, from: From, browser: string | undefined, deps: AttemptStore): Guesses {
  if (browser !== undefined) return browserGuesses(browser, deps)
  const account = nameOfAddress(email)
  const { network, wideNetwork } = from
  const own = [within(`sign-in to ${account} from ${network}`, 10)]
  const shared = [
    within(`sign-in to ${account} from ${wideNetwork}`, 100),
    within(`sign-in from ${network}`, 100),
    within(`sign-in from ${wideNetwork}`, 400),
  ]
  return guesses({ own, shared, delayedBy: within(`sign-in to ${account}`, NO_LIMIT) }, deps)
}

/**
 * Guesses of the second factor at sign-in, by a client that knows the password. Six digits are few: they are limited by account alone, too, which
 * only affects people who sign in with the right password from a new browser.
 */
export function codeGuesses(email: string, from: From, browser: string | undefined, deps: AttemptStore): Guesses {
  if (browser !== undefined) return browserGuesses(browser, deps)
  const account = nameOfAddress(email)
  const own = [within(`code of ${account} from ${from.network}`, 10)]
  return guesses({ own, shared: [within(`code of ${account}`, 20, HOUR_MS)] }, deps)
}

/** Callbacks of providers: what is wrong with them is counted as wrong passwords of the network are. */
export const callbackGuesses = ({ network, wideNetwork }: From, deps: AttemptStore): Guesses =>
  guesses(
    { own: [], shared: [within(`sign-in from ${network}`, 100), within(`sign-in from ${wideNetwork}`, 400)] },
    deps,
  )

/** False: it was used before, on this node or another. */
export const useOnce = async (state: string, lifeMs: number, { store }: AttemptStore): Promise<boolean> =>
  (await store.signIns.countAttempt([within(`state ${hashToken(state).toString('base64url')}`, 1, lifeMs)])) ===
  undefined

/** Guesses of passwords and codes in the settings. A session is proof enough to have a count of its own. */
export const sessionGuesses = (session: bigint, deps: AttemptStore): Guesses =>
  guesses({ own: [within(`guesses of session ${session}`, 10)], shared: [] }, deps)

/**
 * Guesses of the second factor alone, in a session: whoever took it over has as few as at sign-in, however many sessions of the person
 * they have.
 */
export const proofGuesses = (session: bigint, person: bigint, deps: AttemptStore): Guesses =>
  guesses(
    { own: [within(`guesses of session ${session}`, 10)], shared: [within(`proofs of person ${person}`, 20, HOUR_MS)] },
    deps,
  )

const browserGuesses = (browser: string, deps: AttemptStore): Guesses =>
  guesses({ own: [within(`sign-in by browser ${browser}`, 10)], shared: [] }, deps)

const within = (subject: string, most: number, windowMs = WINDOW_MS): AttemptLimit => ({ subject, most, windowMs })

/** The password has changed: former guesses are worth nothing. */
export const forgetGuesses = (email: string, { network }: From, { store }: AttemptStore): Promise<void> =>
  store.signIns.forgetAttempts([
    `sign-in to ${nameOfAddress(email)} from ${network}`,
    `sign-in to ${nameOfAddress(email)}`,
  ])

/** `own`: forgotten after a success. */
type Limits = { own: readonly AttemptLimit[]; shared: readonly AttemptLimit[]; delayedBy?: AttemptLimit }

function guesses({ own, shared, delayedBy }: Limits, { store }: AttemptStore): Guesses {
  const delays = delayedBy === undefined ? [] : [delayedBy]
  const limits = [...own, ...shared, ...delays]
  return {
    async check() {
      const known = await store.signIns.attempts(limits.map(({ subject }) => subject))
      const waits = limits.flatMap(({ subject, most }) => {
        const attempts = known.get(subject)
        return attempts !== undefined && attempts.count >= most ? [attempts.forgottenInMs] : []
      })
      if (waits.length > 0) throw tooManyTries(Math.max(...waits))
      return delayedBy === undefined ? 0 : delayAfter(known.get(delayedBy.subject)?.count ?? 0)
    },
    countWrong: () => count(limits, { store }),
    forget: () => store.signIns.forgetAttempts([...own, ...delays].map(({ subject }) => subject)),
  }
}

/** Emails that a network may cause; rejects with 429. */
export const countMailRequest = ({ network, wideNetwork }: From, deps: AttemptStore): Promise<void> =>
  count([within(`mail from ${network}`, 20, HOUR_MS), within(`mail from ${wideNetwork}`, 80, HOUR_MS)], deps)

async function count(limits: readonly AttemptLimit[], { store }: AttemptStore): Promise<void> {
  const waitMs = await store.signIns.countAttempt(limits)
  if (waitMs !== undefined) throw tooManyTries(waitMs)
}

export function tooManyTries(waitMs: number): ApiRejection {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  const minutes = Math.ceil(retryAfter / 60)
  const message = `Too many attempts. Retry in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`
  return new ApiRejection({ code: 'too_many_tries', retryAfter, message })
}
