// Keeps credentials of clouds fresh, so that a source that fails is known before a request needs it.
import type { FileConfig } from '../config/types.ts'
import type { Credentials } from '../upstreams/credentials/index.ts'
import { followCredentials } from '../upstreams/health/follow-credentials.ts'
import type { Health } from '../upstreams/health/health.ts'
import type { Every } from './every.ts'

const EVERY_MS = 15_000

export function renewCredentials(
  every: Every,
  credentials: Credentials,
  health: Health,
  config: () => FileConfig,
  now: () => number,
): void {
  every(EVERY_MS, {
    name: 'renew upstream credentials',
    scope: 'node',
    firstMs: 0,
    async run() {
      await followCredentials(credentials, health, config().upstreams.values(), now)
      return undefined
    },
  })
}
