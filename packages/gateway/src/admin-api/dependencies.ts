// What the admin API depends on; create-apis.ts supplies it.

import type { Slot } from '../http-api/concurrent-calls.ts'
import type { ApiDependencies } from '../http-api/dependencies.ts'
import type { OperationContext } from '../operate/operation.ts'
import type { Node } from '../storage/node/node.ts'

export type AdminDependencies = ApiDependencies & {
  /** What operations use, apart from who calls them. */
  context(): Omit<OperationContext, 'actor' | 'dryRun' | 'reason'>
  /** A slot of admission control. undefined: the gateway is overloaded. */
  admit(): Slot | undefined
  node: Pick<Node, 'identity'>
}
