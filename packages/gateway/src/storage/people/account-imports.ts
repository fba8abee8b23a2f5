// Accounts that are created with everything that they need.
import type { Nanos } from '../../money/amount.ts'
import type { AccountChanges } from '../accounts.ts'
import type { NewKey } from '../keys.ts'
import type { MemberRole } from './members.ts'

/**
 * `owner`: the email address of a person or, for an account without one, its name. `source`: the ledger account that the credit comes
 * from. `password`: the hash of one. `member`: what else the person becomes a member of.
 */
export type OpenedAccount = {
  owner: { email: string } | { name: string }
  credit: Nanos
  source: bigint
  password?: string | undefined
  terms: AccountChanges
  key: Omit<NewKey, 'account'> | undefined
  member?: { account: bigint; role: MemberRole; byOperator: boolean } | undefined
}
