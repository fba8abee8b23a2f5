// The settings of an upstream that neither the file nor its kind specifies.
import type { Timeouts, Upstream } from './types.ts'

export const TIMEOUT_DEFAULTS: Timeouts = { firstByteMs: 120_000, idleMs: 120_000, totalMs: 3_600_000 }

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
