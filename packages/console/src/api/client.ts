// Calls of the console API and of the admin API, by the session of the person. An error is a value: nothing here throws.

import { CONSOLE_PATH, GATEWAY_PATH } from '../app/base-path.ts'
import { type ApiError, errorOf, parsed } from './body.ts'
import type { Api, BodyOf, Method, Nothing, OutputOf, ParamsOf, PathOf, PathParams } from './routes.ts'

export type { ApiError } from './body.ts'
export type Result<T> = { ok: true; value: T } | { ok: false; error: ApiError }

let notSignedIn = () => {}

/** Called when an answer says that the session has ended. */
export const onNotSignedIn = (listener: () => void): void => {
  notSignedIn = listener
}
export const sayNotSignedIn = (): void => notSignedIn()

let shownAccount: string | undefined

/** A change is rejected if another tab of the browser has chosen another account meanwhile. Returns the account before. */
export function showAccount(id: string | undefined): string | undefined {
  const former = shownAccount
  shownAccount = id
  return former
}

const BASES: Readonly<Record<Api, string>> = { console: `${CONSOLE_PATH}/api/`, admin: `${GATEWAY_PATH}/admin/v1/` }
const SESSION_URL = `${BASES.console}session`

/** The last answers by URL, the newest last: what has not changed is not sent again. Not in the browser's cache, which is on disk. */
const answers = new Map<string, { etag: string; value: unknown }>()
const MOST_ANSWERS = 40

/** What was read for one account must not be compared with what another one reads. */
export const forgetAnswers = (): void => answers.clear()

/** `readOf('console', 'keys/{id}', { id })`: the parameters of the path and of the query. */
export const readOf = <A extends Api, P extends PathOf<A, 'GET'>>(
  api: A,
  path: P,
  params: ParamsOf<A, 'GET', P>,
  signal?: AbortSignal,
): Promise<Result<OutputOf<A, 'GET', P>>> => readUrl(urlOf(api, path, params as UrlParams), signal)

type ConsolePath<M extends Method> = PathOf<'console', M>
type Returned<M extends Method, P extends string> = Promise<Result<OutputOf<'console', M, P>>>

export const read = <P extends ConsolePath<'GET'>>(
  path: P,
  params: ParamsOf<'console', 'GET', P>,
): Returned<'GET', P> => readOf('console', path, params)

/** What was read last is not sent again if it is still the same. */
export async function readUrl<T>(url: string, signal?: AbortSignal): Promise<Result<T>> {
  const known = answers.get(url)
  const headers = known ? { 'if-none-match': known.etag } : {}
  return call<T>(url, { method: 'GET', headers, ...(signal ? { signal } : {}) }, (response, value) => {
    if (response.status === 304) return known?.value
    const etag = response.headers.get('etag')
    answers.delete(url)
    if (etag !== null) answers.set(url, { etag, value })
    const [oldest] = answers.keys()
    if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest)
    return value
  })
}

export type PostArguments<P extends ConsolePath<'POST'>> =
  Nothing extends PathParams<'console', 'POST', P>
    ? Nothing extends BodyOf<'console', 'POST', P>
      ? [body?: BodyOf<'console', 'POST', P>, params?: Nothing]
      : [body: BodyOf<'console', 'POST', P>, params?: Nothing]
    : [body: BodyOf<'console', 'POST', P>, params: PathParams<'console', 'POST', P>]

export const post = <P extends ConsolePath<'POST'>>(
  path: P,
  ...[body, params]: PostArguments<P>
): Returned<'POST', P> => send('POST', urlOf('console', path, params), ofAccount(), body ?? {})

export const remove = <P extends ConsolePath<'DELETE'>>(
  path: P,
  params: ParamsOf<'console', 'DELETE', P>,
): Returned<'DELETE', P> => send('DELETE', urlOf('console', path, params as UrlParams), ofAccount())

const ofAccount = () => (shownAccount === undefined ? {} : { 'x-trivium-account': shownAccount })

/** A request that changes something. `body`: absent of a DELETE. */
export function send<T>(
  method: Method,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Result<T>> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return call(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...sent })
}

/** The version of a resource as it was read last, for a change that must not undo what another person did meanwhile. */
export const etagOf = (url: string): string | undefined => answers.get(url)?.etag

/** The URL of a route, for links to downloads too. */
export const urlOf = (api: Api, path: string, params: UrlParams = {}): string => BASES[api] + filledPath(path, params)

export type UrlParams = Readonly<Record<string, string | null | undefined>>

/** Parameters of the path in their places, the others as a query. Those of the query without a value are left out. */
export function filledPath(path: string, params: UrlParams): string {
  const rest = new Map(Object.entries(params))
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? ''
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value) query.set(name, value)
  return `${place}${query.size > 0 ? `?${query}` : ''}`
}

async function call<T>(
  url: string,
  init: RequestInit,
  known: (response: Response, value: unknown) => unknown = (_, value) => value,
): Promise<Result<T>> {
  try {
    const response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', ...init })
    const text = await response.text()
    const value = parsed(text)
    if (response.ok || response.status === 304) return { ok: true, value: known(response, value) as T }
    const error = errorOf(response, value)
    if (error.status !== 401 || WRONG_PROOFS.has(error.code)) return { ok: false, error }
    // That of the session itself is the answer to the question.
    if (url !== SESSION_URL) notSignedIn()
    return { ok: false, error: { ...error, code: 'not_signed_in' } }
  } catch {
    return { ok: false, error: { ...UNREACHED, ...(init.signal?.aborted ? { code: 'aborted' } : {}) } }
  }
}

/** What a person gave was wrong: with all others the session has ended, whatever the API that was called says to programs. */
const WRONG_PROOFS: ReadonlySet<string> = new Set(['wrong_credentials', 'wrong_code'])

const UNREACHED: ApiError = {
  status: 0,
  code: 'unreachable',
  message: 'The gateway cannot be reached.',
  param: null,
  requestId: null,
  retryAfter: null,
}
