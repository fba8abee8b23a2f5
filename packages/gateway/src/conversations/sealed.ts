// Stored items and responses are encrypted for their account, and bound to the response that they belong to.

import type { AccountSecrets } from '../access/account-secrets.ts'
import type { StoredResponse } from '../storage/responses.ts'

export type SealDependencies = { accountKeys: Pick<AccountSecrets, 'encrypt' | 'decrypt'> }

type Part = 'input' | 'output' | 'record'

const contextOf = (id: string, part: Part): Uint8Array => Buffer.from(`${part}\n${id}`)

export const seal = (account: bigint, id: string, part: Part, plain: Uint8Array, deps: SealDependencies): Uint8Array =>
  deps.accountKeys.encrypt(account, 'conversations', plain, contextOf(id, part))

/** undefined: it cannot be read any more, as after a change of the master secret. */
export const open = (stored: StoredResponse, part: Part, deps: SealDependencies): Uint8Array | undefined =>
  deps.accountKeys.decrypt(stored.account, 'conversations', stored[part], contextOf(stored.id, part))
