// Binds a handler to every route of the console API.

import { showAbout } from './about.ts'
import type { HandlersOf } from './handlers-of.ts'
import { KEY_HANDLERS } from './pages/keys.ts'
import { MODEL_HANDLERS } from './pages/models.ts'
import { PLAYGROUND_HANDLERS } from './pages/playground.ts'
import { USAGE_HANDLERS } from './pages/usage.ts'
import { WALLET_HANDLERS } from './pages/wallet.ts'
import { finishSignIn, startSignIn } from './providers/sign-in.ts'
import type { ConsoleRoutes } from './routes/index.ts'
import { changeMember, listMembers, removeMember, renameAccount, switchAccount } from './session/accounts.ts'
import { acceptInvitation, invite, listOwnInvitations, revokeOwn, showInvitation } from './session/invitations.ts'
import { resendVerification, verifyEmail } from './session/links.ts'
import { changePassword, forgotPassword, resetPassword } from './session/password.ts'
import { registerAccount } from './session/register-account.ts'
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor, verifySession } from './session/second-factor.ts'
import { setUp } from './session/set-up.ts'
import { signIn, signOut, signOutEverywhere } from './session/sign-in.ts'
import { changePreferences, endOneSession, listSessions, showSession } from './settings.ts'

export const HANDLERS: HandlersOf<ConsoleRoutes> = {
  'GET about': showAbout,
  'POST register': registerAccount,
  'POST sign-in': signIn,
  'GET sign-in/{provider}': startSignIn,
  'GET sign-in/{provider}/callback': finishSignIn,
  'POST password/forgot': forgotPassword,
  'POST password/reset': resetPassword,
  'POST email/verify': verifyEmail,
  'POST setup': setUp,
  'GET session': showSession,
  'POST session/account': switchAccount,
  'POST session/verify': verifySession,
  'POST account': renameAccount,
  'GET members': listMembers,
  'POST members': changeMember,
  'POST members/remove': removeMember,
  'GET invitations': listOwnInvitations,
  'POST invitations': invite,
  'DELETE invitations/{id}': revokeOwn,
  'POST invitations/show': showInvitation,
  'POST invitations/accept': acceptInvitation,
  'POST sign-out': signOut,
  'POST sign-out-everywhere': signOutEverywhere,
  'GET sessions': listSessions,
  'DELETE sessions/{id}': endOneSession,
  'POST password': changePassword,
  'POST preferences': changePreferences,
  'POST email/resend': resendVerification,
  'POST second-factor/begin': beginSecondFactor,
  'POST second-factor/confirm': confirmSecondFactor,
  'POST second-factor/remove': removeSecondFactor,

  ...USAGE_HANDLERS,
  ...KEY_HANDLERS,
  ...MODEL_HANDLERS,
  ...WALLET_HANDLERS,
  ...PLAYGROUND_HANDLERS,
}
