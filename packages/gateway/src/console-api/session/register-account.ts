// POST /console/api/register: the account, and for a browser a session. The account is complete before the session begins: a browser
// that gets none can sign in.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import { errorText } from '../../observe/log.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { Call } from '../route.ts'
import { sendLink } from './links.ts'
import { startSession } from './sessions.ts'

export function registerAccount(call: Call, deps: ConsoleDependencies): Promise<HttpResponse> {
  return deps.register(call, async ({ person: { id: person, email } }) => {
    if (isBrowser(call.http)) {
      await startSession(call, person, deps).catch((error) =>
        deps.log.warn('registration: the new account could not be signed in', { person, error: errorText(error) }),
      )
    }
    if (deps.config().mail) deps.mailer.inBackground(() => sendLink('verify', { person, email }, call, deps))
  })
}

/** Its page is ours: the dispatcher has checked the origin. */
const isBrowser = ({ headers }: HttpRequest): boolean =>
  headers.get('origin') !== null || headers.get('sec-fetch-site') === 'same-origin'
