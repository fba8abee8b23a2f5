// What an upstream's health is called, on every surface: decided by what this process knows of its keys.
import type { KeyReport } from './health.ts'

/** `unknown`: no server was asked, or none of its calls has said anything since the start. */
export const UPSTREAM_HEALTH = ['ready', 'degraded', 'down', 'unknown'] as const
export type UpstreamHealth = (typeof UPSTREAM_HEALTH)[number]

/** One failed call can be chance. The circuit breaker opens later. */
const FAILING_AFTER = 3

export function healthOf(keys: readonly KeyReport[] | undefined): UpstreamHealth {
  const each = (keys ?? []).map(healthOfKey)
  if (each.every((health) => health === 'unknown')) return 'unknown'
  if (each.every((health) => health === 'down')) return 'down'
  return each.every((health) => health === 'ready' || health === 'unknown') ? 'ready' : 'degraded'
}

function healthOfKey({ state, cooling, failures, isKnown }: KeyReport): UpstreamHealth {
  if (state !== 'ready' || failures >= FAILING_AFTER) return 'down'
  if (cooling.length > 0 || failures > 0) return 'degraded'
  return isKnown ? 'ready' : 'unknown'
}
