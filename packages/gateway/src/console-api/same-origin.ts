// Browsers send the origin of the page that makes a request. Only pages of this origin may call the console API: another
// site must not act on behalf, or from the network, of its visitors.
import type { RequestHeaders } from '@trivium/http/request.ts'

/** Also true without an origin: the client is no browser, or shows a page of ours. */
export function isSameOrigin(headers: RequestHeaders, publicUrl: string | undefined): boolean {
  const origin = headers.get('origin')
  if (origin === null) return headers.get('sec-fetch-site') !== 'cross-site'
  if (publicUrl !== undefined && origin === originOf(publicUrl)) return true
  // A page cannot choose the Host header of its requests. Only a proxy knows whether the request came over TLS.
  const host = headers.get('host')?.toLowerCase()
  return host !== undefined && (origin === originOf(`http://${host}`) || origin === originOf(`https://${host}`))
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}
