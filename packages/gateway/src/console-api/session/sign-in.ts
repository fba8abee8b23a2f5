// POST /console/api/sign-in and its opposites. An unknown address, a wrong password and a disabled person have the same answer,
// after the same time.

import type { Static } from 'typebox'
import type { ApiError } from '../../http-api/errors.ts'
import type { Origin } from '../../http-api/origin.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { clearSessionCookie } from '../../http-api/session/cookie.ts'
import { endSession, startSession } from '../../http-api/session/sessions.ts'
import { either, fields, NOTHING, optional } from '../../request/schema/schema.ts'
import type { SignIn } from '../../storage/storage.ts'
import { type Call, personEntry } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { route } from '../route.ts'
import { codeGuesses, passwordGuesses } from './guessing/attempts.ts'
import { knownBrowser, rememberBrowser } from './guessing/known-browser.ts'
import { BUSY } from './passwords.ts'
import { ANY_ADDRESS, CODE, GRACE, PASSWORD, SECOND_FACTOR_REQUIRED, SIGNED_IN } from './schemas.ts'
import { useCode, WRONG_CODE } from './second-factor.ts'

const CREDENTIALS = fields({ email: ANY_ADDRESS, password: PASSWORD, code: optional(CODE) })
const RESULT = either(SIGNED_IN, SECOND_FACTOR_REQUIRED)

/** The dispatcher holds no slot for it: a request that is delayed, or waits to be hashed, must not take one from others. */
export const signIn = route(
  'POST sign-in',
  { policy: 'public', summary: 'Signs in', body: CREDENTIALS, example: GRACE, output: RESULT, takesOwnSlot: true },
  async (call, deps) => {
    const { signIns } = deps.metrics
    try {
      const result = await attempt(call, deps)
      signIns.add(1, result.signed_in ? 'succeeded' : 'second_factor_required')
      return result
    } catch (error) {
      const code = error instanceof ApiRejection ? error.error.code : 'failed'
      signIns.add(1, code)
      if (code === 'wrong_credentials' || code === 'wrong_code')
        deps.failedCredentials.trace(call.origin, call.incoming.id, 'sign-in failed', 'console')
      throw error
    }
  },
)

async function attempt(
  asked: Call<Static<typeof CREDENTIALS>>,
  deps: ConsoleDependencies,
): Promise<Static<typeof RESULT>> {
  const { code } = asked.body
  const call = { ...asked, body: { ...asked.body, email: asked.body.email.trim() } }
  const { browser, guesses, delayMs } = await deps.passwords.lookUp(call.origin, () => guesser(call, deps), call.http)
  if (!(await deps.passwords.delays.wait(call.origin.network, delayMs))) throw new ApiRejection(BUSY)
  const found = await rightPassword(call, browser, deps)
  if (found === undefined) {
    await guesses.countWrong()
    throw new ApiRejection(WRONG_CREDENTIALS)
  }
  await checkPasswordAllowed(found.person, deps)
  // The limit may have been reached meanwhile: no more guesses learn their answer than it allows.
  await guesses.check()
  if (found.secondFactor !== undefined) {
    if (code === undefined) return { signed_in: false, second_factor_required: true }
    await checkCode(call.origin, browser, found, code, deps)
  }
  // Disabled in the meantime, or the password or the second factor was changed.
  const withCode = found.secondFactor !== undefined
  const proof = { by: 'password', password: found.password, withoutSecondFactor: !withCode, withCode } as const
  if ((await startSession(call, found.person, deps, proof)) === undefined) throw new ApiRejection(WRONG_CREDENTIALS)
  rememberBrowser(call, found, deps)
  await guesses.forget()
  return { signed_in: true }
}

/** Where people sign in at providers alone, owners of the gateway still can with a password: a provider may fail. */
async function checkPasswordAllowed(person: bigint, { config, store }: ConsoleDependencies): Promise<void> {
  if (config().signIn.password || (await store.people.findById(person))?.role === 'owner') return
  throw new ApiRejection(NO_PASSWORDS)
}

/** Who guesses, and how long the guess is delayed. Throws 429 if there were too many. */
async function guesser({ body: { email }, http, origin }: Call<{ email: string }>, deps: ConsoleDependencies) {
  const browser = knownBrowser(http, await deps.store.signIns.find(email), deps)
  const guesses = passwordGuesses(email, origin, browser, deps)
  return { browser, guesses, delayMs: await guesses.check() }
}

/** undefined: the address or the password is not right, or the person is disabled. */
async function rightPassword(
  { body, http, origin }: Call<{ email: string; password: string }>,
  browser: string | undefined,
  { passwords, store, admit }: ConsoleDependencies,
): Promise<SignIn | undefined> {
  const { network, wideNetwork } = origin
  const known = { network: `browser ${browser}`, wideNetwork: `browser ${browser}`, isKnown: true }
  const compare = async (): Promise<SignIn | undefined> => {
    const slot = admit(undefined)
    if (slot === undefined) throw new ApiRejection(BUSY)
    try {
      // Read only now: it may have changed while the request waited.
      const found = await store.signIns.find(body.email)
      const isRight = await passwords.compare(body.password, found?.password)
      return isRight && !found?.disabled ? found : undefined
    } finally {
      slot.release()
    }
  }
  return await passwords.inPlace(browser === undefined ? { network, wideNetwork } : known, compare, http)
}

async function checkCode(
  from: Origin,
  browser: string | undefined,
  { person, email, secondFactor }: SignIn,
  code: string,
  deps: ConsoleDependencies,
): Promise<void> {
  if (secondFactor === undefined) return
  const guesses = codeGuesses(email, from, browser, deps)
  await guesses.check()
  if (!(await useCode(person, secondFactor, code, deps))) {
    await guesses.countWrong()
    throw new ApiRejection(WRONG_CODE)
  }
  await guesses.check()
  await guesses.forget()
}

/** The browser stays known, also if its session began with a sign-up or a link. */
export const signOut = route(
  'POST sign-out',
  { policy: 'session', summary: 'Ends this session', body: NOTHING },
  async (call, deps) => {
    const found = await deps.store.signIns.findByPerson(call.person.id)
    await endSession(call, call.session, deps)
    if (found?.password !== undefined) rememberBrowser(call, found, deps)
  },
)

export const signOutEverywhere = route(
  'POST sign-out-everywhere',
  { policy: 'session', summary: 'Ends all sessions', body: NOTHING },
  async (call, deps) => {
    const entry = personEntry(call, call.person.id, 'sign-out everywhere', { after: { sessions: 'ended' } })
    await deps.store.audited(entry).sessions.endAll(call.person.id)
    clearSessionCookie(call.headers, deps.config().server)
  },
)

const NO_PASSWORDS: ApiError = {
  code: 'password_sign_in_off',
  message: 'Passwords are for owners of this gateway. Sign in with the provider of your company.',
}
const WRONG_CREDENTIALS: ApiError = {
  code: 'wrong_credentials',
  message: 'The email address or the password is wrong, or your access is disabled.',
}
