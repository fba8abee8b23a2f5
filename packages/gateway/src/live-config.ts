// The configuration in force, compiled, and how another one takes its place.
import { type Catalogue, compileCatalogue } from './catalogue/catalogue.ts'
import { hasRealUpstream } from './config/sandbox.ts'
import type { FileConfig } from './config/types.ts'
import type { Log } from './observe/log.ts'
import { takeBackSandboxCredit } from './startup/take-back-sandbox-credit.ts'
import type { Storage } from './storage/storage.ts'
import { createHealth, type Health } from './upstreams/health/health.ts'

export type LiveConfig = {
  catalogue(): Catalogue
  config(): FileConfig
  /** The health of upstreams, which outlives a configuration. */
  upstreamHealth: Health
  /** Called with each configuration that comes into force after the first. */
  onChange(run: (config: FileConfig) => void): void
  use(next: FileConfig): void
}

export function createLiveConfig(first: FileConfig, storage: Storage, log: Log): LiveConfig {
  const upstreamHealth = createHealth()
  const followers: ((config: FileConfig) => void)[] = []
  let catalogue = compileCatalogue(first, Date.now(), upstreamHealth)
  let latest = first
  storage.shares.setLimits(shareLimits(first))

  function apply(config: FileConfig): void {
    catalogue = compileCatalogue(config, Date.now(), upstreamHealth)
    storage.shares.setLimits(shareLimits(config))
    for (const follow of followers) follow(config)
  }

  return {
    catalogue: () => catalogue,
    config: () => catalogue.config,
    upstreamHealth,
    onChange: (run) => void followers.push(run),
    use(next) {
      latest = next
      if (!hasRealUpstream(next) || hasRealUpstream(catalogue.config)) return apply(next)
      // The first real upstream serves once no play money can buy from it.
      void takeBackSandboxCredit(storage, next, log)
        .catch((error) => log.error('the trial credit of the sandbox was not taken back', { error: String(error) }))
        .then(() => {
          if (latest === next) apply(next)
        })
    },
  }
}

function shareLimits({ server: { limits } }: FileConfig): Parameters<Storage['shares']['setLimits']>[0] {
  return {
    stored: { accountBytes: limits.storedPerAccountBytes, allBytes: limits.storedBytes },
    media: { accountBytes: limits.mediaPerAccountBytes, allBytes: limits.mediaBytes },
  }
}
