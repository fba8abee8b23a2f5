// `upstream list`: the upstreams with their dialects and health.

import { SANDBOX_KIND } from '../../../config/sandbox.ts'
import type { FileConfig } from '../../../config/types.ts'
import { describeProbes } from '../../../operate/doctor/services.ts'
import { type AboutUpstream, aboutOf, type UpstreamState } from '../../../operate/upstreams/state.ts'
import type { Probe } from '../../../upstreams/diagnostics/probe-upstream.ts'
import { type KeyReport, NO_KEY } from '../../../upstreams/health/health.ts'
import { healthOf, type UpstreamHealth } from '../../../upstreams/health/upstream-health.ts'
import { Report } from '../../output.ts'
import { type Column, table } from '../../table.ts'

/** `states`: what each server process knows, by upstream id. */
type Known = { states: readonly Readonly<Record<string, UpstreamState>>[]; probes?: ProbesById }

/** The results of probing each upstream, by upstream id. */
export type ProbesById = Readonly<Record<string, readonly Probe[]>>

export function listUpstreams({ upstreams }: Pick<FileConfig, 'upstreams'>, known: Known): Report {
  const here = new Map([...upstreams.values()].map((upstream) => [upstream.id, aboutOf(upstream)]))
  // The server may have more than the file and the environment of this command: stored ones.
  const there = known.states.flatMap((each) => Object.values(each).flatMap(({ about }) => about ?? []))
  const all = new Map([...there.map((about) => [about.id, about] as const), ...here])
  const list = [...all.values()].map((about) => listed(about, known))
  return new Report(list, table(COLUMNS, list))
}

function listed(about: AboutUpstream, { states, probes }: Known) {
  const { id, kind, http } = about
  const known = states.flatMap((each) => each[id] ?? [])
  const keys = mergeReports(known.map((each) => each.keys))
  return {
    ...about,
    http: kind === SANDBOX_KIND ? null : (known.find((each) => each.http)?.http ?? http),
    switch: known[0]?.switched ?? null,
    checks: probes?.[id] ?? null,
    health: healthOf(keys),
    key_states: keys?.map(keyState) ?? null,
  }
}

const COLUMNS: readonly Column<ReturnType<typeof listed>>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'kind', cell: ({ kind }) => kind },
  { title: 'protocols', cell: ({ protocols }) => protocols.join(',') },
  { title: 'base url', cell: ({ kind, base_url }) => (kind === SANDBOX_KIND ? '(built-in)' : base_url) },
  { title: 'http', cell: ({ http }) => http },
  { title: 'switch', cell: (row) => (row.switch === 'enabled' ? null : row.switch) },
  {
    title: 'status',
    cell: ({ checks, key_states, health }) => (checks ? describeProbes(checks) : key_states && STATUS[health]),
  },
  { title: 'max concurrency', cell: ({ max_concurrency }) => max_concurrency, right: true },
  { title: 'keys', cell: ({ keys }) => keys, right: true },
  { title: 'health', cell: ({ key_states }) => key_states?.map(inWords).join('; ') },
]

/** As the server's own requests have found it; the column of the health says more. */
const STATUS: Readonly<Record<UpstreamHealth, string>> = {
  ready: 'healthy',
  degraded: 'degraded',
  down: 'failing',
  unknown: 'unknown',
}

/** By increasing severity. */
const STATES = ['ready', 'cooling', 'probing', 'open', 'rejected'] as const

/** Workers track health separately: shows the worst state of each key. */
function mergeReports(reports: readonly (readonly KeyReport[])[]): KeyReport[] | undefined {
  const severity = ({ state, waitMs = 0 }: KeyReport): number => STATES.indexOf(state) * 1e9 + waitMs
  return reports[0]?.map((key, index) => {
    const all = reports.flatMap((keys) => keys[index] ?? []).sort((one, other) => severity(other) - severity(one))
    const [worst = key] = all
    const waits = all.flatMap(({ cooling }) => cooling).sort((one, other) => one.waitMs - other.waitMs)
    const latencies = all.flatMap(({ latencyMs }) => latencyMs ?? [])
    return {
      ...worst,
      inFlight: all.reduce((sum, { inFlight }) => sum + inFlight, 0),
      failures: Math.max(...all.map(({ failures }) => failures)),
      isKnown: all.some(({ isKnown }) => isKnown),
      latencyMs: latencies.length === 0 ? undefined : Math.max(...latencies),
      cooling: [...new Map(waits.map((each) => [each.model, each])).values()],
    }
  })
}

const keyState = ({ key, state, waitMs, cooling, reason, inFlight, latencyMs }: KeyReport) => ({
  key,
  state,
  retry_in_ms: rounded(waitMs),
  cooling: cooling.map(({ model, waitMs }) => ({ model, retry_in_ms: Math.round(waitMs) })),
  reason: reason ?? null,
  in_flight: inFlight,
  latency_ms: rounded(latencyMs),
})

const rounded = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value))

function inWords({ key, state, retry_in_ms, cooling, reason }: ReturnType<typeof keyState>): string {
  const models = cooling.map((each) => `, ${each.model} cooling${forSeconds(each.retry_in_ms)}`).join('')
  const name = key === NO_KEY ? '' : `${key} `
  return `${name}${state}${forSeconds(retry_in_ms)}${reason === null ? '' : ` (${reason})`}${models}`
}

const forSeconds = (ms: number | null): string => (ms ? ` for ${Math.ceil(ms / 1_000)} s` : '')
