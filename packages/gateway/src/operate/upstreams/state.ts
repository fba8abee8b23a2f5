// What one server process knows of its upstreams. Processes track health separately, so the state is that of one node, which it names.
import type { Origin } from '../../config/stored.ts'
import type { FileConfig, Upstream } from '../../config/types.ts'
import { formatUsd } from '../../money/amount.ts'
import { fields, NOTHING } from '../../request/schema/schema.ts'
import type { LimitKind, SwitchState, UpstreamSwitch } from '../../storage/storage.ts'
import { testedWith } from '../../upstreams/certified/index.ts'
import type { Health, KeyReport } from '../../upstreams/health/health.ts'
import type { KeyState } from '../../upstreams/health/key-health.ts'
import { KINDS } from '../../upstreams/kinds/index.ts'
import { reportLimits } from '../../upstreams/limits/report.ts'
import { fixedHttpVersion, type HttpVersion } from '../../upstreams/transport.ts'
import { isoTime } from '../inputs/fields.ts'
import { type OperationContext, operation, seesCosts } from '../operation.ts'
import { UPSTREAM_STATE } from '../resources/upstreams.ts'
import { configuredUpstream, UPSTREAM_ID } from './configured.ts'

/** The state of all upstreams, with durations, so that the reports of several processes can be merged. Only a running server knows anything. */
export const listUpstreamStates = operation({
  name: 'upstream states',
  permission: 'see',
  input: NOTHING,
  async run({ config, configuration, health, routing, storage }): Promise<Record<string, UpstreamState>> {
    const now = performance.now()
    const switches = new Map((await storage.upstreams.switches()).map((each) => [each.upstream, each.state]))
    const states = [...config.upstreams.values()].map((upstream) => {
      const keys = health?.report(upstream, now) ?? []
      const http = routing?.send.httpVersionOf?.(upstream) ?? null
      const switched = switches.get(upstream.id) ?? 'enabled'
      const source = configuration?.assembled().origins.get(`upstreams/${upstream.id}`)?.from
      return [upstream.id, { keys, http, switched, about: aboutOf(upstream), ...(source && { source }) }] as const
    })
    return Object.fromEntries(states)
  },
})

/** `about`: for those who do not have the configuration of the server. */
export type UpstreamState = {
  keys: readonly KeyReport[]
  http: HttpVersion | null
  switched?: SwitchState
  about?: AboutUpstream
  source?: Origin['from']
}

export type AboutUpstream = ReturnType<typeof aboutOf>
export function aboutOf(upstream: Upstream) {
  const { id, kind, dialect, endpoints, images, baseUrl, keys, maxConcurrency, embedded } = upstream
  const described = KINDS.get(kind)
  return {
    id,
    kind,
    dialect: dialect ?? null,
    protocols: [...endpoints.map((each) => each.dialect), ...(images ? ['images'] : [])],
    base_url: baseUrl,
    keys: keys.length,
    max_concurrency: maxConcurrency ?? null,
    // Only built-in kinds have it.
    tested_with: described ? testedWith(described) : null,
    http: embedded ? null : (fixedHttpVersion(upstream) ?? null),
  }
}

export const showUpstreamState = operation({
  name: 'upstream state',
  permission: 'see',
  route: {
    at: 'GET upstreams/{upstream}/state',
    summary: 'Shows the switch, the circuit breaker, cool-downs and running requests of an upstream',
    output: UPSTREAM_STATE,
  },
  input: fields({ upstream: UPSTREAM_ID }),
  run: async (context, { upstream }) => await stateOf(context, configuredUpstream(context.config, upstream)),
})

export type ShownState = Awaited<ReturnType<typeof stateOf>>

/** null: only a running server knows it. */
export async function stateOf({ actor, config, storage, health, routing }: OperationContext, upstream: Upstream) {
  const stored = (await storage.upstreams.switches()).find((each) => each.upstream === upstream.id)
  const now = performance.now()
  return {
    id: upstream.id,
    node: routing ? String(routing.nodeId) : null,
    switch: switchJson(stored),
    running_requests: routing?.candidates.upstreamCalls.runningAt(upstream) ?? null,
    http: routing?.send.httpVersionOf?.(upstream) ?? null,
    limits: (health ? limitsOf(config, upstream.id, health, now) : []).filter(
      ({ limit }) => limit !== 'usd_per_day' || seesCosts(actor),
    ),
    keys: health?.report(upstream, now).map((report) => keyJson(report, Date.now())) ?? null,
  }
}

/** Limits of the upstream itself, and of routes to it. */
const limitsOf = (config: FileConfig, id: string, health: Health, now: number) =>
  reportLimits(config, health.limits, now)
    .filter(({ upstream }) => upstream === id)
    .map(({ model, kind, limit, used, until }) => ({
      model: model === '' ? null : model,
      limit: kind,
      most: shownAmount(kind, limit),
      used: shownAmount(kind, used),
      until: until === undefined ? null : isoTime(Date.now() + until - now),
    }))

const shownAmount = (kind: LimitKind, amount: number): string =>
  kind === 'usd_per_day' ? formatUsd(BigInt(Math.max(0, amount))) : String(Math.max(0, amount))

const switchJson = (stored: UpstreamSwitch | undefined) => ({
  state: stored?.state ?? 'enabled',
  since: stored && stored.actor !== '' ? isoTime(stored.at) : null,
  by: stored?.actor || null,
  reason: stored?.reason || null,
})

/** Why a key is not used, where its state has no reason of its own. */
const REASONS: Readonly<Record<KeyState, string | null>> = {
  ready: null,
  cooling: 'the upstream rate-limits this key',
  open: 'too many requests in a row failed',
  probing: 'one request tries whether the upstream works again',
  rejected: 'the upstream rejected this key',
}
const BREAKERS: Readonly<Record<KeyState, 'closed' | 'open' | 'half-open'>> = {
  ready: 'closed',
  cooling: 'closed',
  rejected: 'closed',
  open: 'open',
  probing: 'half-open',
}

const keyJson = ({ key, state, waitMs, cooling, reason, inFlight, latencyMs }: KeyReport, now: number) => ({
  key,
  state,
  breaker: BREAKERS[state],
  reason: reason ?? REASONS[state],
  until: waitMs === undefined ? null : isoTime(now + waitMs),
  cooling: cooling.map((each) => ({ model: each.model, until: isoTime(now + each.waitMs) })),
  running_requests: inFlight,
  latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
})
