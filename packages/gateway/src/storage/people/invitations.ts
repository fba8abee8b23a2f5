// Invitations by link: into an account, to a role in the gateway, or both. A link works once; the store keeps its SHA-256.
import type { MemberRole } from './members.ts'
import type { GatewayRole } from './people.ts'

export type Invitation = {
  id: bigint
  /** In the gateway; undefined: none. */
  role: GatewayRole | undefined
  account: bigint | undefined
  memberRole: MemberRole | undefined
  /** Only the person with this address may accept; undefined: whoever has the link. */
  email: string | undefined
  /** undefined: the command line. */
  madeBy: bigint | undefined
  /** The admin key that made it, with which it ends. */
  madeByKey: bigint | undefined
  /** Made by an operator, and not by an owner of the account. */
  byOperator: boolean
  createdAt: number
  expiresAt: number
  /** When it was accepted or revoked. */
  endedAt: number | undefined
}

export type NewInvitation = Omit<Invitation, 'id' | 'createdAt' | 'endedAt'> & { hash: Uint8Array }

/** `before`: only those with a lower id; `after`: with a higher one. */
export type InvitationFilter = { account?: bigint; before?: bigint; after?: bigint }

/** What the person gets; absent: has it already. `proves`: the address is the person's, since an operator invited it. `needsProof`: else it must be proved. `session`: goes on, though a new role ends the others. */
export type Accepted = {
  session?: bigint
  role?: GatewayRole
  member?: MemberRole
  proves: boolean
  needsProof: boolean
}

export interface Invitations {
  /** undefined: there are too many, those included that ended within a day. Those into no account count together. Also undefined: the key that makes it was deleted meanwhile. */
  create(invitation: NewInvitation, most: { ofAccount: number; inAll: number }): Promise<Invitation | undefined>
  /** Also one that has ended or expired. */
  find(which: { hash: Uint8Array } | { id: bigint }): Promise<Invitation | undefined>
  /** Those that can be accepted, newest first. */
  list(filter: InvitationFilter, limit: number): Promise<Invitation[]>
  /** false: it has ended. */
  revoke(id: bigint): Promise<boolean>
  /** All at once. `ended`: it was accepted, revoked, or has expired. `unproved`: the address of the person must be proved first. */
  accept(invitation: Invitation, person: bigint, given: Accepted): Promise<'done' | 'ended' | 'unproved'>
  /** Whether an invitation that can be accepted names this address. */
  isInvited(email: string): Promise<boolean>
}
