// What all accounts spent and what upstreams were paid for it, and what failed: by account, key, model, upstream or day.

import { formatUsd } from '../../money/amount.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import { fields, optional, rule, text, WRITTEN_TIME, word } from '../../request/schema/schema.ts'
import { REPORTED_BY, type ReportedBy, type ReportRange } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { LIMIT } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { rejected } from '../rejections.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** What is kept are sums of hours. */
const FULL_HOUR = rule(
  WRITTEN_TIME,
  (value) => (parseIsoTime(value) ?? 1) % HOUR_MS === 0,
  'be the beginning of an hour such as 2027-01-31 or 2027-01-31T12:00:00Z',
)
/** Without them: from the beginning of this month until now (UTC). */
const RANGE = { from: optional(FULL_HOUR), to: optional(FULL_HOUR) }

export const reportSpending = operation({
  name: 'report spend',
  permission: 'see_costs',
  input: fields({ by: word(...REPORTED_BY), ...RANGE, before: optional(text({ max: 320 })), limit: LIMIT }),
  /** In the order of what is grouped by. `before`: the last row of the page before. */
  async run({ storage }, { by, from, to, before, limit }) {
    const after = by === 'day' && before !== undefined ? String(parseIsoTime(before) ?? 0) : before
    const rows = await storage.reports.spending(by, readRange(from, to), limit, after)
    const items = rows.map((row) => ({
      ...shownName(by, row),
      requests: row.requests,
      tokens: row.tokens,
      charged_usd: formatUsd(row.charged),
      upstream_cost_usd: formatUsd(row.upstreamCost),
      /** Where costs are unknown, at most this. */
      margin_usd: formatUsd(row.charged - row.upstreamCost),
      unknown_costs: row.unknownCosts,
    }))
    const last = rows.at(-1)
    const next = last === undefined || rows.length < limit ? null : by === 'day' ? isoTime(Number(last.of)) : last.of
    return { items, next }
  },
})

type Named = { of: string; name: string | undefined; account: bigint | undefined }

function shownName(by: ReportedBy, { of, name, account }: Named): Record<string, string | null> {
  if (by === 'account') return { account_id: of, account: name ?? null }
  if (by === 'key') return { key_id: of, key: name ?? null, account_id: account === undefined ? null : String(account) }
  return by === 'day' ? { day: isoTime(Number(of)).slice(0, 10) } : { [by]: of }
}

const MOST_FAILURES = 1_000

export const reportFailures = operation({
  name: 'report failures',
  permission: 'see',
  input: fields(RANGE),
  /** The most frequent first. */
  async run({ storage }, { from, to }) {
    const rows = await storage.reports.failures(readRange(from, to), MOST_FAILURES)
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

function readRange(from: string | undefined, to: string | undefined): ReportRange {
  const now = new Date()
  const start = from === undefined ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) : (parseIsoTime(from) ?? 0)
  const end = to === undefined ? now.getTime() - (now.getTime() % DAY_MS) + DAY_MS : (parseIsoTime(to) ?? 0)
  if (start >= end) throw rejected('empty_range', { field: 'from', other: 'to' })
  return { from: start, to: end }
}
