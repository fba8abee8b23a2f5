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
  /** Requests with keys that the member made carry them by default. */
  tags: readonly string[]
}
/** A person in an account. */
export type MemberId = { account: bigint; person: bigint }
/** The keys that the member made stay under it in sum. Always by period, so that keys of earlier times need not be added up. */
export type MemberCap = { cap: Nanos; capPeriod: Period }
/** The cap, and what counts against it now. */
export type MemberStanding = MemberCap & { spentUnderCap: Nanos; held: Nanos }
/** An account as one of its members sees it. */
export type Membership = { account: Account; role: MemberRole }
