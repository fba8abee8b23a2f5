// Every route of the console API, with its policy. `takes` lists the fields of a request, `returns` those of a response: other
// fields are rejected or not sent. test/console/policies.test.ts tries every route without a session and with those of others.
import { showAbout } from './about.ts'
import { NOTHING } from './fields.ts'
import { PAGE_ROUTES } from './pages/routes.ts'
import { type ConsoleRoute, route } from './route.ts'
import { LINK_TOKEN, resendVerification, verifyEmail } from './session/links.ts'
import {
  CHANGE_PASSWORD,
  changePassword,
  FORGOT_PASSWORD,
  forgotPassword,
  RESET_PASSWORD,
  resetPassword,
} from './session/password.ts'
import { registerAccount } from './session/register-account.ts'
import { beginSecondFactor, CONFIRM, confirmSecondFactor, REMOVE, removeSecondFactor } from './session/second-factor.ts'
import { SET_UP, setUp } from './session/set-up.ts'
import { SIGN_IN, signIn, signOut, signOutEverywhere } from './session/sign-in.ts'
import { changePreferences, endOneSession, listSessions, PREFERENCES, showSession } from './settings.ts'
import {
  ABOUT,
  BEGUN_SECOND_FACTOR,
  RECOVERY_CODES,
  SESSION,
  SESSIONS,
  SET_UP_RESULT,
  SIGN_IN_RESULT,
} from './shapes.ts'

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  route({ method: 'GET', path: 'about', policy: 'public', returns: ABOUT, handle: showAbout }),
  route({ method: 'POST', path: 'register', policy: 'public', takes: 'unread', handle: registerAccount }),
  route({
    method: 'POST',
    path: 'sign-in',
    policy: 'public',
    takes: SIGN_IN,
    takesOwnSlot: true,
    returns: SIGN_IN_RESULT,
    handle: signIn,
  }),
  route({
    method: 'POST',
    path: 'password/forgot',
    policy: 'public',
    takes: FORGOT_PASSWORD,
    status: 202,
    handle: forgotPassword,
  }),
  route({ method: 'POST', path: 'password/reset', policy: 'public', takes: RESET_PASSWORD, handle: resetPassword }),
  route({ method: 'POST', path: 'email/verify', policy: 'public', takes: LINK_TOKEN, handle: verifyEmail }),
  route({ method: 'POST', path: 'setup', policy: 'public', takes: SET_UP, returns: SET_UP_RESULT, handle: setUp }),

  route({ method: 'GET', path: 'session', policy: 'session', returns: SESSION, handle: showSession }),
  route({ method: 'POST', path: 'sign-out', policy: 'session', takes: NOTHING, handle: signOut }),
  route({ method: 'POST', path: 'sign-out-everywhere', policy: 'session', takes: NOTHING, handle: signOutEverywhere }),
  route({ method: 'GET', path: 'sessions', policy: 'session', returns: SESSIONS, handle: listSessions }),
  route({ method: 'DELETE', path: 'sessions/{id}', policy: 'session', handle: endOneSession }),
  route({ method: 'POST', path: 'password', policy: 'session', takes: CHANGE_PASSWORD, handle: changePassword }),
  route({ method: 'POST', path: 'preferences', policy: 'session', takes: PREFERENCES, handle: changePreferences }),
  route({
    method: 'POST',
    path: 'email/resend',
    policy: 'session',
    takes: NOTHING,
    status: 202,
    handle: resendVerification,
  }),
  route({
    method: 'POST',
    path: 'second-factor/begin',
    policy: 'session',
    takes: NOTHING,
    returns: BEGUN_SECOND_FACTOR,
    handle: beginSecondFactor,
  }),
  route({
    method: 'POST',
    path: 'second-factor/confirm',
    policy: 'session',
    takes: CONFIRM,
    returns: RECOVERY_CODES,
    handle: confirmSecondFactor,
  }),
  route({
    method: 'POST',
    path: 'second-factor/remove',
    policy: 'session',
    takes: REMOVE,
    handle: removeSecondFactor,
  }),

  ...PAGE_ROUTES,
]
