// Browsers send the origin of the page that makes a request. Only pages of this origin may call the console API: another
// site must not act on behalf, or from the network, of its visitors.
import { isIP } from 'node:net'
import type { HttpRequest, RequestHeaders } from '@trivium/http/request.ts'
import type { ServerConfig } from '../config/sections/server.ts'
import type { ApiError } from './errors.ts'
import { ApiRejection } from './rejection.ts'

/** Pages of other sites must not change anything. Throws 403. */
export function checkPage(
  { headers }: Pick<HttpRequest, 'headers'>,
  { publicUrl }: ServerConfig,
  listenUrl: string,
): void {
  if (!isSameOrigin(headers, publicUrl)) throw new ApiRejection(FOREIGN_PAGE)
  if (publicUrl === undefined && !isOwnHost(headers, listenUrl)) throw new ApiRejection(UNKNOWN_HOST)
}

/** Without a user name or a path, which would make another host of it. */
const HOST = /^[^@/\\?#]+$/

/** Also true without an origin: the client is no browser, or shows a page of ours. */
export function isSameOrigin(headers: RequestHeaders, publicUrl: string | undefined): boolean {
  const origin = headers.get('origin')
  // Set by the browser, which knows the URL that it calls, whatever proxies are in between. `none`: the user typed the URL.
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return false
  if (origin === null) return true
  if (publicUrl !== undefined && origin === originOf(publicUrl)) return true
  // A page cannot choose the Host header of its requests. Only a proxy knows whether the request came over TLS.
  const host = headers.get('host')?.toLowerCase()
  return (
    host !== undefined &&
    HOST.test(host) &&
    (origin === originOf(`http://${host}`) || origin === originOf(`https://${host}`))
  )
}

/**
 * Without `public_url`, the names by which browsers reach the gateway are unknown. A page can give its own name the address of a gateway
 * in its visitor's network, and would then be of the same origin: only names that no page can redirect are accepted. These are the host
 * that the server listens on, names of this machine, and IP addresses. Also true without a host: the client is no browser.
 */
export function isOwnHost(headers: RequestHeaders, listenUrl: string): boolean {
  const host = headers.get('host')
  if (host === null) return true
  const name = HOST.test(host) ? hostnameOf(`http://${host}`) : undefined
  if (name === undefined) return false
  const isLocal = /^(?:.+\.)?localhost$/.test(name.replace(/\.$/, ''))
  return isLocal || isIP(name.replace(/^\[|\]$/g, '')) !== 0 || name === hostnameOf(listenUrl)
}

const hostnameOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined)

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

const FOREIGN_PAGE: ApiError = {
  code: 'foreign_page',
  message:
    'Requests from pages of other sites are not allowed. (Operators: set server.public_url to the URL of the console.)',
}

const UNKNOWN_HOST: ApiError = {
  code: 'foreign_page',
  message:
    'The console does not accept changes under this host name. Use an IP address or localhost. (Operators: set server.public_url to the URL of the console.)',
}
