// GET /v1/callback-secret: what the receiver of the account's callbacks needs to verify them.

import { type HttpResponse, json } from '@trivium/http/response.ts'
import { authenticate } from '../../access/authenticate.ts'
import { callbackSecret } from '../../access/secrets/callback-secret.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { Failure } from '../../request/failure.ts'
import type { TaskWorkDependencies } from '../dependencies.ts'

export async function showCallbackSecret(incoming: ApiRequest, deps: TaskWorkDependencies): Promise<HttpResponse> {
  const { account, isRestricted } = await authenticate(incoming, 'chat', deps)
  // It belongs to the whole account; such a key was handed out for something particular, or an operator knows it.
  if (isRestricted)
    throw new Failure(
      'not_found',
      'A key with a cap, for some models or IP addresses only, or that an operator made cannot read the callback secret. Use another key.',
    )
  return json(200, incoming.responseHeaders, {
    object: 'callback_secret',
    secret: callbackSecret(account, deps.accountCipher),
  })
}
