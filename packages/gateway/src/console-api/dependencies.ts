// What the console API depends on. A page that needs more adds it here; create-apis.ts supplies it.
import type { Slot } from '../http-api/concurrent-calls.ts'
import type { ApiDependencies } from '../http-api/dependencies.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Metrics } from '../observe/metrics/names.ts'
import type { Providers } from './providers/providers.ts'
import type { Register } from './registration/register.ts'
import type { Passwords } from './session/passwords.ts'

export type ConsoleDependencies = ApiDependencies & {
  passwords: Passwords
  mailer: Mailer
  register: Register
  /** Companies' own, at which people sign in. */
  providers: Providers
  version: string
  /** A slot of admission control. `account`: undefined before sign-in. undefined: the gateway is overloaded. */
  admit(account: bigint | undefined): Slot | undefined
  metrics: Pick<Metrics, 'signIns'>
}
