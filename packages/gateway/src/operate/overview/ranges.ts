// The ranges of the overview, and the sums of each. Only the last hour is counted from requests, and a part of an hour a week ago.
import type { Nanos } from '../../money/amount.ts'
import type { SharedResults } from '../../sharing/shared-results.ts'
import { FAILED_OUTCOMES, type Storage, type TrafficSource, type TrafficSums } from '../../storage/storage.ts'

export const RANGES = ['1h', '24h', '7d'] as const
export type RangeName = (typeof RANGES)[number]

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** What is over does not change any more. */
const PAST_LASTS_MS = 10 * MINUTE_MS
/** Far more than models, upstreams and outcomes of a week. */
const MOST_GROUPS = 20_000

/** `to`: the end of the last step, which is not over; `now`: of what has happened. */
export type Plan = { from: number; to: number; now: number; stepMs: number; source: TrafficSource }

const STEPS: Readonly<Record<RangeName, { stepMs: number; steps: number; source: TrafficSource }>> = {
  '1h': { stepMs: 5 * MINUTE_MS, steps: 12, source: 'requests' },
  '24h': { stepMs: HOUR_MS, steps: 24, source: 'hours' },
  '7d': { stepMs: DAY_MS, steps: 7, source: 'days' },
}

export function planOf(range: RangeName, now: number): Plan {
  const { stepMs, steps, source } = STEPS[range]
  const to = floor(now, stepMs) + stepMs
  return { from: to - steps * stepMs, to, now, stepMs, source }
}

const floor = (time: number, stepMs: number): number => time - (time % stepMs)

/** By step, model, upstream and outcome. */
export async function sumsOf({ traffic, reports }: Storage, plan: Plan): Promise<TrafficSums[]> {
  const { from, to, stepMs, source } = plan
  if (source === 'requests') return await traffic.requests({ from, to }, stepMs)
  if (source === 'hours') return await traffic.hours({ from, to })
  const { rows } = await reports.usage(['model', 'upstream', 'outcome', 'day'], { from, to }, {}, MOST_GROUPS)
  return rows.map(({ group: { model, upstream, outcome, day }, requests, charged, upstreamCost, unknownCosts }) => ({
    at: Number(day),
    model: String(model),
    upstream: String(upstream),
    outcome: String(outcome),
    requests,
    charged,
    upstreamCost,
    unknownCosts,
  }))
}

export type Totals = {
  requests: number
  failed: number
  charged: Nanos
  upstreamCost: Nanos
  unknownCosts: number
}
type Sums = Pick<TrafficSums, 'requests' | 'charged' | 'upstreamCost' | 'unknownCosts' | 'outcome'>

const isFailed = (outcome: string): boolean => FAILED_OUTCOMES.some((each) => each === outcome)

export const NOTHING_YET: Totals = { requests: 0, failed: 0, charged: 0n, upstreamCost: 0n, unknownCosts: 0 }

export const totalOf = (sums: readonly Sums[]): Totals =>
  sums.reduce(
    (total, { outcome, requests, charged, upstreamCost, unknownCosts }) => ({
      requests: total.requests + requests,
      failed: total.failed + (isFailed(outcome) ? requests : 0),
      charged: total.charged + charged,
      upstreamCost: total.upstreamCost + upstreamCost,
      unknownCosts: total.unknownCosts + unknownCosts,
    }),
    NOTHING_YET,
  )

/** The same range a week ago, until the same minute. */
export async function weekBefore(storage: Storage, plan: Plan, shared: SharedResults): Promise<Totals> {
  const { traffic, reports } = storage
  const from = plan.from - WEEK_MS
  const to = floor(plan.now, MINUTE_MS) - WEEK_MS
  const hour = plan.source === 'requests' ? from : floor(to, HOUR_MS)
  const hours = async (): Promise<Sums[]> => {
    if (from >= hour) return []
    const { rows } = await reports.usage(['outcome'], { from, to: hour }, {}, MOST_GROUPS)
    return rows.map(({ group, ...sums }) => ({ ...sums, outcome: String(group.outcome) }))
  }
  const rest = async (): Promise<Sums[]> => (hour < to ? await traffic.requests({ from: hour, to }, HOUR_MS) : [])
  return totalOf([
    ...(await shared.get(`hours ${from} ${hour}`, hours, PAST_LASTS_MS)),
    ...(await shared.get(`requests ${hour} ${to}`, rest, PAST_LASTS_MS)),
  ])
}

export const lastWeek = ({ from, to }: Plan) => ({ from: from - WEEK_MS, to: to - WEEK_MS })
