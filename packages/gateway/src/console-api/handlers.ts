// Binds a handler to every route of the console API.

import type { HttpResponse } from '@trivium/http/response.ts'
import { keyRows } from '../administration/key-rows.ts'
import { csvResponse } from '../http-api/files/file-response.ts'
import { showAbout } from './about.ts'
import type { Call, SignedInCall } from './call.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import { showBreakdown } from './pages/breakdown.ts'
import { listGroups } from './pages/groups.ts'
import { changeKey, createKey, deleteKey, listKeys, rotateKey, showKey } from './pages/keys.ts'
import { listModelNames, listModelSquare, offersOfGroup } from './pages/models.ts'
import { showOverview } from './pages/overview.ts'
import { forwardToGateway, playgroundKey } from './pages/playground.ts'
import { listRejected } from './pages/rejected-requests.ts'
import { listRequests, requestLines, showRequestReceipt, showSeries } from './pages/usage.ts'
import { listHistory, listStatements, redeemCode, showWallet, statementLines } from './pages/wallet.ts'
import { finishSignIn, startSignIn } from './providers/sign-in.ts'
import type { ConsoleRoutes } from './routes/index.ts'
import type { BodyOf, OutputOf, ParametersOf, QueryOf, RouteName } from './routes/route.ts'
import { changeMember, listMembers, removeMember, renameAccount, switchAccount } from './session/accounts.ts'
import { acceptInvitation, invite, listOwnInvitations, revokeOwn, showInvitation } from './session/invitations.ts'
import { resendVerification, verifyEmail } from './session/links.ts'
import { changePassword, forgotPassword, resetPassword } from './session/password.ts'
import { registerAccount } from './session/register-account.ts'
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor, verifySession } from './session/second-factor.ts'
import { setUp } from './session/set-up.ts'
import { signIn, signOut, signOutEverywhere } from './session/sign-in.ts'
import { changePreferences, endOneSession, listSessions, showSession } from './settings.ts'

type CallOf<N extends keyof ConsoleRoutes> = N extends `${string} ${infer Path}`
  ? ConsoleRoutes[N]['policy'] extends 'public'
    ? Call<BodyOf<ConsoleRoutes[N]>, QueryOf<ConsoleRoutes[N]>, ParametersOf<Path>>
    : SignedInCall<BodyOf<ConsoleRoutes[N]>, QueryOf<ConsoleRoutes[N]>, ParametersOf<Path>>
  : never

/** A handler returns what its route declares; one without a schema makes the response itself, or returns nothing. */
type ResultOf<D> = D extends { output: 'csv' | 'forwarded' | 'redirect' } ? HttpResponse : OutputOf<D>

type Handlers = {
  readonly [N in keyof ConsoleRoutes & RouteName]: (
    call: CallOf<N>,
    deps: ConsoleDependencies,
  ) => ResultOf<ConsoleRoutes[N]> | Promise<ResultOf<ConsoleRoutes[N]>>
}

export const HANDLERS: Handlers = {
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

  'GET overview': showOverview,
  'GET usage': (call, deps) => showSeries(call, call.query, deps),
  'GET usage/breakdown': (call, deps) => showBreakdown(call, call.query, deps),
  'GET requests': (call, deps) => listRequests(call, call.query, deps),
  'GET requests.csv': (call, deps) => csvResponse(call, 'requests', requestLines(call, call.query, deps), deps),
  'GET requests/{id}': (call, deps) => showRequestReceipt(call, call.parameters.id, deps),

  'GET rejected-requests': (call, deps) => listRejected(call, call.query, deps),

  'GET keys': listKeys,
  'POST keys': createKey,
  'GET keys/{id}': showKey,
  'POST keys/{id}': changeKey,
  'POST keys/{id}/rotate': rotateKey,
  'DELETE keys/{id}': deleteKey,
  'GET groups': async ({ account }, { catalogue, store }) =>
    listGroups(
      catalogue().config,
      await store.accounts.holder(account.id),
      (group) => offersOfGroup(catalogue(), group).length,
    ),

  'GET models': async ({ account }, deps) => listModelSquare(await deps.store.accounts.holder(account.id), deps),
  'GET model-names': async ({ account, query }, deps) =>
    listModelNames(await deps.store.accounts.holder(account.id), query.search ?? '', deps),

  'GET wallet': showWallet,
  'GET wallet/history': ({ account, query }, deps) => listHistory(account, query, deps),
  'GET wallet/statements': ({ account }, deps) => listStatements(account, deps),
  'GET wallet/statements/{month}': (call, deps) => {
    const month = call.parameters.month.replace(/\.csv$/, '')
    return csvResponse(call, `statement-${month}`, statementLines(call.account, month, deps), deps)
  },
  'POST wallet/redeem': redeemCode,

  'GET playground/key': async (call, deps) => {
    const [row] = await keyRows(call.account.id, [await playgroundKey(call, deps)], deps.store, true)
    if (!row) throw new Error('the built-in key has no row')
    return row
  },
  'POST playground/{path...}': forwardToGateway,
  'GET playground/{path...}': forwardToGateway,
  'DELETE playground/{path...}': forwardToGateway,
}
