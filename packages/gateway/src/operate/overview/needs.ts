// What needs an operator now, each with the page on which to act. What keeps the gateway from serving comes first.
import { muted } from '../../alerts/evaluate.ts'
import { entryKey } from '../../config/stored.ts'
import type { FileConfig } from '../../config/types.ts'
import type { SharedResults } from '../../sharing/shared-results.ts'
import type { AlertFact, ListedNode } from '../../storage/storage.ts'
import { alertsFor } from '../alerts/rules.ts'
import type { OperationContext } from '../operation.ts'
import { type FailingUpstream, failingUpstreams } from './failing.ts'

const MOST = 50
const FAILING_LASTS_MS = 10_000

export const NEED_KINDS = [
  'audit_failed',
  'upstream_down',
  'upstream_key_rejected',
  'upstream_failing',
  'node_not_ready',
  'no_upstream',
  'model_without_price',
  'model_without_route',
  'alert',
  'entry_invalid',
  'node_drift',
  'job_failing',
  'entry_shadowed',
] as const
export type NeedKind = (typeof NEED_KINDS)[number]
export const NEED_PAGES = ['ledger', 'upstreams', 'models', 'alerts', 'configuration', 'system'] as const

/** `about`: the id of what it is about; of an alert its rule. `count`: of an upstream whose last calls failed, how many. */
export type Need = {
  kind: NeedKind
  about: string
  count?: number
  detail: string | null
  since: number | null
  page: (typeof NEED_PAGES)[number]
}

/** At most 50, and how many there are in all. */
export async function needsOf(
  context: OperationContext,
  shared: SharedResults,
): Promise<{ needs: Need[]; count: number }> {
  const { storage, config, configuration } = context
  const now = Date.now()
  const facts = await storage.alerts.facts(now)
  const needs = [
    ...auditNeeds(facts),
    ...upstreamNeeds(context, facts, await shared.get('failing', () => failingUpstreams(context), FAILING_LASTS_MS)),
    ...modelNeeds(config),
    ...nodeNeeds(await storage.nodes.list()),
    ...(await storage.jobRuns.list())
      .filter(({ isFailing }) => isFailing)
      .map((job) => need('job_failing', 'system', job.name, job.error, job.failedAt)),
  ]
  needs.push(...(await alertNeeds(context, now, needs)))
  const { invalid = [], shadowed = [] } = configuration?.assembled() ?? {}
  needs.push(
    ...invalid.map(({ entry, mistakes }) =>
      need('entry_invalid', 'configuration', entryKey(entry), mistakes[0]?.message),
    ),
    ...shadowed.map((entry) => need('entry_shadowed', 'configuration', entryKey(entry))),
  )
  const sorted = needs.toSorted((one, other) => NEED_KINDS.indexOf(one.kind) - NEED_KINDS.indexOf(other.kind))
  return { needs: sorted.slice(0, MOST), count: needs.length }
}

const need = (kind: NeedKind, page: Need['page'], about: string, detail?: string, since?: number): Need => ({
  kind,
  about,
  detail: detail || null,
  since: since ?? null,
  page,
})

/** The result of an audit stays until the next one. */
const auditNeeds = (facts: readonly AlertFact[]): Need[] =>
  facts.some(({ rule, amount }) => rule === 'audit_failed' && amount > 0) ? [need('audit_failed', 'ledger', '')] : []

/** Those that some node finds down, and keys that this one has seen rejected. */
function upstreamNeeds(
  { config, health }: OperationContext,
  facts: readonly AlertFact[],
  failing: readonly FailingUpstream[],
): Need[] {
  const upstreams = [...config.upstreams.values()]
  const down = new Set(facts.filter(({ rule }) => rule === 'upstream_down').map(({ object }) => object))
  const needs = upstreams.flatMap((upstream): Need[] => {
    const keys = health?.report(upstream, performance.now()) ?? []
    const isDown = keys.length > 0 && keys.every(({ state }) => isDownState(state))
    if (isDown || down.has(`upstream ${upstream.id}`))
      return [need('upstream_down', 'upstreams', upstream.id, keys.find(({ reason }) => reason)?.reason)]
    const rejected = keys.filter(({ state }) => state === 'rejected')
    const known = failing.find((each) => each.upstream === upstream.id)
    if (known && rejected.length === 0)
      return [{ ...need('upstream_failing', 'upstreams', upstream.id, known.reason), count: known.calls }]
    return rejected.map(({ key, reason }) =>
      need('upstream_key_rejected', 'upstreams', upstream.id, reason ? `${key}: ${reason}` : key),
    )
  })
  const isReal = upstreams.some(({ embedded }) => !embedded)
  return isReal ? needs : [...needs, need('no_upstream', 'upstreams', '')]
}

const isDownState = (state: string): boolean => state === 'open' || state === 'probing' || state === 'rejected'

function modelNeeds({ models, groups, upstreams }: FileConfig): Need[] {
  const isPriced = (id: string) => [...groups.values()].some(({ prices }) => prices?.has(id))
  return [...models.values()].flatMap(({ id, price, routes }): Need[] => {
    if (!routes.some(({ upstream }) => upstreams.has(upstream))) return [need('model_without_route', 'models', id)]
    return price === undefined && !isPriced(id) ? [need('model_without_price', 'models', id)] : []
  })
}

/** Those that are shown already are left out, and so are muted ones. After a restart, only its alert says that an upstream is down. */
async function alertNeeds(
  { storage: { alerts }, actor }: OperationContext,
  now: number,
  shown: readonly Need[],
): Promise<Need[]> {
  const isMuted = muted(await alerts.mutes(now))
  const isShown = ({ rule, object }: { rule: string; object: string }) =>
    shown.some(({ kind, about }) => kind === rule && (about === '' || object === `upstream ${about}`))
  return (await alerts.unresolved())
    .filter(alertsFor(actor))
    .filter((alert) => alert.firedAt !== undefined && !isShown(alert) && !isMuted(alert))
    .map(({ rule, object, value, since }) =>
      need('alert', 'alerts', rule, object ? `${object}: ${value}` : value, since),
    )
}

function nodeNeeds(nodes: readonly ListedNode[]): Need[] {
  const newest = Math.max(0, ...nodes.map(({ state }) => state?.revision ?? 0))
  const hasDrift = new Set(nodes.map(({ config }) => config)).size > 1
  const behind = nodes.filter(({ state }) => state !== undefined && state.revision < newest)
  // One that has just started is not ready for a moment, without a fault.
  const notReady = nodes.filter(({ state }) => state?.ready === false && state.faults.length > 0)
  const drift = hasDrift || behind.length > 0 ? (behind.length > 0 ? behind : nodes) : []
  return [
    ...notReady.map(({ nodeId, state }) => need('node_not_ready', 'system', String(nodeId), state?.faults.join(', '))),
    ...drift.map(({ nodeId, state }) =>
      need('node_drift', 'system', String(nodeId), state && `revision ${state.revision}`),
    ),
  ]
}
