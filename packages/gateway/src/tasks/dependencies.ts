// What the steps of tasks and their endpoints depend on.

import type { Tracer } from '../observe/traces/tracer.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import type { Storage } from '../storage/storage.ts'
import type { postPublic } from '../upstreams/public/post-public.ts'
import type { TaskDeletes } from './task-deletes.ts'

export type TaskWorkDependencies = RoutingDependencies & {
  store: Pick<Storage, 'tasks' | 'ledger' | 'leases'>
  /** Unique to this process. */
  taskHolder: string
  taskDeletes: TaskDeletes
  postPublic: typeof postPublic
  tracer?: Pick<Tracer, 'called'> | undefined
}
