// What the steps of tasks and their endpoints depend on.

import type { Ticker } from '@trivium/http/ticker.ts'
import type { Callers } from '../access/authenticate.ts'
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Log } from '../observe/log.ts'
import type { Tracer } from '../observe/traces/tracer.ts'
import type { Storage } from '../storage/storage.ts'
import type { postPublic } from '../upstreams/public/post-public.ts'
import type { Send } from '../upstreams/send.ts'
import type { TaskDeletes } from './task-deletes.ts'

export type TaskWorkDependencies = {
  store: Pick<Storage, 'tasks' | 'ledger' | 'leases'>
  /** Unique to this process. */
  taskHolder: string
  taskDeletes: TaskDeletes
  callers: Callers
  catalogue(): Catalogue
  accountCipher: Pick<AccountCipher, 'pseudonym' | 'pseudonyms'>
  postPublic: typeof postPublic
  send: Send
  ticker: Pick<Ticker, 'after'>
  tracer?: Pick<Tracer, 'called'> | undefined
  clock(): number
  random(): number
  log: Log
}
