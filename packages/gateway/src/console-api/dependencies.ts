// What the console API depends on. A page that needs more adds it here; create-console-api.ts supplies it.
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { FileConfig } from '../config/types.ts'
import type { Slot } from '../http-api/concurrent-calls.ts'
import type { FailedCredentials } from '../http-api/failed-credentials.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics/names.ts'
import type { Reads } from '../overload/reads/reads.ts'
import type { Storage } from '../storage/storage.ts'
import type { Providers } from './providers/providers.ts'
import type { Register } from './registration/register.ts'
import type { Passwords } from './session/passwords.ts'

export type ConsoleDependencies = {
  store: Storage
  catalogue(): Catalogue
  config(): FileConfig
  /** For second factors, known browsers, and the secret of the built-in key. */
  accountCipher: AccountCipher
  passwords: Passwords
  mailer: Mailer
  register: Register
  /** Companies' own, at which people sign in. */
  providers: Providers
  version: string
  /** The URL that the server listens on. */
  listenUrl(): string
  clock(): number
  after(ms: number, run: () => void): () => void
  log: Log
  /** A slot of admission control. `account`: undefined before sign-in. undefined: the gateway is overloaded. */
  admit(account: bigint | undefined): Slot | undefined
  reads: Reads
  metrics: Pick<Metrics, 'signIns'>
  failedCredentials: FailedCredentials
}
