// Rejections by the sandbox, and errors requested by a fault. Each dialect encodes them in its own form.

/** `type`: where it differs from that of the status. */
export type SandboxErrorInfo = { status: number; message: string; param?: string; code?: string; type?: string }

/** Thrown while a request is decoded; the handler renders it. */
export class SandboxError extends Error {
  readonly info: SandboxErrorInfo
  constructor(info: SandboxErrorInfo) {
    super(info.message)
    this.info = info
  }
}

export function badRequest(message: string, param?: string, code?: string): SandboxError {
  return new SandboxError({
    status: 400,
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  })
}

export function errorHeaders(status: number): Record<string, string> {
  return status === 429 || status === 503 || status === 529 ? { 'retry-after': '1' } : {}
}
