// POST /console/api/register: an account for whoever asks, as far as the operator allows. Strangers call this, so each
// check stands before what is dearer than it: a question to the store, then a slow hash, then the account.
import type { FileConfig } from '../config/types.ts'
import { type Answer, json } from '../http/answer.ts'
import { JSON_BODY, readBody } from '../http/body.ts'
import { clientAddress, compileCidrs, networkOf } from '../http/client-address.ts'
import { createFewAtOnce } from '../http/few-at-once.ts'
import { createTries } from '../http/tries.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import { hashPassword } from '../storage/password.ts'
import type { Account, SignUpRefusal, Storage } from '../storage/storage.ts'
import { type ConsoleCall, type Refusal, refuse, refuseFor } from './answers.ts'
import { readCredentials } from './credentials.ts'
import { createInProgress, type Slot } from './in-progress.ts'
import { isOwnPage } from './own-page.ts'

export type RegisterParts = {
  storage: Pick<Storage, 'signUp' | 'signUpRefusal'>
  config(): Pick<FileConfig, 'registration' | 'server'>
  after(ms: number, run: () => void): () => void
  clock(): number
  /** A slot for a registration; undefined: the gateway is overloaded. */
  admit(): Slot | undefined
  /** Absent: as passwords are kept. */
  hash?(password: string): Promise<string>
}

export const LARGEST_BODY = 16 * 1024
const BODY_IDLE_MS = 10_000

/** Of a network and hour, also for addresses that are taken: nobody shall find out whose by trying. */
const MOST_TRIES = 30
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Each hash takes a processor for a while, which requests need as well. */
const HASHES_AT_ONCE = 2
const MOST_WAITING = 20

export type Register = (call: ConsoleCall) => Promise<Answer>

export function createRegister(parts: RegisterParts): Register {
  const { storage, config, after, clock, hash = hashPassword } = parts
  const tries = createTries(clock, MOST_TRIES, HOUR_MS)
  const inProgress = createInProgress(parts.admit)
  const hashing = createFewAtOnce(HASHES_AT_ONCE, MOST_WAITING)

  return async (call) => {
    const { registration, server } = config()
    // Asked now: it is not known any more when the caller has gone.
    const network = networkOf(
      clientAddress(call.http.address(), call.http.headers, compileCidrs(server.trustedProxies).cidrs),
    )
    if (!registration.open) return refuse(call, CLOSED)
    if (!isOwnPage(call.http.headers, server.publicUrl)) return refuse(call, FOREIGN_PAGE)
    return (await inProgress(network, () => create(call, network, registration))) ?? refuse(call, BUSY)
  }

  async function create(call: ConsoleCall, network: string, registration: FileConfig['registration']): Promise<Answer> {
    const options = { limitBytes: LARGEST_BODY, contentTypes: JSON_BODY, idleMs: BODY_IDLE_MS, after }
    const body = await readBody(call.http, options)
    if (!(body instanceof Uint8Array)) return refuseFor(call, body)
    const read = readCredentials(body)
    if ('message' in read) return refuse(call, { status: 400, code: 'bad_request', ...read })

    const wait = tries.count(network)
    if (wait !== undefined) return refuse(call, { ...TOO_MANY_TRIES, retryAfter: wait })
    const refusal = await storage.signUpRefusal(read.email, network)
    if (refusal) return refuse(call, REFUSALS[refusal](clock()))
    const password = await hashing.run(() => hash(read.password))
    if (password === undefined) return refuse(call, BUSY)
    const { trialCredit, trialBudgetPerDay: budgetPerDay } = registration
    const answer = await storage.signUp({ email: read.email, password, network, trialCredit, budgetPerDay })
    if (typeof answer === 'string') return refuse(call, REFUSALS[answer](clock()))
    const usedUp = answer.trialCredit < trialCredit
    return json(201, call.headers, accountJson(answer.account, answer.trialCredit, usedUp))
  }
}

function accountJson({ id, email }: Account, trialCredit: Nanos, usedUp: boolean) {
  return {
    ...{ id: String(id), email, trial_credit_usd: formatUsd(trialCredit) },
    /** Why there is less than was to be expected. */
    notice: usedUp ? "Today's trial credit is used up: this account begins without any." : null,
  }
}

const CLOSED: Refusal = {
  ...{ status: 403, code: 'registration_closed' },
  message: 'Nobody can register here. Ask the operator of this gateway for an account.',
}
const FOREIGN_PAGE: Refusal = {
  ...{ status: 403, code: 'foreign_page' },
  message: 'This call comes from a page of another site. (Operators: server.public_url says where ours are.)',
}
const TOO_MANY_TRIES: Refusal = {
  ...{ status: 429, code: 'too_many_tries' },
  message: 'There were too many attempts from your network. Try again later.',
}
const BUSY: Refusal = {
  ...{ status: 503, code: 'unavailable', retryAfter: 5 },
  message: 'Too many people are registering at this moment. Try again shortly.',
}

const REFUSALS: Readonly<Record<SignUpRefusal, (now: number) => Refusal>> = {
  taken: () => ({
    ...{ status: 409, code: 'address_taken', param: 'email' },
    message: 'There is, or was, an account with this address, perhaps in another spelling. Sign in, or use another.',
  }),
  // Days begin at midnight UTC.
  too_many: (now) => ({
    ...{ status: 429, code: 'too_many_accounts', retryAfter: Math.ceil((DAY_MS - (now % DAY_MS)) / 1000) },
    message: 'As many accounts as one network may make in a day have been made from yours. Try again tomorrow.',
  }),
}
