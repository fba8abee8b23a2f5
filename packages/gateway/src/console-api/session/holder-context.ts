// What an account holder who is signed in may do with operations.
import type { TSchema } from 'typebox'
import { type Operation, type OperationContext, perform } from '../../administration/operation.ts'
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

/** The handler of a route that is an operation. `inputOf`: its input; absent: the body, and the account that the browser shows. */
export const performs =
  <Input extends TSchema, Result, C extends SignedInCall<unknown>>(
    operation: Operation<Input, Result>,
    inputOf: (call: C) => object = ({ body, account }) => ({ ...(body as object), account: String(account.id) }),
  ) =>
  (call: C, deps: ConsoleDependencies): Promise<Result> =>
    perform(operation, holderContext(call, deps), inputOf(call))
