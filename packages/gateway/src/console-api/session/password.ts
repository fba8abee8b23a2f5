// Changes the password of an account: by a signed-in browser, or by a link that was sent by e-mail.

import { hashToken } from '../../access/secrets/tokens.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { fields, optional, text } from '../fields.ts'
import { newPassword } from '../registration/credentials.ts'
import { Rejection } from '../rejection.ts'
import type { Call, SignedInCall } from '../route.ts'
import type { ChangePassword, ForgotPassword, ResetPassword } from '../types.ts'
import { countMailRequest, forgetGuesses } from './attempts.ts'
import { checkPassword } from './check-password.ts'
import { LINK_EXPIRED, linkToken, requireMail, sendLink } from './links.ts'
import { anyAddress } from './sign-in.ts'

export const CHANGE_PASSWORD = fields({ current: optional(text({ max: 1_024 })), password: newPassword })
export const FORGOT_PASSWORD = fields({ email: anyAddress })
export const RESET_PASSWORD = fields({ token: linkToken, password: newPassword })

/** Other browsers are signed out: the former password may be known to others. */
export async function changePassword(
  { account, session, body }: SignedInCall<ChangePassword>,
  deps: ConsoleDependencies,
): Promise<void> {
  const { signIns } = deps.store
  const found = await signIns.findByAccount(account.id)
  if (found?.password !== undefined) {
    await checkPassword(account, 'current', body.current, deps)
    await forgetGuesses(account.email, deps)
  }
  await signIns.setPassword(account.id, await deps.passwords.hash(body.password), session.id)
}

/** The answer does not depend on whether the account exists, nor does its time: the rest happens afterwards. */
export async function forgotPassword(call: Call<ForgotPassword>, deps: ConsoleDependencies): Promise<void> {
  requireMail(deps)
  await countMailRequest(call.origin.network, deps)
  deps.mailer.inBackground(async () => {
    const found = await deps.store.signIns.find(call.body.email)
    if (found && !found.disabled) await sendLink('reset', found, call, deps)
  })
}

export async function resetPassword({ body }: Call<ResetPassword>, deps: ConsoleDependencies): Promise<void> {
  const { signIns } = deps.store
  const hash = hashToken(body.token)
  // A link that does not work must not cost a hash.
  if ((await signIns.findLink(hash, 'reset')) === undefined) throw new Rejection(LINK_EXPIRED)
  const password = await deps.passwords.hash(body.password)
  const account = await signIns.useLink(hash, 'reset')
  if (account === undefined) throw new Rejection(LINK_EXPIRED)
  await signIns.setPassword(account, password)
  // The link reached the mailbox.
  await signIns.setEmailVerified(account)
  const found = await signIns.findByAccount(account)
  if (found) await forgetGuesses(found.email, deps)
}
