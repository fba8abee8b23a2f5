// Endpoints of the specification that this version does not serve yet: an error in the caller's dialect,
// after the same checks of key and version as for any other request.
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { type AuthenticateDependencies, authenticate } from './authenticate.ts'
import { Failure } from './failure.ts'
import type { IncomingRequest } from './incoming-request.ts'

/** `what`: the feature's name for the message. */
export function reservedEndpoint(
  dialect: DialectId,
  what: string,
): (incoming: IncomingRequest, deps: AuthenticateDependencies) => Promise<never> {
  return async (incoming, deps) => {
    await authenticate(incoming, dialect, deps)
    DIALECTS[dialect].version?.check(incoming.http.headers)
    throw new Failure('unsupported', `This version of the gateway does not serve ${what} yet.`)
  }
}
