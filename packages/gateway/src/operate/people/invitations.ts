// Invitations by link: operators invite to roles and into accounts, owners of an account into theirs.
import { hashToken, newToken } from '../../access/secrets/tokens.ts'
import { fields, idOf, isId, optional, word } from '../../request/schema/schema.ts'
import { GATEWAY_ROLES, type Invitation, MEMBER_ROLES } from '../../storage/storage.ts'
import { isoTime, readFuture } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { pageFields, readPage } from '../inputs/page.ts'
import { ACCOUNT, EMAIL, EXPIRY } from '../inputs/schemas.ts'
import { audited, fingerprint, need, type OperationContext, operation } from '../operation.ts'
import { outranks, permits } from '../permissions.ts'
import { rejected } from '../rejections.ts'
import { INVITATION, NEW_INVITATION } from '../resources/people.ts'
import { type MakerOf, makerBehind, makersOf } from './admin-keys.ts'
import { mailInvitation } from './mail-invitation.ts'
import { linkTo } from './people.ts'
import { checkAccountRank } from './rank.ts'

const DAY_MS = 86_400_000
const LIFE_MS = 7 * DAY_MS
const LONGEST_LIFE_MS = 90 * DAY_MS
/** Open ones, and those that ended within a day. Invitations into no account, by operators, have the limit of one. */
const MOST = { ofAccount: 100, inAll: 10_000 }

export const createInvitation = operation({
  name: 'invitation create',
  permission: 'accounts',
  isDangerous: { with: 'role' },
  forHolders: true,
  route: {
    at: 'POST invitations',
    summary: 'Invites a person by a link, which is shown once and works once',
    output: NEW_INVITATION,
    status: 201,
    example: { body: { account: '7', member_role: 'member', email: 'grace@example.com' } },
  },
  input: fields({
    /** In the gateway. */
    role: optional(word(...GATEWAY_ROLES)),
    account: optional(ACCOUNT),
    /** The role in the account: `member`, unless given. */
    member_role: optional(word(...MEMBER_ROLES)),
    /** Only this address may accept. */
    email: optional(EMAIL),
    /** In 7 days, unless given. */
    expires_at: optional(EXPIRY),
  }),
  /** The link is shown once. */
  async run(context, { role, account: named, member_role, email, expires_at }) {
    if (role === undefined && named === undefined) throw rejected('invited_to_nothing', { field: 'account' })
    if (named === undefined && member_role !== undefined) throw rejected('needs_account', { field: 'member_role' })
    checkRank(context, role)
    const account = named === undefined ? undefined : await findAccount(context, named)
    checkOwner(context)
    if (account) await checkAccountRank(context, account.id)
    const now = Date.now()
    const expiresAt = expires_at === undefined ? now + LIFE_MS : readFuture('expires_at', expires_at)
    if (expiresAt > now + LONGEST_LIFE_MS) throw rejected('expires_too_late', { field: 'expires_at', days: 90 })
    const token = newToken()
    const hash = hashToken(token)
    const memberRole = account === undefined ? undefined : (member_role ?? 'member')
    const { actor } = context
    const invitation = {
      hash,
      role,
      account: account?.id,
      memberRole,
      email,
      ...(actor.type === 'holder' ? { madeBy: actor.person.id, madeByKey: undefined } : await makerBehind(context)),
      byOperator: actor.type !== 'holder',
      expiresAt,
    }
    const after = {
      role: role ?? null,
      account: account === undefined ? null : String(account.id),
      member_role: memberRole ?? null,
      email: email ?? null,
      expires_at: isoTime(expiresAt),
      link: fingerprint(hash),
    }
    const { invitations } = audited(context, 'invitation create', { object: { invitation: hash }, after })
    const made = await invitations.create(invitation, MOST)
    if (!made) throw rejected('too_many_invitations', {})
    const url = linkTo(context, 'invitation', token)
    const mailed = await mailInvitation(context, { email, account: account?.name, role, url })
    return { ...(await invitationRow(context, made)), url, mailed }
  },
})

export const listInvitations = operation({
  name: 'invitation list',
  permission: 'accounts',
  forHolders: true,
  route: { at: 'GET invitations', summary: 'Lists open invitations', output: INVITATION, list: true },
  input: fields({ account: optional(ACCOUNT), ...pageFields('an invitation') }),
  async run(context, { account: named, ...page }) {
    checkOwner(context)
    const { actor, storage } = context
    const own = actor.type === 'holder' ? String(actor.account.id) : named
    const filter = own === undefined ? {} : { account: (await findAccount(context, own)).id }
    const read = (range: object, limit: number) => storage.invitations.list({ ...filter, ...range }, limit)
    const { items, next } = await readPage(page, read, ({ id }) => String(id))
    const makerOf = await makersOf(context, items)
    return { items: items.map((each) => invitationFields(each, makerOf)), next }
  },
})

export const revokeInvitation = operation({
  name: 'invitation revoke',
  permission: 'accounts',
  forHolders: true,
  route: { at: 'DELETE invitations/{invitation}', summary: 'Revokes an invitation', output: INVITATION },
  input: fields({ invitation: idOf('an invitation') }),
  async run(context, { invitation: id }) {
    checkOwner(context)
    const { actor, storage } = context
    const found = isId(id) ? await storage.invitations.find({ id: BigInt(id) }) : undefined
    const isForeign = actor.type === 'holder' && found?.account !== actor.account.id
    if (!found || isForeign || found.endedAt !== undefined) throw rejected('unknown_invitation', { id })
    // An owner of the account cannot take back what gives a role in the gateway, either.
    checkRank(context, found.role)
    if (found.account !== undefined) await checkAccountRank(context, found.account)
    const { createdAt: _, ...row } = found
    const before = { email: row.email ?? null, role: row.role ?? null, member_role: row.memberRole ?? null }
    const { invitations } = audited(context, 'invitation revoke', { object: `invitation/${found.id}`, before })
    if (!(await invitations.revoke(found.id))) throw rejected('unknown_invitation', { id })
    return await invitationRow(context, found)
  },
})

/** Whether who made it could still make it now. */
export async function isStillValid(
  { storage }: Pick<OperationContext, 'storage'>,
  { madeBy, byOperator, role, account, endedAt, expiresAt }: Invitation,
  now: number,
): Promise<boolean> {
  if (endedAt !== undefined || expiresAt <= now) return false
  if (madeBy === undefined) return true
  const maker = await storage.people.findById(madeBy)
  if (!maker || maker.disabled) return false
  if (byOperator) {
    if (maker.role === undefined || !permits(maker.role, 'accounts')) return false
    return role === undefined || (permits(maker.role, 'people') && outranks(maker.role, role))
  }
  if (account === undefined) return false
  return (await storage.members.list(account)).some((each) => each.person === madeBy && each.role === 'owner')
}

/** Nobody gives a role above their own. */
function checkRank({ actor }: OperationContext, role: Invitation['role']): void {
  if (role === undefined) return
  need(actor, 'people')
  if ('role' in actor && actor.type !== 'holder' && !outranks(actor.role, role))
    throw rejected('role_too_high', { field: 'role', role })
}

function checkOwner({ actor }: OperationContext): void {
  if (actor.type === 'holder' && actor.role !== 'owner') throw rejected('forbidden', { permission: 'accounts' })
}

async function invitationRow(context: OperationContext, invitation: Invitation) {
  return invitationFields(invitation, await makersOf(context, [invitation]))
}

const invitationFields = (invitation: Invitation, makerOf: MakerOf) => {
  const { id, role, account, memberRole, email, createdAt, expiresAt } = invitation
  return {
    id: String(id),
    role: role ?? null,
    account: account === undefined ? null : String(account),
    member_role: memberRole ?? null,
    email: email ?? null,
    ...makerOf(invitation),
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
  }
}
