// Browsers name the page that a call comes from. Only our own pages may call the console's paths: a stranger's page must
// not act in the name, or from the network, of whoever looks at it.
import type { RequestHeaders } from '@trivium/http/request.ts'

/** True also for callers without a page: they are no browser, or one that shows our own. */
export function isSameOrigin(headers: RequestHeaders, publicUrl: string | undefined): boolean {
  const origin = headers.get('origin')
  if (origin === null) return headers.get('sec-fetch-site') !== 'cross-site'
  if (publicUrl !== undefined && origin === originOf(publicUrl)) return true
  // A page cannot choose the Host of its calls. Whether it came by TLS is for the proxy in front to know.
  const host = headers.get('host')?.toLowerCase()
  return host !== undefined && (origin === originOf(`http://${host}`) || origin === originOf(`https://${host}`))
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}
