// Every error of the admin API in one shape, with all mistakes of the input in `details`.
import type { HttpResponse } from '@trivium/http/response.ts'
import { API_ERRORS, type ApiError, type ApiErrorCode, errorResponse } from '../http-api/errors.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import { errorText } from '../observe/log.ts'
import { messageOf, OperationRejected } from '../operate/rejections.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { StoreDown } from '../storage/storage.ts'
import type { AdminDependencies } from './dependencies.ts'

export function respondTo(
  thrown: unknown,
  { responseHeaders: headers, record }: ApiRequest,
  { log }: Pick<AdminDependencies, 'log'>,
): HttpResponse {
  if (thrown instanceof Failure && thrown.info.allow !== undefined) headers.set('allow', thrown.info.allow)
  const error = errorOf(thrown)
  if (error.code === 'internal_error')
    log.error('request failed', { request: headers.requestId, error: errorText(thrown) })
  record.error = error.code
  record.reason = error.message
  return errorResponse(headers, { details: [], ...error })
}

function errorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiRejection) return thrown.error
  if (thrown instanceof OperationRejected) return fromOperation(thrown)
  if (thrown instanceof StoreDown) return UNAVAILABLE
  if (!(thrown instanceof Failure)) return INTERNAL
  const { code, message, retryAfter } = thrown.info
  return isApiCode(code) ? { code, message, retryAfter } : INTERNAL
}

const isApiCode = (code: string): code is ApiErrorCode => Object.hasOwn(API_ERRORS, code)

function fromOperation(rejected: OperationRejected): ApiError {
  const details = rejected.all.map((rejection) => ({
    param: rejection.details.field === undefined ? null : String(rejection.details.field) || null,
    message: messageOf(rejection),
  }))
  const { code, param, retryAfter } = rejected
  return { code, message: details.map((each) => each.message).join(' '), param, retryAfter, details }
}

const UNAVAILABLE: ApiError = {
  code: 'service_unavailable',
  message: 'The gateway cannot reach its database. Retry in 2 seconds.',
  retryAfter: 2,
}
const INTERNAL: ApiError = {
  code: 'internal_error',
  message: 'The gateway failed on this request. Its operator can find it by the request id.',
}
