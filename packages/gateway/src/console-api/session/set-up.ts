// POST /console/api/setup: a link from the operator's terminal, printed by the first start or by `account sign-in-link`.
import type { Static } from 'typebox'
import { hashToken } from '../../access/secrets/tokens.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { endSession, startSession } from '../../http-api/session/sessions.ts'
import { NEW_PASSWORD } from '../../operate/inputs/schemas.ts'
import { always, either, fields, optional } from '../../request/schema/schema.ts'
import { FIRST_PERSON } from '../../storage/storage.ts'
import { type Call, personEntry } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { route } from '../route.ts'
import { forgetGuesses } from './guessing/attempts.ts'
import { rememberBrowser } from './guessing/known-browser.ts'
import { LINK_EXPIRED, proveAddress } from './links.ts'
import { LINK_EXAMPLE, SECOND_FACTOR_REQUIRED, SIGNED_IN, TOKEN } from './schemas.ts'

/** Send the token again, with a new password. */
const PASSWORD_REQUIRED = fields({ signed_in: always(false), password_required: always(true) })
const RESULT = either(SIGNED_IN, SECOND_FACTOR_REQUIRED, PASSWORD_REQUIRED)

/**
 * Signs in a person without a password, who can then choose one. Where there is a password, the person has lost it: a new one
 * comes with the request, and a second factor is still asked for.
 */
export const setUp = route(
  'POST setup',
  {
    policy: 'public',
    summary: "Signs in by a link from the operator's terminal",
    body: fields({ token: TOKEN, password: optional(NEW_PASSWORD) }),
    example: LINK_EXAMPLE,
    output: RESULT,
  },
  async (call, deps): Promise<Static<typeof RESULT>> => {
    const { signIns } = deps.store
    const { token, password } = call.body
    const hash = hashToken(token)
    const person = await signIns.findLink(hash, 'setup')
    const found = person === undefined ? undefined : await signIns.findByPerson(person)
    if (found === undefined || found.disabled) throw new ApiRejection(LINK_EXPIRED)
    if (password !== undefined) return await choosePassword(call, hash, password, deps)
    if (found.password !== undefined) return { signed_in: false, password_required: true }
    await signInOnce(call, hash, found.person, deps)
    await ownGateway(call, found, deps)
    return { signed_in: true }
  },
)

async function choosePassword(
  call: Call<unknown>,
  hash: Buffer,
  password: string,
  deps: ConsoleDependencies,
): Promise<Static<typeof RESULT>> {
  const { signIns } = deps.store
  const hashed = await deps.passwords.hash(password, call.origin)
  const person = await signIns.useLink(hash, 'setup')
  if (person === undefined) throw new ApiRejection(LINK_EXPIRED)
  await proveAddress(call, person, { verified: false, isHolder: false }, deps)
  const entry = personEntry(call, person, 'password change', { after: { has_password: true, by: 'sign-in link' } })
  await deps.store.audited(entry).signIns.setPassword(person, hashed)
  const found = await signIns.findByPerson(person)
  if (found) await ownGateway(call, found, deps)
  if (found) await forgetGuesses(found.email, call.origin, deps)
  if (found?.secondFactor !== undefined) return { signed_in: false, second_factor_required: true }
  // Disabled in the meantime, or the password was changed.
  const proof = { by: 'link', password: hashed, withoutSecondFactor: true } as const
  if ((await startSession(call, person, deps, proof)) === undefined) throw new ApiRejection(LINK_EXPIRED)
  rememberBrowser(call, { person, password: hashed }, deps)
  return { signed_in: true }
}

/** Who opens the link of the first start owns the gateway, unless it has an owner already. */
async function ownGateway(
  call: Call<unknown>,
  found: { person: bigint; email: string },
  { store }: ConsoleDependencies,
) {
  if (found.email !== FIRST_PERSON || (await store.people.list()).some(({ role }) => role === 'owner')) return
  const change = { before: { role: null }, after: { role: 'owner' }, reason: 'opened the link of the first start' }
  const { people } = store.audited(personEntry(call, found.person, 'person role', change))
  await people.setRole(found.person, 'owner')
}

/** The session comes first: if the process ends in between, the link still works. */
async function signInOnce(call: Call<unknown>, hash: Buffer, person: bigint, deps: ConsoleDependencies): Promise<void> {
  await proveAddress(call, person, { verified: false, isHolder: false }, deps)
  const session = await startSession(call, person, deps, { by: 'link' })
  if (session === undefined) throw new ApiRejection(LINK_EXPIRED)
  if ((await deps.store.signIns.useLink(hash, 'setup')) !== undefined) return
  call.headers.remove('set-cookie')
  await endSession(call, session, deps)
  throw new ApiRejection(LINK_EXPIRED)
}
