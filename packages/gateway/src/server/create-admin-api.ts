// Creates the admin API with what the gateway's own endpoints depend on.
import type { AdminDependencies } from '../admin-api/dependencies.ts'
import { type AdminDispatch, createAdminDispatch } from '../admin-api/dispatch.ts'
import { LARGEST_ADMIN_BODY } from '../admin-api/read-input.ts'
import type { GatewayDependencies } from '../handler.ts'
import type { FailedCredentials } from '../http-api/failed-credentials.ts'
import type { Storage } from '../storage/storage.ts'

/** Operators share the slots of one tenant. */
const OPERATORS = -2n
/** Stands for the key of requests without one. */
const NO_KEY = -1n

export function createAdminApi(
  { catalogue, admission, ticker, log, accountCipher, reads, node }: GatewayDependencies,
  store: Storage,
  context: AdminDependencies['context'],
  listenUrl: () => string,
  failedCredentials: FailedCredentials,
): AdminDispatch {
  const tenant = { account: OPERATORS, key: NO_KEY }
  return createAdminDispatch({
    store,
    catalogue,
    config: () => catalogue().config,
    context,
    listenUrl,
    clock: Date.now,
    after: ticker.after,
    log,
    admit: () => admission.enter({ tenant, bytes: LARGEST_ADMIN_BODY, isArriving: false }),
    reads,
    failedCredentials,
    accountCipher,
    node,
  })
}
