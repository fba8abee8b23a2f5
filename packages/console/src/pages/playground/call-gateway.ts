// Calls of the gateway's own endpoints through the console, which adds the credential of the built-in key. An error is a value.

import { type ApiError, sayNotSignedIn, urlOf } from '../../api/client.ts'

/** `requestId`: also of a failed call; null: the gateway was not reached. */
export type Called = { requestId: string | null } & ({ ok: true; response: Response } | { ok: false; error: ApiError })

export async function callGateway(
  path: string,
  {
    body,
    method = body === undefined ? 'GET' : 'POST',
    signal,
  }: { body?: object; method?: string; signal?: AbortSignal },
): Promise<Called> {
  const isForm = body instanceof FormData
  try {
    const response = await fetch(urlOf('console', `playground/${path}`), {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(body === undefined || isForm ? {} : { headers: { 'content-type': 'application/json' } }),
      ...(signal ? { signal } : {}),
    })
    const requestId = response.headers.get('x-request-id')
    if (response.ok) return { ok: true, requestId, response }
    const error = errorOf(await response.text(), response)
    if (error.code === 'not_signed_in') sayNotSignedIn()
    return { ok: false, requestId, error }
  } catch {
    return { ok: false, requestId: null, error: unreached(signal) }
  }
}

/** The connection ended within the answer, or this page ended it. */
export const unreached = (signal: AbortSignal | undefined): ApiError => ({
  status: 0,
  message: 'The connection ended before the answer was complete.',
  param: null,
  code: signal?.aborted ? 'aborted' : 'connection_lost',
  requestId: null,
  retryAfter: null,
})

function errorOf(text: string, { status, headers }: Response): ApiError {
  return {
    ...errorIn(parsed(text), status),
    requestId: headers.get('x-request-id'),
    retryAfter: Number(headers.get('retry-after')) || null,
  }
}

/** The error object of a body or of an event. */
export function errorIn(body: unknown, status = 0): ApiError {
  const error = field(body, 'error')
  const text = (name: string) => {
    const value = field(error, name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return {
    status,
    code: text('code') ?? text('type') ?? 'unknown',
    message: text('message') ?? `The gateway responded with status ${status}.`,
    param: text('param') ?? null,
    requestId: null,
    retryAfter: null,
  }
}

/** A field of anything that came from outside. */
export const field = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[name] : undefined

export const textField = (value: unknown, name: string): string => {
  const found = field(value, name)
  return typeof found === 'string' ? found : ''
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The data of each server-sent event, parsed. Ends with the stream; throws if the connection is lost. */
export async function* readEvents(response: Response): AsyncGenerator<unknown> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const text = decoder.decode(value, { stream: true })
      // An event may be megabytes long: what has come so far is joined once, at its end.
      const lines = text.split('\n')
      for (const [index, line] of lines.entries()) {
        if (index === lines.length - 1) {
          rest.push(line)
          break
        }
        const whole = rest.join('') + line
        rest = []
        if (!whole.startsWith('data:')) continue
        const data = whole.slice(5).trim()
        if (data !== '' && data !== '[DONE]') yield parsed(data)
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
