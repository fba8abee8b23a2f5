// Changes a password: by a signed-in browser, or by a link that was sent by email.

import { hashToken } from '../../access/secrets/tokens.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { NEW_PASSWORD } from '../../operate/inputs/schemas.ts'
import { fields, optional } from '../../request/schema/schema.ts'
import { personEntry } from '../call.ts'
import { route } from '../route.ts'
import { checkPassword } from './check-password.ts'
import { countMailRequest, forgetGuesses } from './guessing/attempts.ts'
import { rememberBrowser } from './guessing/known-browser.ts'
import { LINK_EXPIRED, proveAddress, requireMail, sendLink } from './links.ts'
import { personRequester } from './passwords.ts'
import { ANY_ADDRESS, GRACE, LINK_EXAMPLE, PASSWORD, TOKEN } from './schemas.ts'

/** Other browsers are signed out: the former password may be known to others. */
export const changePassword = route(
  'POST password',
  {
    policy: 'session',
    summary: 'Changes the password, and ends all other sessions',
    /** `current` is required if the account has a password. */
    body: fields({ current: optional(PASSWORD), password: NEW_PASSWORD }),
    example: { current: GRACE.password, password: 'another password' },
  },
  async (call, deps) => {
    const { person, session, body } = call
    const { signIns } = deps.store
    const found = await signIns.findByPerson(person.id)
    if (found?.password !== undefined) {
      const { guesses } = await checkPassword(call, 'current', body.current, deps)
      await guesses.forget()
    }
    const password = await deps.passwords.hash(body.password, personRequester(person.id))
    const before = { has_password: found?.password !== undefined }
    const change = { before, after: { has_password: true } }
    const entry = personEntry(call, person.id, 'password change', change)
    await deps.store.audited(entry).signIns.setPassword(person.id, password, session.id)
    await forgetGuesses(person.email, call.origin, deps)
    rememberBrowser(call, { person: person.id, password }, deps)
  },
)

/** The answer does not depend on whether the address is known, nor does its time: the rest happens afterwards. */
export const forgotPassword = route(
  'POST password/forgot',
  {
    policy: 'public',
    summary: 'Sends a link that resets the password, if there is such an account',
    body: fields({ email: ANY_ADDRESS }),
    example: { email: GRACE.email },
    status: 202,
  },
  async (call, deps) => {
    requireMail(deps)
    await countMailRequest(call.origin, deps)
    deps.mailer.inBackground(async () => {
      const found = await deps.store.signIns.find(call.body.email.trim())
      if (found && !found.disabled) await sendLink('reset', found, call, deps)
    })
  },
)

export const resetPassword = route(
  'POST password/reset',
  {
    policy: 'public',
    summary: 'Sets a password by a link',
    body: fields({ token: TOKEN, password: NEW_PASSWORD }),
    example: { ...LINK_EXAMPLE, password: GRACE.password },
  },
  async (call, deps) => {
    const { body, origin } = call
    const { signIns } = deps.store
    const hash = hashToken(body.token)
    // A link that does not work must not cost a hash.
    if ((await signIns.findLink(hash, 'reset')) === undefined) throw new ApiRejection(LINK_EXPIRED)
    const password = await deps.passwords.hash(body.password, origin)
    const person = await signIns.useLink(hash, 'reset')
    if (person === undefined) throw new ApiRejection(LINK_EXPIRED)
    // The link reached the mailbox. First, so that a crash leaves nothing of a person who had only claimed the address.
    await proveAddress(call, person, { verified: true, isHolder: false }, deps)
    const entry = personEntry(call, person, 'password change', { after: { has_password: true, by: 'email link' } })
    await deps.store.audited(entry).signIns.setPassword(person, password)
    const found = await signIns.findByPerson(person)
    if (found) await forgetGuesses(found.email, origin, deps)
  },
)
