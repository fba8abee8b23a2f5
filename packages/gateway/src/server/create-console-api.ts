// Creates the console API with what the gateway's own endpoints depend on.

import type { ConsoleDependencies } from '../console-api/dependencies.ts'
import { createDispatch, type Dispatch } from '../console-api/dispatch.ts'
import { createProviders } from '../console-api/providers/providers.ts'
import { createRegister } from '../console-api/registration/register.ts'
import { createPasswords } from '../console-api/session/passwords.ts'
import type { GatewayDependencies } from '../handler.ts'
import type { FailedCredentials } from '../http-api/failed-credentials.ts'
import { LARGEST_BODY } from '../http-api/read-small-body.ts'
import type { Mailer } from '../mail/mailer.ts'
import { VERSION } from '../observe/version.ts'
import type { Storage } from '../storage/storage.ts'

/** Before sign-in there is no account: all such requests together share the slots of one tenant. */
const ANONYMOUS = -1n
/** Stands for the key of requests without one. */
const NO_KEY = -1n

export function createConsoleApi(
  { catalogue, admission, ticker, log, accountCipher, reads, metrics }: GatewayDependencies,
  store: Storage,
  listenUrl: () => string,
  mailer: Mailer,
  failedCredentials: FailedCredentials,
): Dispatch {
  const config = () => catalogue().config
  const { after } = ticker
  const clock = Date.now
  const admit = (account = ANONYMOUS) =>
    admission.enter({ tenant: { account, key: NO_KEY }, bytes: LARGEST_BODY, isArriving: false })
  const passwords = createPasswords({ after, clock })
  const register = createRegister({
    accounts: store.accounts,
    audited: store.audited,
    config,
    clock,
    log,
    hashing: passwords.places,
  })
  const deps: ConsoleDependencies = {
    store,
    catalogue,
    config,
    accountCipher,
    passwords,
    mailer,
    register,
    providers: createProviders({ after, clock }),
    version: VERSION,
    listenUrl,
    clock,
    after,
    log,
    admit,
    reads,
    metrics,
    failedCredentials,
  }
  return createDispatch(deps)
}
