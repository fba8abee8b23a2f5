// The security headers of every response, serialized once.
import { type FixedHeaders, fixedHeaders, type HeaderSet } from './response.ts'

export type SecurityHeaders = {
  /** For responses without authentication: health, the front page, errors before a caller is known. */
  open: FixedHeaders
  /** For responses to an authenticated caller: caches must not store them. */
  authenticated: FixedHeaders
}

// API responses are data. If a browser displays one as a page, it must load nothing, run nothing, appear in no frame, and not
// be interpreted as another type.
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

// Without includeSubDomains: the operator's other hosts may not support HTTPS.
const ONLY_HTTPS = { 'strict-transport-security': 'max-age=31536000' } as const

const UNCACHED = { 'cache-control': 'private, no-store' } as const

const PLAIN = sets(ALWAYS)
const HTTPS = sets({ ...ALWAYS, ...ONLY_HTTPS })

function sets(base: HeaderSet): SecurityHeaders {
  return { open: fixedHeaders(base), authenticated: fixedHeaders({ ...base, ...UNCACHED }) }
}

/** HTTPS as the client sees it: of our own listener, or of a proxy in front of it according to `public_url`. */
export function securityHeaders(server: { tls: object | undefined; publicUrl: string | undefined }): SecurityHeaders {
  return server.tls !== undefined || /^https:/i.test(server.publicUrl ?? '') ? HTTPS : PLAIN
}
