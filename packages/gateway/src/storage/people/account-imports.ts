// Accounts that are created with everything that they need.
import type { Nanos } from '../../money/amount.ts'
import type { Account, AccountChanges } from '../accounts.ts'
import type { NewKey } from '../keys.ts'

/** `owner`: the email address of a person or, for an account without one, its name. */
export type ImportedAccount = {
  owner: { email: string } | { name: string }
  credit: Nanos
  terms: AccountChanges
  key: Omit<NewKey, 'account'> | undefined
}

export interface AccountImports {
  /** With its terms and its first key, all at once. undefined: a person has this address. */
  createWithTerms(account: ImportedAccount): Promise<Account | undefined>
}
