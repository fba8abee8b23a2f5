// The cookie that holds the token of a session. It is the only place where the token exists outside of the browser's request: the
// store keeps its hash.

import type { HttpRequest } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { ServerConfig } from '../../config/sections/server.ts'

const NAME = 'trivium_session'
/** With this prefix, browsers accept the cookie only over TLS, for this host alone: no sibling domain can set one. */
const SECURE_PREFIX = '__Host-'

/** 32 random bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

type Server = Pick<ServerConfig, 'tls' | 'publicUrl'>
type Headers = Pick<HttpRequest['headers'], 'getAll'>

/** TLS as browsers see it: of our own listener, or of a proxy in front of it according to `public_url`. */
const isSecure = ({ tls, publicUrl }: Server): boolean => tls !== undefined || /^https:/i.test(publicUrl ?? '')

const nameFor = (server: Server, name: string): string => (isSecure(server) ? SECURE_PREFIX + name : name)

/**
 * undefined: there is no such cookie, or there are several: another host of the domain may have set one of them. Cookies are separated by
 * semicolons only: a comma may be part of the value of another cookie.
 */
export function readCookie(headers: Headers, server: Server, name: string): string | undefined {
  const beginning = `${nameFor(server, name)}=`
  const pairs = headers.getAll('cookie').flatMap((line) => line.split(';'))
  const values = pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(beginning))
  return values.length === 1 ? values[0]?.slice(beginning.length) : undefined
}

/** undefined: there is no such cookie, there are several, or its value cannot be a token. */
export function readSessionCookie(headers: Headers, server: Server): string | undefined {
  const value = readCookie(headers, server, NAME)
  return value !== undefined && TOKEN.test(value) ? value : undefined
}

export const setSessionCookie = (headers: ResponseHeaders, server: Server, token: string, maxAgeMs: number): void =>
  appendCookie(headers, server, { name: NAME, value: token, maxAgeMs, sameSite: 'Lax' })

export const clearSessionCookie = (headers: ResponseHeaders, server: Server): void =>
  setSessionCookie(headers, server, '', 0)

type Cookie = { name: string; value: string; maxAgeMs: number; sameSite: 'Lax' | 'Strict' }

export function appendCookie(headers: ResponseHeaders, server: Server, cookie: Cookie): void {
  const { name, value, maxAgeMs, sameSite } = cookie
  const age = `Max-Age=${Math.floor(maxAgeMs / 1000)}`
  const secure = isSecure(server) ? '; Secure' : ''
  headers.append(
    'set-cookie',
    `${nameFor(server, name)}=${value}; ${age}; Path=/; HttpOnly; SameSite=${sameSite}${secure}`,
  )
}
