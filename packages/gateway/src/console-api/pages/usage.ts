// Usage: what was spent in a period, as sums over time, and by model or key: the largest ones by name, and the sum of the others.
import type { Static } from 'typebox'
import { badRequest } from '../../http-api/rejection.ts'
import { formatUsd } from '../../money/amount.ts'
import { given } from '../../operate/inputs/page.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import {
  fields,
  idOf,
  listOf,
  nullable,
  number,
  optional,
  string,
  TIME,
  USD,
  WRITTEN_TIME,
  word,
} from '../../request/schema/schema.ts'
import type { Keys, SpendingFilter, SpendingStep } from '../../storage/storage.ts'
import { route } from '../route.ts'
import { keyNames, scopeOf } from './scope.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hours are shown for a fortnight at most: more points than pixels cannot be seen. */
const MOST_HOURS = 14 * 24
const MOST_DAYS = 800
/** An account may have thousands of keys; more rows than these are not readable. */
const MOST_ROWS = 200

export const PERIOD = {
  from: optional(WRITTEN_TIME),
  to: optional(WRITTEN_TIME),
  model: optional(string()),
  key: optional(idOf('a key')),
}
const STEP = word('hour', 'day', 'month')
const PERIOD_QUERY = fields({ ...PERIOD, step: optional(STEP) })
const COUNTS = { requests: number(), tokens: number(), cost_usd: USD }
/** `name`: the model or the id of the key; empty for all but the largest ones. `label`: how it is shown. */
const NAMED = { name: string(), label: string(), ...COUNTS }

/** The period that a request asks for, with its filters. */
function periodIn(query: Static<typeof PERIOD_QUERY>, now: number): { filter: SpendingFilter; step: SpendingStep } {
  const filter = filterOf(query)
  const { to = now } = filter
  const { from = to - 30 * DAY_MS } = filter
  if (from >= to) throw badRequest('from', 'from must be before to.')
  const { step = 'day' } = query
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS
  const most = step === 'hour' ? MOST_HOURS : MOST_DAYS
  if ((to - from) / stepMs > most) throw badRequest('from', `With step=${step}, at most ${most} ${step}s can be shown.`)
  return { filter: { ...filter, from, to }, step }
}

type Filters = { from?: string; to?: string; model?: string; key?: string }

export const filterOf = ({ from, to, model, key }: Filters) =>
  given({ from: timeOf(from), to: timeOf(to), model, key: key === undefined ? undefined : BigInt(key) })

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseIsoTime(text))

/** How models and keys are shown. */
async function labelsOf(rows: readonly { name: string }[], by: string, keys: Pick<Keys, 'names'>) {
  const named = by === 'key' ? rows.filter(({ name }) => name !== '') : []
  const names = await keyNames(
    keys,
    named.map(({ name }) => ({ key: BigInt(name) })),
  )
  return (name: string): string => (by === 'key' && name !== '' ? names.get(BigInt(name)) : undefined) ?? name
}

type Counted = { requests: number; tokens: number; cost: bigint }
const countsJson = ({ requests, tokens, cost }: Counted) => ({ requests, tokens, cost_usd: formatUsd(cost) })

export const showSeries = route(
  'GET usage',
  {
    policy: 'member',
    summary: 'Sums over time',
    query: fields({ ...PERIOD_QUERY.properties, by: optional(word('model', 'key', 'none')) }),
    output: fields({
      step: STEP,
      from: TIME,
      to: TIME,
      points: listOf(fields({ at: TIME, ...NAMED })),
      total: fields(COUNTS),
    }),
  },
  async (call, deps) => {
    const { filter, step } = periodIn(call.query, deps.clock())
    const { from, to } = filter
    const { by = 'none' } = call.query
    const points = await deps.store.spending.series(call.account.id, { ...filter, ...scopeOf(call) }, step, by)
    const labelOf = await labelsOf(points, by, deps.store.keys)
    const sum = points.reduce(
      (total, { requests, tokens, cost }) => ({
        requests: total.requests + requests,
        tokens: total.tokens + tokens,
        cost: total.cost + cost,
      }),
      { requests: 0, tokens: 0, cost: 0n },
    )
    return {
      step,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      points: points.map(({ at, name, ...counted }) => ({
        at: new Date(at).toISOString(),
        name,
        label: labelOf(name),
        ...countsJson(counted),
      })),
      total: countsJson(sum),
    }
  },
)

export const showBreakdown = route(
  'GET usage/breakdown',
  {
    policy: 'member',
    summary: 'Sums of each model or key; what cost most comes first',
    query: fields({ ...PERIOD_QUERY.properties, by: optional(word('model', 'key')) }),
    output: fields({
      items: listOf(fields(NAMED)),
      /** The sum of so many models or keys that are not listed. */
      others: nullable(fields({ names: number(), ...COUNTS })),
    }),
  },
  async (call, deps) => {
    const { filter, step } = periodIn(call.query, deps.clock())
    const { by = 'model' } = call.query
    const own = { ...filter, ...scopeOf(call) }
    const { rows, names, all } = await deps.store.spending.totals(call.account.id, own, step, by, MOST_ROWS)
    const labelOf = await labelsOf(rows, by, deps.store.keys)
    const rest = rows.reduce(
      (left, { requests, tokens, cost }) => ({
        requests: left.requests - requests,
        tokens: left.tokens - tokens,
        cost: left.cost - cost,
      }),
      all,
    )
    const others = names - rows.length
    return {
      items: rows.map(({ name, ...counted }) => ({ name, label: labelOf(name), ...countsJson(counted) })),
      others: others === 0 ? null : { names: others, ...countsJson(rest) },
    }
  },
)
