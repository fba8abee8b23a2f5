// Invitations in the console: owners of an account invite into it; whoever has a link signs in or signs up, and joins.
import { hashToken } from '../../access/secrets/tokens.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { EMAIL, EXPIRY } from '../../operate/inputs/schemas.ts'
import { perform } from '../../operate/operation.ts'
import { createInvitation, isStillValid, listInvitations, revokeInvitation } from '../../operate/people/invitations.ts'
import { outranks } from '../../operate/permissions.ts'
import { boolean, fields, ID, listOf, nullable, optional, string, TIME, word } from '../../request/schema/schema.ts'
import { GATEWAY_ROLES } from '../../storage/people/people.ts'
import type { Invitation } from '../../storage/storage.ts'
import { personEntry } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { holderContext, route } from '../route.ts'
import { countChange } from './accounts.ts'
import { LINK_EXPIRED } from './links.ts'
import { LINK_TOKEN, MEMBER_ROLE } from './schemas.ts'

const INVITED_TO = {
  /** In the gateway. */
  role: nullable(word(...GATEWAY_ROLES)),
  account: nullable(string()),
  member_role: nullable(MEMBER_ROLE),
  email: nullable(string('The only address that may accept.')),
  expires_at: TIME,
}
const ROW = fields({ id: ID, ...INVITED_TO, made_by: nullable(ID), created_at: TIME })
const TOKEN = { token: 'the-part-of-the-link-behind-the-hash-mark-xx' }

export const listOwnInvitations = route(
  'GET invitations',
  { policy: 'owner', summary: 'Lists the open invitations into the account', output: listOf(ROW) },
  async (call, deps) => (await perform(listInvitations, holderContext(call, deps), {})).items,
)

export const invite = route(
  'POST invitations',
  {
    policy: 'owner',
    summary: 'Invites a person into the account by a link, which works once',
    body: fields({ member_role: optional(MEMBER_ROLE), email: optional(EMAIL), expires_at: optional(EXPIRY) }),
    output: fields({
      ...ROW.properties,
      url: string('The link, which is shown once.'),
      mailed: boolean('Whether it is also sent to the address.'),
    }),
    status: 201,
    example: { email: 'grace@example.com' },
  },
  async (call, deps) => {
    await countChange(call, deps)
    const input = { ...call.body, account: String(call.account.id) }
    return await perform(createInvitation, holderContext(call, deps), input)
  },
)

export const revokeOwn = route(
  'DELETE invitations/{id}',
  { policy: 'owner', summary: 'Revokes an invitation' },
  async (call, deps) => {
    const { id } = call.parameters
    if (!/^\d{1,18}$/.test(id)) throw new ApiRejection({ code: 'not_found', message: 'There is no such invitation.' })
    await perform(revokeInvitation, holderContext(call, deps), { invitation: id })
  },
)

/** The invitation behind a link, if it can be accepted. Throws 410. */
export async function invitationOf(token: string, { store, clock }: ConsoleDependencies): Promise<Invitation> {
  const found = await store.invitations.find({ hash: hashToken(token) })
  if (!found || !(await isStillValid({ storage: store }, found, clock()))) throw new ApiRejection(LINK_EXPIRED)
  return found
}

export const showInvitation = route(
  'POST invitations/show',
  {
    policy: 'public',
    summary: 'Shows what a link invites to',
    body: LINK_TOKEN,
    output: fields(INVITED_TO),
    example: TOKEN,
  },
  async ({ body }, deps) => {
    const { role, account, memberRole, email, expiresAt } = await invitationOf(body.token, deps)
    const names = account === undefined ? undefined : await deps.store.accounts.names([account])
    return {
      role: role ?? null,
      account: account === undefined ? null : (names?.get(account) ?? null),
      member_role: memberRole ?? null,
      email: email ?? null,
      expires_at: new Date(expiresAt).toISOString(),
    }
  },
)

export const acceptInvitation = route(
  'POST invitations/accept',
  { policy: 'session', summary: 'Accepts an invitation, and shows its account', body: LINK_TOKEN, example: TOKEN },
  async (call, deps) => {
    const { person, session } = call
    const { store } = deps
    const found = await invitationOf(call.body.token, deps)
    checkInvited(found, person.email)
    const { id, role, account, memberRole, email, byOperator } = found
    const present = (await store.members.accountsOf(person.id)).find((each) => each.account.id === account)
    const isRaised =
      role !== undefined && role !== person.role && (person.role === undefined || outranks(role, person.role))
    // What the person has already is not lowered.
    const joins = memberRole !== undefined && present?.role !== 'owner' && present?.role !== memberRole
    const entry = personEntry(call, person.id, 'invitation accept', {
      object: `invitation/${id}`,
      before: { role: person.role ?? null },
      after: {
        role: (isRaised ? role : person.role) ?? null,
        account: account === undefined ? null : String(account),
        member_role: memberRole ?? null,
      },
    })
    const brought = { ...found, byOperator: byOperator || (await isByBroughtOwner(found, deps)) }
    const outcome = await store.audited(entry).invitations.accept(brought, person.id, {
      ...(isRaised ? { role } : {}),
      ...(joins ? { member: memberRole } : {}),
      session: session.id,
      // As for people whom an operator enters. Owners of accounts cannot vouch for an address.
      proves: byOperator && email !== undefined,
      // Otherwise whoever proves the address later would get what was meant for this person. Without mail nobody can.
      needsProof: deps.config().mail !== undefined,
    })
    if (outcome === 'ended') throw new ApiRejection(LINK_EXPIRED)
    if (outcome === 'unproved')
      throw new ApiRejection({
        code: 'conflict',
        message:
          'Open the link in the email that was sent to you first. It verifies your address. Then open the invitation again.',
      })
    if (account !== undefined) await store.sessions.switchAccount(session.id, account)
  },
)

/** Else an operator who brought a person into an account would see its conversations as the next person, whom the first one invites. */
async function isByBroughtOwner({ account, madeBy }: Invitation, { store }: ConsoleDependencies): Promise<boolean> {
  if (account === undefined) return false
  return (await store.members.list(account)).some(({ person, byOperator }) => person === madeBy && byOperator)
}

export function checkInvited({ email }: Invitation, address: string): void {
  if (email === undefined || email === address.trim().toLowerCase()) return
  throw new ApiRejection({
    code: 'forbidden',
    message: 'This invitation is for another email address. Sign in with the one that was invited.',
  })
}
