// Who may use an account in the console. An owner has everything of the account, a member their own keys and their usage.
import type { Account } from '../accounts.ts'

export const MEMBER_ROLES = ['owner', 'member'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

export type Member = { account: bigint; person: bigint; email: string; role: MemberRole }
/** An account as one of its members sees it. */
export type Membership = { account: Account; role: MemberRole }

export interface Members {
  /**
   * Also changes the role of a member. `unproved`: the address may be another person's, who would then get the account. `unknown`: there is
   * no such account or person.
   */
  set(account: bigint, person: bigint, role: MemberRole): Promise<'done' | 'unproved' | 'unknown'>
  /** Ends the person's sessions in the account and, unless they are kept, revokes the keys that the person made. false: no such member. */
  remove(account: bigint, person: bigint, options?: { keepsKeys: boolean }): Promise<boolean>
  /** Of the account, in the order in which they joined. */
  list(account: bigint): Promise<Member[]>
  /** Of all accounts. */
  listAll(): Promise<Member[]>
  /** Oldest account first. */
  accountsOf(person: bigint): Promise<Membership[]>
}
