// Every route of the console API: what the files of its pages and of sign-in export. A new one needs no line here, a new file one.

import { byPath } from '../http-api/route.ts'
import * as about from './about.ts'
import * as budgets from './pages/budgets.ts'
import * as keys from './pages/keys.ts'
import * as models from './pages/models.ts'
import * as notices from './pages/notices.ts'
import * as overview from './pages/overview.ts'
import * as playground from './pages/playground.ts'
import * as receipt from './pages/receipt.ts'
import * as rejectedRequests from './pages/rejected-requests.ts'
import * as requests from './pages/requests.ts'
import * as usage from './pages/usage.ts'
import * as wallet from './pages/wallet.ts'
import * as providers from './providers/sign-in.ts'
import type { ConsoleRoute } from './route.ts'
import * as accounts from './session/accounts.ts'
import * as invitations from './session/invitations.ts'
import * as links from './session/links.ts'
import * as password from './session/password.ts'
import * as registration from './session/register-account.ts'
import * as secondFactor from './session/second-factor.ts'
import * as setUp from './session/set-up.ts'
import * as signIn from './session/sign-in.ts'
import * as settings from './settings.ts'

const PARTS = [
  ...[
    about,
    accounts,
    budgets,
    invitations,
    keys,
    links,
    models,
    notices,
    overview,
    password,
    playground,
    providers,
    receipt,
  ],
  ...[registration, rejectedRequests, requests, secondFactor, setUp, settings, signIn, usage, wallet],
]

const isRoute = (value: unknown): value is ConsoleRoute =>
  typeof value === 'object' && value !== null && 'policy' in value && 'respond' in value

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = byPath(
  PARTS.flatMap((part) => Object.values<unknown>(part).filter(isRoute)),
)
