// The embedded sandbox: its upstream, model and group, present without being configured.
import type { ImageLimits } from '@trivium/protocol/canonical/image.ts'
import { NANOS_PER_USD } from '../money/amount.ts'
import { SANDBOX_TRIAL, TRIAL } from '../money/book.ts'
import { mediaPriceVersion } from './sections/models/media-prices.ts'
import { priceVersion } from './sections/models/token-prices.ts'
import type { FileConfig, ImageModel, Model, TokenPrice, Upstream, VideoModel, VideoModelLimits } from './types.ts'
import { upstreamDefaults } from './upstream-defaults.ts'

export const SANDBOX_KIND = 'sandbox'
export const SANDBOX_UPSTREAM = 'sandbox'
export const SANDBOX_MODEL = 'sandbox-text'
export const SANDBOX_IMAGE_MODEL = 'sandbox-image'
export const SANDBOX_VIDEO_MODEL = 'sandbox-video'
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

export const SANDBOX_IMAGE_LIMITS: ImageLimits = {
  sizeRange: { least: 64, most: 2048 },
  qualities: ['low', 'medium', 'high'],
  n: 10,
}

export function sandboxImageModel(): ImageModel {
  const price: ImageModel['price'] = { type: 'image', perImage: NANOS_PER_USD / 25n, variants: new Map() }
  return {
    id: SANDBOX_IMAGE_MODEL,
    type: 'image',
    routes: [{ upstream: SANDBOX_UPSTREAM, model: SANDBOX_IMAGE_MODEL, priority: 1, weight: 1, cost: undefined }],
    price,
    priceVersion: mediaPriceVersion(price),
    limits: SANDBOX_IMAGE_LIMITS,
  }
}

export const SANDBOX_VIDEO_LIMITS: VideoModelLimits = {
  seconds: [1, 12],
  defaultSeconds: 5,
  resolutions: ['480p', '720p', '1080p'],
  defaultResolution: '480p',
}

export function sandboxVideoModel(): VideoModel {
  const price: VideoModel['price'] = { type: 'video', per: 'second', price: NANOS_PER_USD / 20n, variants: new Map() }
  return {
    id: SANDBOX_VIDEO_MODEL,
    type: 'video',
    routes: [{ upstream: SANDBOX_UPSTREAM, model: SANDBOX_VIDEO_MODEL, priority: 1, weight: 1, cost: undefined }],
    price,
    priceVersion: mediaPriceVersion(price),
    limits: SANDBOX_VIDEO_LIMITS,
  }
}

type Routed = { routes: readonly { upstream: string }[] }

/** Whether every route of a model ends in the sandbox, so that using the model costs the operator nothing. */
export const isEmbeddedOnly = ({ routes }: Routed, upstreams: FileConfig['upstreams']): boolean =>
  routes.every(({ upstream }) => upstreams.get(upstream)?.embedded)

export const hasRealUpstream = ({ upstreams }: Pick<FileConfig, 'upstreams'>): boolean =>
  [...upstreams.values()].some(({ embedded }) => !embedded)

/** The ledger account that trial credit comes from: what is given while it buys nothing real is kept apart. */
export const trialSource = (config: Pick<FileConfig, 'upstreams'>): bigint =>
  hasRealUpstream(config) ? TRIAL : SANDBOX_TRIAL
