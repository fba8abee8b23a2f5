// The embedded sandbox: its upstream, model and group, present without being configured.
import { NANOS_PER_USD } from '../money/amount.ts'
import { priceVersion } from './sections/token-prices.ts'
import type { FileConfig, Model, TokenPrice, Upstream } from './types.ts'
import { upstreamDefaults } from './upstream-defaults.ts'

export const SANDBOX_KIND = 'sandbox'
export const SANDBOX_UPSTREAM = 'sandbox'
export const SANDBOX_MODEL = 'sandbox-text'
export const SANDBOX_GROUP = 'sandbox'

/** RFC 6761 reserves `.invalid`: nothing leaves the machine even if this URL is ever dialled. */
const SANDBOX_URL = 'http://sandbox.invalid/v1'

/** Without a circuit breaker: callers request its faults, which say nothing about the next call. */
export function sandboxUpstream(id: string): Upstream {
  return { ...upstreamDefaults(id), kind: SANDBOX_KIND, embedded: true, baseUrl: SANDBOX_URL, breaker: false }
}

export function sandboxModel(): Model {
  const input = NANOS_PER_USD
  const price: TokenPrice = { input, output: 4n * NANOS_PER_USD, cachedInput: input, cacheWrite: input }
  return {
    id: SANDBOX_MODEL,
    routes: [{ upstream: SANDBOX_UPSTREAM, model: SANDBOX_MODEL, priority: 1, weight: 1, cost: undefined }],
    price,
    priceVersion: priceVersion(price),
    limits: { context: 128_000, maxOutput: 16_384 },
  }
}

/** Whether every route of a model ends in the sandbox, so that using the model costs the operator nothing. */
export const isEmbeddedOnly = ({ routes }: Model, upstreams: FileConfig['upstreams']): boolean =>
  routes.every(({ upstream }) => upstreams.get(upstream)?.embedded)
