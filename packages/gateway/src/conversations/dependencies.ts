// What stored conversations depend on.
import type { Ticker } from '@trivium/http/ticker.ts'
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { Log } from '../observe/log.ts'
import type { Responses } from '../storage/storage.ts'

export type ConversationDependencies = {
  store: { responses: Responses }
  accountCipher: Pick<AccountCipher, 'encrypt' | 'decrypt'>
  mediaStore: Pick<MediaStore, 'put' | 'read'>
  ticker: Ticker
  log: Log
  /** For what fails with every request while the store is down. */
  outageLog: Log
}
