// Stored items, responses and images are encrypted for their account, and bound to the response that they belong to.

import type { AccountSecrets } from '../access/secrets/account-secrets.ts'

export type SealDependencies = { accountKeys: Pick<AccountSecrets, 'encrypt' | 'decrypt'> }

type Part = 'turn' | 'record' | 'image'
/** What the encrypted bytes belong to: they cannot be decrypted as part of anything else. */
export type Sealed = { account: bigint; id: string }

const contextOf = (id: string, part: Part): Uint8Array => Buffer.from(`${part}\n${id}`)

export const seal = ({ account, id }: Sealed, part: Part, plain: Uint8Array, deps: SealDependencies): Uint8Array =>
  deps.accountKeys.encrypt(account, 'conversations', plain, contextOf(id, part))

/** undefined: it cannot be read any more, as after a change of the master secret. */
export const open = (
  { account, id }: Sealed,
  part: Part,
  sealed: Uint8Array,
  deps: SealDependencies,
): Uint8Array | undefined => deps.accountKeys.decrypt(account, 'conversations', sealed, contextOf(id, part))
