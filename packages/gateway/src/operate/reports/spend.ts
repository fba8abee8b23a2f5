// What all accounts spent and what upstreams were paid for it, and what failed: by one thing at a time.

import { formatUsd } from '../../money/amount.ts'
import { fields, optional, textLike } from '../../request/schema/schema.ts'
import { isoTime } from '../inputs/fields.ts'
import { LIMIT } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { isTagName, readSums } from './read-sums.ts'
import { SUMS_FILTER, sumsFilter } from './sums-filter.ts'
import { groupFields, groupNames, groupText, HOURS, readGroup, readHours, USAGE_GROUP } from './usage-groups.ts'

const REPORTED_BY = [
  'account',
  'key',
  'person',
  'model',
  'upstream',
  'day',
  'week',
  'month',
  'tag',
  'end_user',
] as const
const WHAT = textLike(
  (value) => isTagName(value) || REPORTED_BY.some((each) => each === value),
  `be one of ${REPORTED_BY.join(', ')} or tag:NAME`,
)

export const reportSpending = operation({
  name: 'report spend',
  permission: 'see_costs',
  input: fields({ by: WHAT, ...HOURS, ...SUMS_FILTER, after: optional(USAGE_GROUP), limit: LIMIT }),
  /** In the order of what is grouped by. */
  async run(context, { by, from, to, after, limit, ...sought }) {
    const { storage } = context
    const { rows, next } = await readSums(storage, {
      // A key has one account, and so has an end user.
      groups: by === 'key' || by === 'end_user' ? [by, 'account'] : [by],
      range: readHours(from, to),
      filter: await sumsFilter(context, sought),
      after: after === undefined ? undefined : readGroup(after),
      limit,
    })
    const nameOf = await groupNames(storage, rows)
    const items = rows.map(({ group, ...sums }) => ({
      ...groupFields(group, nameOf),
      requests: sums.requests,
      tokens: sums.tokens,
      charged_usd: formatUsd(sums.charged),
      upstream_cost_usd: formatUsd(sums.upstreamCost),
      /** Where costs are unknown, at most this. */
      margin_usd: formatUsd(sums.charged - sums.upstreamCost),
      unknown_costs: sums.unknownCosts,
    }))
    return { items, next: next === undefined ? null : groupText(next) }
  },
})

const MOST_FAILURES = 1_000

export const reportFailures = operation({
  name: 'report failures',
  permission: 'see',
  input: fields(HOURS),
  /** The most frequent first. */
  async run({ storage }, { from, to }) {
    const range = readHours(from, to)
    const { until = 0 } = await storage.archive.state()
    if (range.from < until) throw rejected('archived', { field: 'from', time: isoTime(until) })
    const rows = await storage.reports.failures(range, MOST_FAILURES)
    return rows.map(({ code, outcome, model, upstream, count, lastRequest }) => ({
      code,
      outcome: outcome ?? null,
      model: model ?? null,
      upstream: upstream ?? null,
      count,
      last_request_id: lastRequest,
    }))
  },
})
