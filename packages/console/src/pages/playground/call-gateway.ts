// Calls of the gateway's own endpoints through the console, which adds the credential of the built-in key. An error is a value.

import { type ApiError, errorOf, parsed } from '../../api/body.ts'
import { sayNotSignedIn, urlOf } from '../../api/client.ts'

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
    const error = errorOf(response, parsed(await response.text()))
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
