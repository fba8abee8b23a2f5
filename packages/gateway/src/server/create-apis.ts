// Creates the console API and the admin API with what the gateway's own endpoints depend on.

import type { AdminDependencies } from '../admin-api/dependencies.ts'
import { type AdminDispatch, createAdminDispatch } from '../admin-api/dispatch.ts'
import { LARGEST_ADMIN_BODY } from '../admin-api/read-input.ts'
import { createDispatch, type Dispatch } from '../console-api/dispatch.ts'
import { createProviders } from '../console-api/providers/providers.ts'
import { createRegister } from '../console-api/registration/register.ts'
import { createPasswords } from '../console-api/session/passwords.ts'
import type { GatewayDependencies } from '../handler.ts'
import { createFailedCredentials } from '../http-api/failed-credentials.ts'
import { LARGEST_BODY } from '../http-api/read-small-body.ts'
import type { Mailer } from '../mail/mailer.ts'
import { VERSION } from '../observe/version.ts'
import type { Storage } from '../storage/storage.ts'

/** Before sign-in there is no account: all such requests together share the slots of one tenant. */
const ANONYMOUS = -1n
/** Operators share those of another one. */
const OPERATORS = -2n
/** Stands for the key of requests without one. */
const NO_KEY = -1n

export function createApis(
  { catalogue, admission, ticker, log, accountCipher, reads, metrics, node }: GatewayDependencies,
  store: Storage,
  context: AdminDependencies['context'],
  listenUrl: () => string,
  mailer: Mailer,
): { consoleApi: Dispatch; adminApi: AdminDispatch } {
  const config = () => catalogue().config
  const { after } = ticker
  const clock = Date.now
  const admit = (account: bigint, bytes: number) =>
    admission.enter({ tenant: { account, key: NO_KEY }, bytes, isArriving: false })
  const failedCredentials = createFailedCredentials(store.auditLog, clock, log)
  const passwords = createPasswords({ after, clock })
  const { accounts, audited } = store
  const register = createRegister({ accounts, audited, config, clock, log, hashing: passwords.places })
  const providers = createProviders({ after, clock })
  const both = { store, catalogue, config, accountCipher, listenUrl, clock, after, log, reads, failedCredentials }
  return {
    consoleApi: createDispatch({
      ...both,
      passwords,
      mailer,
      register,
      providers,
      version: VERSION,
      admit: (account = ANONYMOUS) => admit(account, LARGEST_BODY),
      metrics,
    }),
    adminApi: createAdminDispatch({ ...both, context, admit: () => admit(OPERATORS, LARGEST_ADMIN_BODY), node }),
  }
}
