// POST /console/api/register: creates an account if the operator allows it. Anyone can call this, so cheap checks come first:
// a store lookup, then a slow password hash, then the account.

import { clientAddress, compileCidrs, networkOf, wideNetworkOf } from '@trivium/http/addresses/client-address.ts'
import { type HttpResponse, json } from '@trivium/http/response.ts'
import { trialSource } from '../../config/sandbox.ts'
import type { FileConfig } from '../../config/types.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'
import type { Log } from '../../observe/log.ts'
import { createAttemptCounter } from '../../sharing/attempt-counter.ts'
import { hashPassword } from '../../storage/password.ts'
import type { Accounts, SignedUp, SignUpRejection } from '../../storage/storage.ts'
import { readConsoleBody } from '../bodies/read-console-body.ts'
import { createConcurrentCalls, type Slot } from '../concurrent-calls.ts'
import { type ConsoleCall, type ConsoleError, errorResponse, errorResponseFor } from '../responses.ts'
import { FOREIGN_PAGE, isSameOrigin } from '../same-origin.ts'
import { createHashingPlaces, type HashingPlaces } from '../session/guessing/hashing-places.ts'
import { readCredentials } from './credentials.ts'
import { createOncePerDay } from './log-once-a-day.ts'
import { releasedBudget, trialsPerNetwork } from './trial-credit.ts'

export type RegisterDependencies = {
  accounts: Pick<Accounts, 'signUp' | 'signUpRejection'>
  config(): Pick<FileConfig, 'registration' | 'server' | 'upstreams' | 'mail'>
  after(ms: number, run: () => void): () => void
  clock(): number
  /** A slot for a registration; undefined: the gateway is overloaded. */
  admit(): Slot | undefined
  log: Pick<Log, 'warn'>
  /** Shared with everything else that hashes passwords. Absent: a limit of its own. */
  hashing?: HashingPlaces
  /** Absent: the password hash of the store. */
  hash?(password: string): Promise<string>
}

/** Attempts per network and hour that create no account. Taken addresses count, too, so that they cannot be enumerated. */
const MOST_TRIES = 30
/** A /24 or /48 has so many times the attempts of a network. */
const WIDE_FACTOR = 4
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Origin = { network: string; wideNetwork: string }

/** `signedUp` runs once the account exists, before the response. It must not throw. */
export type Register = (call: ConsoleCall, signedUp?: (made: SignedUp) => Promise<void>) => Promise<HttpResponse>

export function createRegister(deps: RegisterDependencies): Register {
  const { accounts, config, after, clock, log, hash = hashPassword } = deps
  const mostTries = () => MOST_TRIES + config().registration.accountsPerNetworkPerDay
  const tries = createAttemptCounter(clock, mostTries, HOUR_MS)
  const inProgress = createConcurrentCalls(deps.admit)
  const wideTries = createAttemptCounter(clock, () => WIDE_FACTOR * mostTries(), HOUR_MS)
  const isFirstToday = createOncePerDay(clock)
  const hashing = deps.hashing ?? createHashingPlaces({ after, clock })

  return async (call, signedUp) => {
    const { registration, server } = config()
    // Read now: the address is unknown after the client has disconnected.
    const { cidrs } = compileCidrs(server.trustedProxies)
    const address = clientAddress(call.http.address(), call.http.headers, cidrs)
    if (!registration.open) return errorResponse(call, CLOSED)
    if (!isSameOrigin(call.http.headers, server.publicUrl)) return errorResponse(call, FOREIGN_PAGE)
    const from = { network: networkOf(address), wideNetwork: wideNetworkOf(address) }
    // Before a slot is taken: endless bodies must not keep others from one.
    const body = await readConsoleBody(call.http, deps)
    if (!(body instanceof Uint8Array)) return errorResponseFor(call, body)
    const work = () => create(call, body, from, registration, signedUp)
    return (await inProgress(from.network, work, from.wideNetwork)) ?? errorResponse(call, BUSY)
  }

  async function create(
    call: ConsoleCall,
    body: Uint8Array,
    from: Origin,
    registration: FileConfig['registration'],
    signedUp: ((made: SignedUp) => Promise<void>) | undefined,
  ): Promise<HttpResponse> {
    const { network, wideNetwork } = from
    const read = readCredentials(body)
    if ('message' in read) return errorResponse(call, { code: 'bad_request', ...read })

    const wait = tries.count(network) ?? wideTries.count(wideNetwork)
    if (wait !== undefined) return errorResponse(call, { ...TOO_MANY_TRIES, retryAfter: wait })
    const rejected = (reason: SignUpRejection) => {
      if (reason === 'too_many' && isFirstToday(`accounts ${wideNetwork}`))
        log.warn('registration: a network has reached its daily limit of new accounts', { network: wideNetwork })
      return errorResponse(call, SIGN_UP_ERRORS[reason](clock()))
    }
    const { trialCredit, trialBudgetPerDay, accountsPerNetworkPerDay: mostPerNetwork } = registration
    const { email } = read
    const rejection = await accounts.signUpRejection({ email, network, mostPerNetwork, wideNetwork })
    if (rejection) return rejected(rejection)
    const hashed = await hashing.run(from, () => hash(read.password), call.http)
    if (hashed === undefined) return errorResponse(call, BUSY)
    const password = hashed.value
    const budget = releasedBudget(trialBudgetPerDay, trialCredit, clock())
    const wideTrials = trialsPerNetwork(trialBudgetPerDay, trialCredit)
    const answer = await accounts.signUp({
      email,
      password,
      network,
      mostPerNetwork,
      wideNetwork,
      wideTrials,
      trialCredit,
      budget,
      source: trialSource(config()),
      // Where addresses can be proved, nobody gets credit for one that is not theirs.
      onProof: config().mail !== undefined,
    })
    if (typeof answer === 'string') return rejected(answer)
    const [perDay, released] = [trialBudgetPerDay ?? 0n, budget ?? 0n]
    const reason = withheldBecause(answer, perDay - released >= trialCredit)
    if (reason && reason !== 'unproved' && isFirstToday(reason === 'network' ? `trials ${wideNetwork}` : reason)) {
      const fields = { budget_usd: formatUsd(perDay), released_usd: formatUsd(released) }
      log.warn(LOGGED[reason], reason === 'network' ? { network: wideNetwork, ...fields } : fields)
    }
    await signedUp?.(answer)
    return json(201, call.headers, accountJson(answer, reason, trialCredit))
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

function accountJson({ account, person, trialCredit }: SignedUp, withheld: Withheld | undefined, expected: Nanos) {
  return {
    id: String(account.id),
    email: person.email,
    trial_credit_usd: formatUsd(trialCredit),
    /** Why there is less trial credit than expected. */
    notice: withheld ? NOTICES[withheld](formatUsd(expected)) : null,
  }
}

const CLOSED: ConsoleError = {
  code: 'registration_closed',
  message: 'Registration is closed. Ask the operator of this gateway for an account.',
}
const TOO_MANY_TRIES: ConsoleError = {
  code: 'too_many_tries',
  message: 'Too many registration attempts from your network. Retry later.',
}
const BUSY: ConsoleError = {
  code: 'service_unavailable',
  retryAfter: 5,
  message: 'Too many registrations are in progress. Retry in 5 seconds.',
}

const SIGN_UP_ERRORS: Readonly<Record<SignUpRejection, (now: number) => ConsoleError>> = {
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
