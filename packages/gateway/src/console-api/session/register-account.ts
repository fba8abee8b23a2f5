// POST /console/api/register: the account, and for a browser a session. The account is complete before the session begins: a browser
// that gets none can sign in.
import type { HttpRequest } from '@trivium/http/request.ts'
import { startSession } from '../../http-api/session/sessions.ts'
import { errorText } from '../../observe/log.ts'
import { REGISTERED, REGISTRATION } from '../registration/register.ts'
import { route } from '../route.ts'
import { checkInvited, invitationOf } from './invitations.ts'
import { sendLink } from './links.ts'
import { GRACE } from './schemas.ts'

export const registerAccount = route(
  'POST register',
  {
    policy: 'public',
    summary: 'Creates an account, and signs in a browser',
    body: REGISTRATION,
    example: GRACE,
    output: REGISTERED,
    status: 201,
  },
  async (call, deps) => {
    const { invitation: token, email: address } = call.body
    const invitation = token === undefined ? undefined : await invitationOf(token, deps)
    if (invitation) checkInvited(invitation, address)
    const { made, answer } = await deps.register(call, { isInvited: invitation !== undefined })
    const { id: person, email } = made.person
    if (isBrowser(call.http)) {
      await startSession(call, person, deps, { by: 'sign-up' }).catch((error) =>
        deps.log.warn('registration: the new account could not be signed in', { person, error: errorText(error) }),
      )
    }
    if (deps.config().mail) deps.mailer.inBackground(() => sendLink('verify', { person, email }, call, deps))
    return answer
  },
)

/** Its page is ours: the dispatcher has checked the origin. */
const isBrowser = ({ headers }: HttpRequest): boolean =>
  headers.get('origin') !== null || headers.get('sec-fetch-site') === 'same-origin'
