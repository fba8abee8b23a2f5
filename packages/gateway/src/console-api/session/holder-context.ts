// What an account holder who is signed in may do with operations.
import type { OperationContext } from '../../administration/operation.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'

export const holderContext = (call: SignedInCall<unknown>, deps: ConsoleDependencies): OperationContext => ({
  actor: {
    type: 'holder',
    person: call.person,
    account: call.account,
    role: call.role,
    isByOperator: call.isByOperator,
    address: call.origin.address,
    requestId: call.incoming.id,
  },
  storage: deps.store,
  config: deps.config(),
  listenUrl: deps.listenUrl(),
  mailer: deps.mailer,
  accountCipher: () => Promise.reject(new Error('account holders get no secrets of the gateway')),
})
