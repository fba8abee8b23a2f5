// The health of all upstream keys, found by host and key, not by upstream id: it survives a reload of the configuration, and
// upstreams with the same key share its quota. Other keys that share a quota are named by the operator: `quota`.
import type { Upstream } from '../../config/types.ts'
import type { SwitchState, UpstreamSwitch } from '../../storage/storage.ts'
import { createLimits, type Limits } from '../limits/limits.ts'
import { CoolDown } from './cool-down.ts'
import { KeyHealth, type KeyHealthReport } from './key-health.ts'

export type UpstreamKey = { upstream: Upstream; key: string; health: KeyHealth }

/** Keys are shown by their last characters. Times are durations, because other processes have other clocks. */
export type KeyReport = Omit<KeyHealthReport, 'until' | 'cooling'> & {
  key: string
  waitMs: number | undefined
  cooling: readonly { model: string; waitMs: number }[]
}

/** Shared by all candidates of an upstream, of every configuration: a change takes effect for running requests, too. */
export type Switch = { state: SwitchState }

export type Health = {
  /** Limits of upstreams and routes, and what is used of them. */
  readonly limits: Limits
  /** In the order of the upstream's keys; the same objects for the same configuration object. */
  keysOf(upstream: Upstream): readonly UpstreamKey[]
  report(upstream: Upstream, now: number): KeyReport[]
  /** Found by the upstream's id. */
  switchOf(upstream: Upstream): Switch
  /** Takes over the switches of the store. An upstream that was reset since the last time loses what is known of its keys. */
  setSwitches(switches: readonly UpstreamSwitch[], upstreams: ReadonlyMap<string, Upstream>): void
}

export function createHealth(): Health {
  const byName = new Map<string, KeyHealth>()
  const quotas = new Map<string, CoolDown>()
  const keysByUpstream = new WeakMap<Upstream, readonly UpstreamKey[]>()
  const switches = new Map<string, Switch>()
  const resets = new Map<string, number>()

  function healthOf(upstream: Upstream, key: string): KeyHealth {
    const { quota } = upstream
    const name = `${hostOf(upstream)} ${fingerprint(key)} ${quota ?? ''}`
    const shared = quota === undefined ? undefined : getOrAdd(quotas, quota, () => new CoolDown())
    return getOrAdd(byName, name, () => new KeyHealth(shared))
  }

  function keysOf(upstream: Upstream): readonly UpstreamKey[] {
    let known = keysByUpstream.get(upstream)
    if (!known) {
      const keys = upstream.keys.length > 0 ? upstream.keys : [NO_KEY]
      known = keys.map((key) => ({ upstream, key, health: healthOf(upstream, key) }))
      keysByUpstream.set(upstream, known)
    }
    return known
  }

  const switchNamed = (id: string): Switch => getOrAdd(switches, id, (): Switch => ({ state: 'enabled' }))

  return {
    limits: createLimits(),
    keysOf: keysOf,
    report: (upstream, now) =>
      keysOf(upstream).map(({ key, health }) => keyReport(upstream.auth ? key : shown(key), health.report(now), now)),
    switchOf: ({ id }) => switchNamed(id),
    setSwitches(stored, upstreams) {
      const known = new Map(stored.map((each) => [each.upstream, each.state]))
      for (const [id, each] of switches) if (!known.has(id)) each.state = 'enabled'
      for (const [id, state] of known) switchNamed(id).state = state
      for (const each of stored) {
        const upstream = upstreams.get(each.upstream)
        if (upstream && each.resets !== (resets.get(each.upstream) ?? 0))
          for (const { health } of keysOf(upstream)) health.reset()
        resets.set(each.upstream, each.resets)
      }
    },
  }
}

function getOrAdd<T>(all: Map<string, T>, name: string, make: () => T): T {
  const known = all.get(name) ?? make()
  all.set(name, known)
  return known
}

function keyReport(key: string, { until, cooling, ...rest }: KeyHealthReport, now: number): KeyReport {
  return {
    key,
    ...rest,
    waitMs: until === undefined ? undefined : Math.max(0, until - now),
    cooling: cooling.map(({ model, until }) => ({ model, waitMs: until - now })),
  }
}

export const NO_KEY = 'none'

/** Services without keys of their own are told apart by their whole URL; a key has one quota at all URLs of a host. */
function hostOf({ id, baseUrl, keys, auth }: Upstream): string {
  return auth || keys.every((key) => key === NO_KEY) ? `${id} ${baseUrl}` : new URL(baseUrl).host
}

/** The map outlives a configuration and must not keep keys that were removed from it. */
const fingerprint = (key: string): string => new Bun.CryptoHasher('sha256').update(key).digest('base64url').slice(0, 22)

/** Enough to tell keys apart, too little to use them. */
export const shown = (key: string): string =>
  key.length >= 12 ? `...${key.slice(-4)}` : key === NO_KEY ? NO_KEY : '...'
