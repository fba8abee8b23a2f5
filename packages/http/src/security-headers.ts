// The headers that every answer carries, written down once, never for a request.
import { type FixedHeaders, fixedHeaders, type HeaderSet } from './response.ts'

export type SecurityHeaders = {
  /** For answers that anybody may see: health, the front page, errors before a caller is known. */
  open: FixedHeaders
  /** For everything that a key or a session unlocked: no cache may keep it. */
  authenticated: FixedHeaders
}

// An API answer is data. If a browser is made to show one as a page, it must load nothing, run nothing, sit in no frame
// and not be guessed to be another type.
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

// Without includeSubDomains: the operator's other hosts are not ours to decide about.
const ONLY_HTTPS = { 'strict-transport-security': 'max-age=31536000' } as const

const UNCACHED = { 'cache-control': 'private, no-store' } as const

const PLAIN = sets(ALWAYS)
const HTTPS = sets({ ...ALWAYS, ...ONLY_HTTPS })

function sets(base: HeaderSet): SecurityHeaders {
  return { open: fixedHeaders(base), authenticated: fixedHeaders({ ...base, ...UNCACHED }) }
}

/** HTTPS is what the caller sees: our own listener, or a proxy in front of it that `public_url` tells of. */
export function securityHeaders(server: { tls: object | undefined; publicUrl: string | undefined }): SecurityHeaders {
  return server.tls !== undefined || /^https:/i.test(server.publicUrl ?? '') ? HTTPS : PLAIN
}
