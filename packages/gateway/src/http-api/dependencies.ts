// What both the console API and the admin API depend on.
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { FileConfig } from '../config/types.ts'
import type { Log } from '../observe/log.ts'
import type { Reads } from '../overload/reads/reads.ts'
import type { Storage } from '../storage/storage.ts'
import type { FailedCredentials } from './failed-credentials.ts'

export type ApiDependencies = {
  store: Storage
  catalogue(): Catalogue
  config(): FileConfig
  /** For second factors, known browsers, the secret of the built-in key, and the responses of requests with an Idempotency-Key. */
  accountCipher: AccountCipher
  /** The URL that the server listens on. */
  listenUrl(): string
  clock(): number
  after(ms: number, run: () => void): () => void
  log: Log
  reads: Reads
  failedCredentials: FailedCredentials
}
