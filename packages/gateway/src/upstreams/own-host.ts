// Whether a host is an upstream's own: in a private network, an upstream has its images and videos there, too.

import type { Upstream } from '../config/types.ts'
import { parseTarget } from './public/guard-public.ts'

/** For `allowHost` of the guard, which compares hosts as the guard writes them: an IPv6 address has no brackets. */
export function ownHostOf({ baseUrl }: Pick<Upstream, 'baseUrl'>): (host: string, port: number) => boolean {
  const own = targetOf(baseUrl)
  return (host, port) => own !== undefined && host === own.host && port === own.port
}

/** undefined: no URL that the guard could lead to. */
function targetOf(baseUrl: string): { host: string; port: number } | undefined {
  try {
    return parseTarget(baseUrl)
  } catch {
    return undefined
  }
}
