// The settings of an upstream that neither the file nor its kind specifies.
import type { ImageTimeouts, Timeouts, Upstream } from './types.ts'

export const TIMEOUT_DEFAULTS: Timeouts = { firstByteMs: 120_000, idleMs: 120_000, totalMs: 3_600_000 }

/** An image takes one to two minutes, and most upstreams are silent until it is complete. */
export const IMAGE_TIMEOUT_DEFAULTS: ImageTimeouts = {
  firstByteMs: 300_000,
  idleMs: 300_000,
  totalMs: 600_000,
  drainMs: 300_000,
}

export const imageTimeoutsOf = ({ imageTimeouts }: Pick<Upstream, 'imageTimeouts'>): ImageTimeouts =>
  imageTimeouts ?? IMAGE_TIMEOUT_DEFAULTS

export function upstreamDefaults(id: string): Upstream {
  return {
    id,
    kind: 'custom',
    dialect: undefined,
    baseUrl: '',
    endpoints: [],
    keys: [],
    maxConcurrency: undefined,
    breaker: true,
    timeouts: TIMEOUT_DEFAULTS,
    proxy: undefined,
    allowPrivate: false,
    sharedObjects: false,
    billsOnAbort: 'nothing',
  }
}
