// How a server stops: no new connections, then what runs may end, then it is aborted.

import type { GatewayDependencies } from '../handler.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Cleanup } from '../process/cleanup.ts'
import { createLifecycle, type Lifecycle } from '../process/lifecycle.ts'
import type { Listener } from './listen.ts'

export function createServerLifecycle(
  deps: GatewayDependencies,
  mailer: Mailer,
  listener: () => Listener | undefined,
  cleanup: Cleanup,
): Lifecycle {
  return createLifecycle(
    {
      running: () => Math.max(deps.admission.inFlight, listener()?.pending ?? 0, mailer.pending),
      hurry: mailer.hurry,
      abortRunning: () => {
        deps.admission.close()
        deps.upstreamQueue.close()
        deps.upstreamCalls.abortAll('shutdown')
        mailer.abandon()
      },
      stopAccepting: async () => listener()?.stop(false),
      cutConnections: async () => listener()?.stop(true),
      drainMs: () => deps.catalogue().config.server.drainMs,
      close: () => cleanup.run(),
    },
    deps.log,
    (code) => process.exit(code),
  )
}
