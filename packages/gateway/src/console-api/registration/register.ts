// POST /console/api/register: creates an account if the operator allows it. Anyone can call this, so cheap checks come first:
// a lookup in the database, then a slow password hash, then the account.

import type { Static } from 'typebox'
import { isStrictAddress } from '../../access/email-address.ts'
import { trialSource } from '../../config/sandbox.ts'
import type { FileConfig } from '../../config/types.ts'
import type { ApiError } from '../../http-api/errors.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'
import type { Log } from '../../observe/log.ts'
import { BE_AN_ADDRESS, NEW_PASSWORD } from '../../operate/inputs/schemas.ts'
import { fields, ID, nullable, optional, string, textLike, USD } from '../../request/schema/schema.ts'
import { createAttemptCounter } from '../../sharing/attempt-counter.ts'
import { hashPassword } from '../../storage/password.ts'
import type { Accounts, AuditEntry, SignedUp, SignUpRejection } from '../../storage/storage.ts'
import { type Call, signUpEntry } from '../call.ts'
import type { HashingPlaces } from '../session/guessing/hashing-places.ts'
import { TOKEN } from '../session/schemas.ts'
import { releasedBudget, trialsPerNetwork } from './trial-credit.ts'

export const REGISTRATION = fields({
  email: textLike((value) => isStrictAddress(value.trim()), BE_AN_ADDRESS),
  password: NEW_PASSWORD,
  /** From the link of an invitation: it allows to sign up where registration is closed. */
  invitation: optional(TOKEN),
})
type Registration = Static<typeof REGISTRATION>
export const REGISTERED = fields({
  id: ID,
  email: string(),
  trial_credit_usd: USD,
  notice: nullable(string('Why there is less trial credit than expected.')),
})
type Registered = Static<typeof REGISTERED>

export type RegisterDependencies = {
  accounts: Pick<Accounts, 'signUpRejection'>
  audited(entry: AuditEntry): { accounts: Pick<Accounts, 'signUp'> }
  config(): Pick<FileConfig, 'registration' | 'upstreams' | 'mail' | 'signIn'>
  clock(): number
  log: Pick<Log, 'warn'>
  /** Shared with everything else that hashes passwords. */
  hashing: HashingPlaces
  /** Absent: the password hash of the store. */
  hash?(password: string): Promise<string>
}

/** Attempts per network and hour that create no account. Taken addresses count, too, so that they cannot be enumerated. */
const MOST_TRIES = 30
/** A /24 or /48 has so many times the attempts of a network. */
const WIDE_FACTOR = 4
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Throws a ApiRejection. The dispatcher has checked origin and body, and holds a slot. */
export type Register = (
  call: Pick<Call<Registration>, 'body' | 'origin' | 'http' | 'incoming'>,
  options?: { isInvited: boolean },
) => Promise<{ made: SignedUp; answer: Registered }>

export function createRegister(deps: RegisterDependencies): Register {
  const { accounts, audited, config, clock, log, hashing, hash = hashPassword } = deps
  const mostTries = () => MOST_TRIES + config().registration.accountsPerNetworkPerDay
  const tries = createAttemptCounter(clock, mostTries, HOUR_MS)
  const wideTries = createAttemptCounter(clock, () => WIDE_FACTOR * mostTries(), HOUR_MS)
  const isFirstToday = createOncePerDay(clock)

  return async (call, { isInvited } = { isInvited: false }) => {
    const { body, origin, http } = call
    const { network, wideNetwork } = origin
    const email = body.email.trim()
    const { open, trialBudgetPerDay, accountsPerNetworkPerDay: mostPerNetwork } = config().registration
    // Who was invited where registration is closed gets none.
    const trialCredit = open ? config().registration.trialCredit : 0n
    if (!(open || isInvited) || !config().signIn.password) throw new ApiRejection(CLOSED)
    const wait = tries.count(network) ?? wideTries.count(wideNetwork)
    if (wait !== undefined) throw new ApiRejection({ ...TOO_MANY_TRIES, retryAfter: wait })
    const rejected = (reason: SignUpRejection) => {
      if (reason === 'too_many' && isFirstToday(`accounts ${wideNetwork}`))
        log.warn('registration: a network has reached its daily limit of new accounts', { network: wideNetwork })
      return new ApiRejection(SIGN_UP_ERRORS[reason](clock()))
    }
    const rejection = await accounts.signUpRejection({ email, network, mostPerNetwork, wideNetwork })
    if (rejection) throw rejected(rejection)
    const hashed = await hashing.run(origin, () => hash(body.password), http)
    if (hashed === undefined) throw new ApiRejection(BUSY)
    const budget = releasedBudget(trialBudgetPerDay, trialCredit, clock())
    const wideTrials = trialsPerNetwork(trialBudgetPerDay, trialCredit)
    const signedUp = await audited(signUpEntry(call, { email })).accounts.signUp({
      email,
      password: hashed.value,
      network,
      mostPerNetwork,
      wideNetwork,
      wideTrials,
      trialCredit,
      budget,
      source: trialSource(config()),
      // Where addresses can be proved, credit comes with the proof.
      onProof: config().mail !== undefined,
    })
    if (typeof signedUp === 'string') throw rejected(signedUp)
    const [perDay, released] = [trialBudgetPerDay ?? 0n, budget ?? 0n]
    const reason = withheldBecause(signedUp, perDay - released >= trialCredit)
    if (reason && reason !== 'unproved' && isFirstToday(reason === 'network' ? `trials ${wideNetwork}` : reason)) {
      const fields = { budget_usd: formatUsd(perDay), released_usd: formatUsd(released) }
      log.warn(LOGGED[reason], reason === 'network' ? { network: wideNetwork, ...fields } : fields)
    }
    return { made: signedUp, answer: accountJson(signedUp, reason, trialCredit) }
  }
}

/**
 * Limits log lines to one per day and name, so that an attack does not flood the log: true the first time a name is used on a day (UTC), for
 * at most `most` names a day.
 */
function createOncePerDay(clock: () => number, most = 100): (name: string) => boolean {
  let day = -1
  let named = new Set<string>()
  return (name) => {
    const today = Math.floor(clock() / DAY_MS)
    if (today !== day) {
      day = today
      named = new Set()
    }
    if (named.has(name) || named.size >= most) return false
    named.add(name)
    return true
  }
}

/** `paced`: more trial credit will be released later today. */
type Withheld = 'network' | 'paced' | 'budget' | 'unproved'

function withheldBecause({ withheld }: SignedUp, hasMoreLater: boolean): Withheld | undefined {
  return withheld === 'budget' && hasMoreLater ? 'paced' : withheld
}

const LOGGED: Readonly<Record<Exclude<Withheld, 'unproved'>, string>> = {
  network: "registration: a network has used its share of today's trial credit",
  paced:
    'registration: the trial credit released so far today is used up; new accounts get none until more is released',
  budget: "registration: today's trial budget is used up; new accounts get no trial credit",
}

const NOTICES: Readonly<Record<Withheld, (credit: string) => string>> = {
  unproved: (credit) =>
    `Open the link in the email that was sent to you: it proves that the address is yours, and adds ${credit} USD of trial credit.`,
  network: () => "Your network's share of today's trial credit is used up: this account starts without trial credit.",
  paced: () => 'The trial credit released so far today is used up: this account starts without trial credit.',
  budget: () => "Today's trial credit is used up: this account starts without trial credit.",
}

function accountJson(
  { account, person, trialCredit }: SignedUp,
  withheld: Withheld | undefined,
  expected: Nanos,
): Registered {
  return {
    id: String(account.id),
    email: person.email,
    trial_credit_usd: formatUsd(trialCredit),
    notice: withheld ? NOTICES[withheld](formatUsd(expected)) : null,
  }
}

const CLOSED: ApiError = {
  code: 'registration_closed',
  message: 'Registration is closed. Ask the operator of this gateway for an account.',
}
const TOO_MANY_TRIES: ApiError = {
  code: 'too_many_tries',
  message: 'Too many registration attempts from your network. Retry later.',
}
const BUSY: ApiError = {
  code: 'service_unavailable',
  retryAfter: 5,
  message: 'Too many registrations are in progress. Retry in 5 seconds.',
}

const SIGN_UP_ERRORS: Readonly<Record<SignUpRejection, (now: number) => ApiError>> = {
  taken: () => ({
    code: 'address_taken',
    param: 'email',
    message:
      'An account with this email address exists or existed, perhaps in another spelling. Sign in, or use another address.',
  }),
  // Days begin at midnight UTC.
  too_many: (now) => ({
    code: 'too_many_accounts',
    retryAfter: Math.ceil((DAY_MS - (now % DAY_MS)) / 1000),
    message: 'Too many accounts were created from your network today. Retry tomorrow.',
  }),
}
