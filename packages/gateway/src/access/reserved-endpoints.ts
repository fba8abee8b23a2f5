// Protocols that the specification names and this version does not speak yet: the caller is told so, in its dialect,
// after the same checks of key and version as any other call.
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { type AuthenticateDependencies, authenticate } from './authenticate.ts'
import { Failure } from './failure.ts'
import type { IncomingRequest } from './incoming-request.ts'

/** `what`: as the caller would name it. */
export function reservedEndpoint(
  dialect: DialectId,
  what: string,
): (incoming: IncomingRequest, dependencies: AuthenticateDependencies) => Promise<never> {
  return async (incoming, dependencies) => {
    await authenticate(incoming, dialect, dependencies)
    DIALECTS[dialect].version?.check(incoming.http.headers)
    throw new Failure('unsupported', `This version of the gateway does not serve ${what} yet.`)
  }
}
