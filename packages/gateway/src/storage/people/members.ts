// Who may use an account in the console. An owner has everything of the account, a member their own keys and their usage.
import type { Nanos } from '../../money/amount.ts'
import type { Period } from '../../money/limits.ts'
import type { Account } from '../accounts.ts'
import type { GatewayRole } from './people.ts'

export const MEMBER_ROLES = ['owner', 'member'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

export type Member = {
  account: bigint
  person: bigint
  email: string
  role: MemberRole
  gatewayRole: GatewayRole | undefined
  /** An operator made the person a member, and no owner of the account: their keys see only what is made with them. */
  byOperator: boolean
  /** undefined: no cap, as for every owner. */
  cap: MemberCap | undefined
}
/** The keys that the member made stay under it in sum. Always by period, so that keys of earlier times need not be added up. */
export type MemberCap = { cap: Nanos; capPeriod: Period }
/** The cap, and what counts against it now. */
export type MemberStanding = MemberCap & { spentUnderCap: Nanos; held: Nanos }
/** An account as one of its members sees it. */
export type Membership = { account: Account; role: MemberRole }

export interface Members {
  /**
   * Also changes the role of a member; an owner has no cap. `person`: the address of one who is not known yet is entered. `cap`: absent:
   * as it is. `byOperator`: of a new member. `unproved`: the address may be another person's, who would then get the account. `unknown`: there is no such account or
   * person, or another one has the address now.
   */
  set(
    account: bigint,
    person: bigint | { email: string },
    role: MemberRole,
    options?: { cap?: MemberCap | undefined; byOperator?: boolean },
  ): Promise<'done' | 'unproved' | 'unknown'>
  /** Ends the person's sessions in the account and, unless they are kept, deletes the keys that the person made. false: no such member. */
  remove(account: bigint, person: bigint, options?: { keepsKeys: boolean }): Promise<boolean>
  /** undefined removes the cap. false: no such member, or an owner. */
  setCap(account: bigint, person: bigint, cap: MemberCap | undefined): Promise<boolean>
  /** undefined: the person has no cap in the account. */
  standing(account: bigint, person: bigint): Promise<MemberStanding | undefined>
  /** What the people of the account spent with the keys that they made there, deleted keys included. */
  spent(account: bigint): Promise<ReadonlyMap<bigint, { inAll: Nanos; thisMonth: Nanos }>>
  /** The members of the account, in the order in which they joined. */
  list(account: bigint): Promise<Member[]>
  /** Oldest account first. */
  accountsOf(person: bigint): Promise<Membership[]>
}
