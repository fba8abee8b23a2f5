// The state of the gateway on one page: what needs an operator, figures against the same time last week, outcomes over time, upstreams, and
// the largest accounts, models and errors.
import { formatUsd } from '../../money/amount.ts'
import { percentile } from '../../observe/latency-buckets.ts'
import { fields, optional, word } from '../../request/schema/schema.ts'
import { createSharedResults, REST, type SharedResults } from '../../sharing/shared-results.ts'
import type { Storage, TrafficSums } from '../../storage/storage.ts'
import { healthOf } from '../../upstreams/health/upstream-health.ts'
import { alertsFor } from '../alerts/rules.ts'
import { isoTime } from '../inputs/fields.ts'
import { type OperationContext, operation, seesCosts } from '../operation.ts'
import { OVERVIEW } from '../resources/overview.ts'
import { needsOf } from './needs.ts'
import { lastWeek, type Plan, planOf, RANGES, sumsOf, type Totals, totalOf, weekBefore } from './ranges.ts'

const TOP = 5
const MOST_TICKS = 50
const MOST_FAILURES = 1_000
/** What changes slowly, is stored once a minute, or takes longer to read. */
const SLOW_LASTS_MS = 10_000
const DAY_MS = 86_400_000

/** Results by store, shared by all who ask this process. */
const results = new WeakMap<Storage, SharedResults>()

function sharedOf(storage: Storage): SharedResults {
  const shared = results.get(storage) ?? createSharedResults(() => performance.now(), REST)
  results.set(storage, shared)
  return shared
}

export const showOverview = operation({
  name: 'overview',
  permission: 'see',
  route: {
    at: 'GET overview',
    summary:
      'Shows the state of the gateway: what needs an operator, figures, outcomes over time, the largest accounts',
    output: OVERVIEW,
    isShared: true,
  },
  input: fields({ range: optional(word(...RANGES)) }),
  async run(context, { range = '24h' }) {
    const { storage } = context
    const shared = sharedOf(storage)
    const plan = planOf(range, storage.now())
    const { from, to } = plan
    const name = `${range} ${from}`
    const [sums, before, needs, rejected, ticks, accounts, errors, measured, switches] = await Promise.all([
      shared.get(`sums ${name}`, () => sumsOf(storage, plan)),
      weekBefore(storage, plan, shared),
      shared.get(`needs ${seesCosts(context.actor)}`, () => needsOf(context, shared)),
      shared.get(`rejected ${name}`, () => storage.traffic.rejected(plan, plan.stepMs), SLOW_LASTS_MS),
      shared.get(`ticks ${seesCosts(context.actor)} ${name}`, () => ticksOf(context, plan), SLOW_LASTS_MS),
      shared.get(`accounts ${name}`, () => topAccounts(storage, plan), SLOW_LASTS_MS),
      shared.get(`errors ${name}`, () => topErrors(storage, plan), SLOW_LASTS_MS),
      shared.get(`measured ${name}`, () => firstTokensByUpstream(storage, plan), SLOW_LASTS_MS),
      shared.get('switches', () => storage.upstreams.switches()),
    ])
    const tokens = (of: { from: number; to: number }) =>
      shared.get(`first tokens ${of.from}`, () => firstTokens(storage, of), SLOW_LASTS_MS)
    const costs = costsIn(context)
    const figures = (totals: Totals, firstToken: FirstToken) => ({
      requests: totals.requests,
      failed: totals.failed,
      error_share: totals.requests > 0 ? totals.failed / totals.requests : null,
      first_token_ms: firstToken,
      charged_usd: formatUsd(totals.charged),
      ...costs(totals),
    })
    return {
      range,
      from: isoTime(from),
      to: isoTime(to),
      step_seconds: plan.stepMs / 1_000,
      needs_you: needs.needs.map((need) => ({ ...need, since: need.since === null ? null : isoTime(need.since) })),
      needs_you_count: needs.count,
      figures: figures(totalOf(sums), await tokens(plan)),
      week_before: figures(before, await tokens(lastWeek(plan))),
      outcomes: outcomesOf(sums, rejected),
      ticks,
      upstreams: tiles(context, sums, measured, switches),
      top: { accounts, models: topModels(sums), errors },
    }
  },
})

/** Absent for those who may not see them. `margin_usd`: where costs are unknown, at most this. */
const costsIn = ({ actor }: OperationContext) =>
  seesCosts(actor)
    ? ({ charged, upstreamCost, unknownCosts }: Totals) => ({
        upstream_cost_usd: formatUsd(upstreamCost),
        margin_usd: formatUsd(charged - upstreamCost),
        unknown_costs: unknownCosts,
      })
    : () => ({})

type FirstToken = { p50: number; p95: number } | null

const firstTokenOf = (counts: readonly { bucket: number; count: number }[]): FirstToken =>
  counts.length === 0 ? null : { p50: percentile(counts, 50), p95: percentile(counts, 95) }

const firstTokens = async ({ traffic }: Storage, range: { from: number; to: number }): Promise<FirstToken> =>
  firstTokenOf(await traffic.firstTokens(range))

async function firstTokensByUpstream(
  { upstreams }: Storage,
  { from, now }: Plan,
): Promise<ReadonlyMap<string, FirstToken>> {
  const counts = (await upstreams.counts(Math.max(from, now - DAY_MS))).filter(
    ({ measure }) => measure === 'first_token',
  )
  const byUpstream = Map.groupBy(counts, ({ upstream }) => upstream)
  return new Map([...byUpstream].map(([upstream, each]) => [upstream, firstTokenOf(each)]))
}

/** `rejected` beside the outcomes of requests. */
function outcomesOf(sums: readonly TrafficSums[], rejected: ReadonlyMap<number, number>) {
  const points = [...Map.groupBy(sums, ({ at, outcome }) => `${at} ${outcome}`).values()].flatMap((rows) => {
    const [first] = rows
    return first ? [{ at: first.at, outcome: first.outcome, requests: totalOf(rows).requests }] : []
  })
  const all = [...points, ...[...rejected].map(([at, requests]) => ({ at, outcome: 'rejected', requests }))]
  return all
    .toSorted((one, other) => one.at - other.at || (one.outcome < other.outcome ? -1 : 1))
    .map((point) => ({ ...point, at: isoTime(point.at) }))
}

/** Newest first. */
async function ticksOf({ storage: { configuration, alerts }, actor }: OperationContext, { from }: Plan) {
  const revisions = (await configuration.revisions({}, MOST_TICKS)).map(({ revision, at, action, reason }) => ({
    at,
    kind: 'revision' as const,
    id: String(revision),
    text: reason === '' ? action : `${action}: ${reason}`,
  }))
  const fired = (await alerts.list({}, MOST_TICKS)).filter(alertsFor(actor)).map(({ id, rule, object, firedAt }) => ({
    at: firedAt ?? 0,
    kind: 'alert' as const,
    id: String(id),
    text: object === '' ? rule : `${rule}: ${object}`,
  }))
  return [...revisions, ...fired]
    .filter(({ at }) => at >= from)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, MOST_TICKS)
    .map((tick) => ({ ...tick, at: isoTime(tick.at) }))
}

type Switches = Awaited<ReturnType<Storage['upstreams']['switches']>>

/** One tile for each upstream in force; the health is that of this node. */
function tiles(
  context: OperationContext,
  sums: readonly TrafficSums[],
  measured: ReadonlyMap<string, FirstToken>,
  switches: Switches,
) {
  const { config, health } = context
  const all = totalOf(sums)
  const bySource = Map.groupBy(sums, ({ upstream }) => upstream)
  return [...config.upstreams.values()].map((upstream) => {
    const totals = totalOf(bySource.get(upstream.id) ?? [])
    const switched = switches.find((each) => each.upstream === upstream.id)?.state ?? 'enabled'
    return {
      id: upstream.id,
      state: switched === 'enabled' ? healthOf(health?.report(upstream, performance.now())) : switched,
      requests: totals.requests,
      failed: totals.failed,
      share: all.requests > 0 ? totals.requests / all.requests : null,
      first_token_ms: measured.get(upstream.id) ?? null,
      charged_usd: formatUsd(totals.charged),
      ...costsIn(context)(totals),
    }
  })
}

async function topAccounts({ traffic, accounts }: Storage, plan: Plan) {
  const rows = await traffic.topAccounts(plan, plan.source, TOP)
  const names = await accounts.names(rows.map(({ account }) => account))
  return rows.map(({ account, requests, charged }) => ({
    id: String(account),
    name: names.get(account) ?? null,
    requests,
    charged_usd: formatUsd(charged),
  }))
}

const topModels = (sums: readonly TrafficSums[]) =>
  [...Map.groupBy(sums, ({ model }) => model)]
    .map(([id, rows]) => ({ id, ...totalOf(rows) }))
    .toSorted((one, other) => Number(other.charged - one.charged) || other.requests - one.requests)
    .slice(0, TOP)
    .map(({ id, requests, failed, charged }) => ({ id, requests, failed, charged_usd: formatUsd(charged) }))

/** `rejected`: how many of them were rejected before a hold. */
async function topErrors({ reports }: Storage, { from, to }: Plan) {
  const rows = await reports.failures({ from, to }, MOST_FAILURES)
  const sumOf = (some: typeof rows) => some.reduce((sum, { count }) => sum + count, 0)
  return [...Map.groupBy(rows, ({ code }) => code)]
    .map(([code, some]) => ({
      code,
      count: sumOf(some),
      rejected: sumOf(some.filter(({ outcome }) => outcome === undefined)),
    }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, TOP)
}
