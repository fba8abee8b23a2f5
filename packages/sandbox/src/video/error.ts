// Errors of the video-tasks dialect.

import { SandboxError, type SandboxErrorInfo } from '../request/errors.ts'

const TYPES: Readonly<Record<number, [code: string, type: string]>> = {
  400: ['InvalidParameter', 'BadRequest'],
  401: ['AuthenticationError', 'Unauthorized'],
  403: ['AccessDenied', 'Forbidden'],
  404: ['NotFound', 'NotFound'],
  429: ['RateLimitExceeded.EndpointRPMExceeded', 'TooManyRequests'],
}
const FAILED = ['InternalServiceError', 'InternalServerError'] as const

/** All four are text. */
export function errorBody({ status, message, param, code }: SandboxErrorInfo): object {
  const [byDefault, type] = TYPES[status] ?? (status < 500 ? ['InvalidParameter', 'BadRequest'] : FAILED)
  return { error: { code: code ?? byDefault, message, param: param ?? '', type } }
}

export const taskNotFound = (): SandboxError =>
  new SandboxError({ status: 404, message: 'The task is not found.', param: 'task_id', code: 'NotFound.task_id' })
