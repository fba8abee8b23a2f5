// POST /console/api/sign-in and its opposites. An unknown address, a wrong password and a disabled account have the same answer,
// after the same time.

import type { ConsoleDependencies } from '../dependencies.ts'
import { type Check, fields, optional, text } from '../fields.ts'
import { badRequest, Rejection } from '../rejection.ts'
import type { ConsoleError } from '../responses.ts'
import type { Call, SignedInCall } from '../route.ts'
import type { SignInResult } from '../types.ts'
import { countGuess, forgetGuesses } from './attempts.ts'
import { clearSessionCookie } from './cookie.ts'
import { useCode, WRONG_CODE } from './second-factor.ts'
import { endSession, startSession } from './sessions.ts'

/** Looser than at registration: operators may create accounts with unusual addresses. */
export const anyAddress: Check<string> = (value, name) => {
  const email = typeof value === 'string' ? value.trim() : ''
  if (email.length <= 320 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)) return email
  throw badRequest(name, `${name} must be an e-mail address such as ada@example.com.`)
}

export const SIGN_IN = fields({ email: anyAddress, password: text({ max: 1_024 }), code: optional(text({ max: 64 })) })

export async function signIn(
  call: Call<{ email: string; password: string; code?: string }>,
  deps: ConsoleDependencies,
): Promise<SignInResult> {
  const { email, password, code } = call.body
  await countGuess(email, call.origin.network, deps)
  const found = await deps.store.signIns.find(email)
  const isRight = await deps.passwords.isRight(password, found?.password)
  if (found === undefined || found.disabled || !isRight) throw new Rejection(WRONG_CREDENTIALS)
  if (found.secondFactor !== undefined) {
    if (code === undefined) return { signed_in: false, second_factor_required: true }
    if (!(await useCode(found.account, found.secondFactor, code, deps))) throw new Rejection(WRONG_CODE)
  }
  // Disabled in the meantime, or the password was changed.
  if ((await startSession(call, found.account, deps, found.password)) === undefined)
    throw new Rejection(WRONG_CREDENTIALS)
  await forgetGuesses(email, deps)
  return { signed_in: true }
}

export const signOut = (call: SignedInCall<object>, deps: ConsoleDependencies): Promise<void> =>
  endSession(call, call.session, deps)

export async function signOutEverywhere(call: SignedInCall<object>, deps: ConsoleDependencies): Promise<void> {
  await deps.store.sessions.endAll(call.account.id)
  clearSessionCookie(call.headers, deps.config().server)
}

const WRONG_CREDENTIALS: ConsoleError = {
  code: 'wrong_credentials',
  message: 'The e-mail address or the password is wrong, or the account is disabled.',
}
