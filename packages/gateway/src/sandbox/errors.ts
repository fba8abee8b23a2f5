// Errors in OpenAI's shape, as the sandbox's own refusals and as the ones a fault asks for.

export type SandboxErrorInfo = { status: number; message: string; param?: string; code?: string }

/** Thrown while a request is read; the handler renders it. */
export class SandboxError extends Error {
  readonly info: SandboxErrorInfo
  constructor(info: SandboxErrorInfo) {
    super(info.message)
    this.info = info
  }
}

export function badRequest(message: string, param?: string): SandboxError {
  return new SandboxError({ status: 400, message, ...(param === undefined ? {} : { param }) })
}

const KINDS: Record<number, { type: string; code: string | null }> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota' },
  403: { type: 'permission_error', code: 'permission_denied' },
  404: { type: 'invalid_request_error', code: 'not_found' },
  413: { type: 'invalid_request_error', code: 'request_too_large' },
  429: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  503: { type: 'server_error', code: 'service_unavailable' },
}

export function errorBody({ status, message, param, code }: SandboxErrorInfo): { error: Record<string, unknown> } {
  const kind = KINDS[status] ?? { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null }
  return { error: { message, type: kind.type, param: param ?? null, code: code ?? kind.code } }
}

export function errorHeaders(status: number): Record<string, string> {
  return status === 429 || status === 503 ? { 'retry-after': '1' } : {}
}
