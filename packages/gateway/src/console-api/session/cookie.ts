// The cookie that holds the token of a session. It is the only place where the token exists outside of the browser's request: the
// store keeps its hash.
import type { RequestHeaders } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { ServerConfig } from '../../config/types.ts'

const NAME = 'trivium_session'
/** With this prefix, browsers accept the cookie only over TLS, for this host alone: no sibling domain can set one. */
const SECURE_PREFIX = '__Host-'

/** 32 random bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

type Server = Pick<ServerConfig, 'tls' | 'publicUrl'>

/** TLS as browsers see it: of our own listener, or of a proxy in front of it according to `public_url`. */
const isSecure = ({ tls, publicUrl }: Server): boolean => tls !== undefined || /^https:/i.test(publicUrl ?? '')

export const sessionCookieName = (server: Server): string => (isSecure(server) ? SECURE_PREFIX + NAME : NAME)

/** undefined: there is no such cookie, or its value cannot be a token. Of several, the first counts. */
export function readSessionCookie(headers: RequestHeaders, server: Server): string | undefined {
  const beginning = `${sessionCookieName(server)}=`
  // Cookies in several header lines arrive joined by commas.
  for (const pair of (headers.get('cookie') ?? '').split(/[;,]/)) {
    const text = pair.trim()
    if (!text.startsWith(beginning)) continue
    const value = text.slice(beginning.length)
    return TOKEN.test(value) ? value : undefined
  }
  return undefined
}

export function setSessionCookie(headers: ResponseHeaders, server: Server, token: string, maxAgeMs: number): void {
  headers.append('set-cookie', cookie(server, token, Math.floor(maxAgeMs / 1000)))
}

export function clearSessionCookie(headers: ResponseHeaders, server: Server): void {
  headers.append('set-cookie', cookie(server, '', 0))
}

function cookie(server: Server, value: string, maxAge: number): string {
  const secure = isSecure(server) ? '; Secure' : ''
  return `${sessionCookieName(server)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
