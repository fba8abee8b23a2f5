// What all accounts spent and what upstreams were paid for it, and what failed: by account, key, person, model, upstream or day.

import { formatUsd } from '../../money/amount.ts'
import { fields, optional, word } from '../../request/schema/schema.ts'
import type { UsageDimension, UsageGroup } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { LIMIT } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import {
  type GroupNames,
  groupNames,
  groupText,
  HOURS,
  personFields,
  readGroup,
  readHours,
  USAGE_GROUP,
} from './usage-groups.ts'

const REPORTED_BY = ['account', 'key', 'person', 'model', 'upstream', 'day'] as const satisfies UsageDimension[]

export const reportSpending = operation({
  name: 'report spend',
  permission: 'see_costs',
  input: fields({ by: word(...REPORTED_BY), ...HOURS, after: optional(USAGE_GROUP), limit: LIMIT }),
  /** In the order of what is grouped by. */
  async run({ storage }, { by, from, to, after, limit }) {
    const start = after === undefined ? undefined : readGroup(after)
    const groups = by === 'key' ? (['key', 'account'] as const) : [by]
    const { rows, next } = await storage.reports.usage(groups, readHours(from, to), {}, limit, start)
    const nameOf = await groupNames(storage, rows)
    const items = rows.map(({ group, ...sums }) => ({
      ...shownName(by, group, nameOf),
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

function shownName(by: UsageDimension, group: UsageGroup, nameOf: GroupNames): Record<string, string | null> {
  const { account, key, person, day } = group
  const ofAccount = { account_id: String(account), account: nameOf('account', account) }
  if (by === 'account') return ofAccount
  if (by === 'key') return { key_id: String(key), key: nameOf('key', key), ...ofAccount }
  if (by === 'person') return personFields(person, nameOf)
  return by === 'day' ? { day: isoTime(Number(day)).slice(0, 10) } : { [by]: String(group[by]) }
}

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
