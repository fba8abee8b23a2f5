// Where and how an upstream is called in a dialect: path and credential header.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Credential, Upstream, UpstreamEndpoint } from '../config/types.ts'
import { standardEndpoint } from '../config/upstream-kinds.ts'

/** The standard endpoint of the dialect if the upstream describes none, as the embedded models. */
export function endpointOf({ endpoints }: Upstream, dialect: TextDialectId): UpstreamEndpoint {
  for (const each of endpoints) if (each.dialect === dialect) return each
  return standardEndpoint(dialect)
}

/** Below the upstream's base URL. */
export function upstreamPath(upstream: Upstream, dialect: TextDialectId, model: string, stream: boolean): string {
  const { path } = endpointOf(upstream, dialect)
  return TEXT_DIALECTS[dialect].endpoint.fillPath?.(path, model, stream) ?? path
}

export function credentialHeader(credential: Credential, key: string): Record<string, string> {
  return credential === 'bearer' ? { authorization: `Bearer ${key}` } : { [credential]: key }
}
