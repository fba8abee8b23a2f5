// Calls of the console API. An error is a value: nothing here throws.

import type { ErrorBody } from '@trivium/gateway/console-api/types.ts'
import { CONSOLE_PATH } from '../app/base-path.ts'
import type { Params, ReadPath, Reads, WriteAnswer, WriteBody, WritePath } from './endpoints.ts'

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
export type Result<T> = { ok: true; value: T } | { ok: false; error: ApiError }

let notSignedIn = () => {}

/** Called when an answer says that the session has ended. */
export const onNotSignedIn = (listener: () => void): void => {
  notSignedIn = listener
}
export const sayNotSignedIn = (): void => notSignedIn()

const BASE = `${CONSOLE_PATH}/api/`

/** The last answers by URL, the newest last: what has not changed is not sent again. Not in the browser's cache, which is on disk. */
const answers = new Map<string, { etag: string; value: unknown }>()
const MOST_ANSWERS = 40

/** What was read for one account must not be compared with what another one reads. */
export const forgetAnswers = (): void => answers.clear()

export async function read<P extends ReadPath>(
  path: P,
  params: Params = {},
  signal?: AbortSignal,
): Promise<Result<Reads[P]>> {
  const url = apiUrl(path, params)
  const known = answers.get(url)
  const headers = known ? { 'if-none-match': known.etag } : {}
  return call<Reads[P]>(url, { method: 'GET', headers, ...(signal ? { signal } : {}) }, (response, value) => {
    if (response.status === 304) return known?.value
    const etag = response.headers.get('etag')
    answers.delete(url)
    if (etag !== null) answers.set(url, { etag, value })
    const [oldest] = answers.keys()
    if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest)
    return value
  })
}

export function post<P extends WritePath>(path: P, ...[body]: BodyOf<P>): Promise<Result<WriteAnswer<P>>> {
  const headers = { 'content-type': 'application/json' }
  return call<WriteAnswer<P>>(apiUrl(path), { method: 'POST', headers, body: JSON.stringify(body ?? {}) })
}

type BodyOf<P extends WritePath> = WriteBody<P> extends undefined ? [] : [body: WriteBody<P>]

export function remove(path: `sessions/${string}` | `keys/${string}`): Promise<Result<void>> {
  return call<void>(apiUrl(path), { method: 'DELETE', headers: { 'content-type': 'application/json' } })
}

/** The URL of a route, for links to downloads too. Parameters without a value are left out. */
export function apiUrl(path: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  }
  return `${BASE}${path}${query.size > 0 ? `?${query}` : ''}`
}

async function call<T>(
  url: string,
  init: RequestInit,
  known: (response: Response, value: unknown) => unknown = (_, value) => value,
): Promise<Result<T>> {
  try {
    const response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', ...init })
    const text = await response.text()
    const value = text === '' ? undefined : parse(text)
    if (response.ok || response.status === 304) return { ok: true, value: known(response, value) as T }
    const error = errorOf(response, value)
    if (error.code === 'not_signed_in') notSignedIn()
    return { ok: false, error }
  } catch {
    return { ok: false, error: { ...UNREACHED, ...(init.signal?.aborted ? { code: 'aborted' } : {}) } }
  }
}

const UNREACHED: ApiError = {
  status: 0,
  code: 'unreachable',
  message: 'The gateway cannot be reached.',
  param: null,
  requestId: null,
  retryAfter: null,
}

function errorOf({ status, headers }: Response, body: unknown): ApiError {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as Partial<ErrorBody>
  return {
    status,
    code: error?.code ?? 'unknown',
    message: error?.message ?? `The gateway responded with status ${status}.`,
    param: error?.param ?? null,
    requestId: headers.get('x-request-id'),
    retryAfter: Number(headers.get('retry-after')) || null,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
