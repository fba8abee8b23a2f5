// Stored items, responses and images are encrypted for their account, and bound to the response that they belong to.

import type { ConversationDependencies } from './dependencies.ts'

type Part = 'turn' | 'record' | 'image' | 'piece'
/** What the encrypted bytes belong to: they cannot be decrypted as part of anything else. */
export type Sealed = { account: bigint; id: string }

const contextOf = (id: string, part: Part): Uint8Array => Buffer.from(`${part}\n${id}`)

export const seal = (
  { account, id }: Sealed,
  part: Part,
  plain: Uint8Array,
  deps: Pick<ConversationDependencies, 'accountCipher'>,
): Uint8Array => deps.accountCipher.encrypt(account, 'conversations', plain, contextOf(id, part))

/** undefined: it cannot be read any more, as after a change of the master secret. */
export const open = (
  { account, id }: Sealed,
  part: Part,
  sealed: Uint8Array,
  deps: Pick<ConversationDependencies, 'accountCipher'>,
): Uint8Array | undefined => deps.accountCipher.decrypt(account, 'conversations', sealed, contextOf(id, part))
