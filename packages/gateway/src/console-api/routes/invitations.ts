// Invitations into an account, and what their links lead to.
import type { Static } from 'typebox'
import { EMAIL, EXPIRY } from '../../administration/inputs/schemas.ts'
import { boolean, fields, ID, listOf, nullable, optional, string, TIME, word } from '../../request/schema/schema.ts'
import { MEMBER_ROLES } from '../../storage/people/members.ts'
import { GATEWAY_ROLES } from '../../storage/people/people.ts'
import { LINK_TOKEN } from './account.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

const MEMBER_ROLE = word(...MEMBER_ROLES)
const INVITED_TO = {
  /** In the gateway. */
  role: nullable(word(...GATEWAY_ROLES)),
  account: nullable(string()),
  member_role: nullable(MEMBER_ROLE),
  email: nullable(string('The only address that may accept.')),
  expires_at: TIME,
}
const SHOWN = fields(INVITED_TO)
export type InvitedTo = Static<typeof SHOWN>
const ROW = fields({ id: ID, ...INVITED_TO, made_by: nullable(ID), created_at: TIME })
export type InvitationRow = Static<typeof ROW>
const MADE = fields({
  ...ROW.properties,
  url: string('The link, which is shown once.'),
  mailed: boolean('Whether it is also sent to the address.'),
})
export type NewInvitationRow = Static<typeof MADE>

const INVITE = fields({ member_role: optional(MEMBER_ROLE), email: optional(EMAIL), expires_at: optional(EXPIRY) })
export type Invite = Static<typeof INVITE>
/** Unless they are kept, the keys that the person made stop working. */
const REMOVE_MEMBER = fields({ email: EMAIL, keep_keys: optional(boolean()) })
export type RemoveMember = Static<typeof REMOVE_MEMBER>

const TOKEN = { token: 'the-part-of-the-link-behind-the-hash-mark-xx' }

export const INVITATION_ROUTES = {
  'GET invitations': { policy: 'owner', summary: 'Lists the open invitations into the account', output: listOf(ROW) },
  'POST invitations': {
    policy: 'owner',
    summary: 'Invites a person into the account by a link, which works once',
    body: INVITE,
    output: MADE,
    status: 201,
    example: { email: 'grace@example.com' },
  },
  'DELETE invitations/{id}': { policy: 'owner', summary: 'Revokes an invitation' },
  'POST invitations/show': {
    policy: 'public',
    summary: 'Shows what a link invites to',
    body: LINK_TOKEN,
    output: SHOWN,
    example: TOKEN,
  },
  'POST invitations/accept': {
    policy: 'session',
    summary: 'Accepts an invitation, and shows its account',
    body: LINK_TOKEN,
    example: TOKEN,
  },
  'POST members/remove': {
    policy: 'owner',
    summary: 'Removes a person from the account, at once',
    body: REMOVE_MEMBER,
    example: { email: 'grace@example.com' },
  },
} as const satisfies Record<RouteName, RouteDeclaration>
