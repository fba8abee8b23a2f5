// Browsers send the origin of the page that makes a request. Only pages of this origin may call the console API: another
// site must not act on behalf, or from the network, of its visitors.
import type { RequestHeaders } from '@trivium/http/request.ts'
import type { ConsoleError } from './responses.ts'

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

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

export const FOREIGN_PAGE: ConsoleError = {
  code: 'foreign_page',
  message:
    'Requests from pages of other sites are not allowed. (Operators: set server.public_url to the URL of the console.)',
}
