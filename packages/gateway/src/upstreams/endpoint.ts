// How an upstream is spoken to: what its description says of a dialect, made into an address and headers.
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import type { Credential, Upstream, UpstreamEndpoint } from '../config/types.ts'
import { standardEndpoint } from '../config/upstream-kinds.ts'

const STANDARD: Readonly<Record<TextDialectId, UpstreamEndpoint>> = {
  chat: standardEndpoint('chat'),
  responses: standardEndpoint('responses'),
  messages: standardEndpoint('messages'),
  'generate-content': standardEndpoint('generate-content'),
}

/** As described, else (at the embedded model) as vendors' own SDKs speak it. */
export function endpointOf({ endpoints }: Upstream, dialect: TextDialectId): UpstreamEndpoint {
  for (const each of endpoints) if (each.dialect === dialect) return each
  return STANDARD[dialect]
}

/** Below the upstream's base address. */
export function upstreamPath(upstream: Upstream, dialect: TextDialectId, model: string, stream: boolean): string {
  const { path } = endpointOf(upstream, dialect)
  if (dialect !== 'generate-content') return path
  const name = /^(models|tunedModels)\//.test(model) ? model : `models/${model}`
  const plain = encodeURI(name).replaceAll('?', '%3F').replaceAll('#', '%23')
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return path.replace('{model}', () => plain).replace('{method}', method)
}

export function credentialHeader(credential: Credential, key: string): Record<string, string> {
  return credential === 'bearer' ? { authorization: `Bearer ${key}` } : { [credential]: key }
}
