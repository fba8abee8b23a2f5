// What is in the bodies of responses and events, which come from outside.

/** `status` 0: the gateway was not reached. */
export type ApiError = {
  status: number
  code: string
  message: string
  /** The field that is wrong. */
  param: string | null
  requestId: string | null
  /** Seconds. */
  retryAfter: number | null
}

/** undefined: it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const field = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[name] : undefined

export const textField = (value: unknown, name: string): string => {
  const found = field(value, name)
  return typeof found === 'string' ? found : ''
}

/** The error object of a body or of an event. */
export function errorIn(body: unknown, status = 0): ApiError {
  const error = field(body, 'error')
  return {
    status,
    code: textField(error, 'code') || textField(error, 'type') || 'unknown',
    message: textField(error, 'message') || `The gateway responded with status ${status}.`,
    param: textField(error, 'param') || null,
    requestId: null,
    retryAfter: null,
  }
}

export const errorOf = ({ status, headers }: Response, body: unknown): ApiError => ({
  ...errorIn(body, status),
  requestId: headers.get('x-request-id'),
  retryAfter: Number(headers.get('retry-after')) || null,
})
