// What the admin API depends on; create-admin-api.ts supplies it.
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { OperationContext } from '../administration/operation.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { FileConfig } from '../config/types.ts'
import type { Slot } from '../http-api/concurrent-calls.ts'
import type { FailedCredentials } from '../http-api/failed-credentials.ts'
import type { Log } from '../observe/log.ts'
import type { Reads } from '../overload/reads/reads.ts'
import type { Node } from '../storage/node/node.ts'
import type { Storage } from '../storage/storage.ts'

export type AdminDependencies = {
  store: Storage
  catalogue(): Pick<Catalogue, 'trustedProxies'>
  config(): FileConfig
  /** What operations use, apart from who calls them. */
  context(): Omit<OperationContext, 'actor' | 'dryRun' | 'reason'>
  listenUrl(): string
  clock(): number
  after(ms: number, run: () => void): () => void
  log: Log
  /** A slot of admission control. undefined: the gateway is overloaded. */
  admit(): Slot | undefined
  reads: Reads
  failedCredentials: FailedCredentials
  /** For the responses of requests with an Idempotency-Key. */
  accountCipher: AccountCipher
  node: Pick<Node, 'identity'>
}
