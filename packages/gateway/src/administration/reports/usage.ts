// What was used, in groups of any dimensions: from sums that are kept, never from requests.
import { formatUsd } from '../../money/amount.ts'
import { fields, idOf, list, optional, text, word } from '../../request/schema/schema.ts'
import { USAGE_DIMENSIONS, type UsageGroup } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { given, readPlace } from '../inputs/page.ts'
import { ACCOUNT, LIMIT } from '../inputs/schemas.ts'
import { type OperationContext, operation, seesCosts } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { type GroupNames, groupNames, groupText, HOURS, readGroup, readHours, USAGE_GROUP } from './usage-groups.ts'

const NAME = text({ max: 300 })
const DAY_MS = 86_400_000
/** Of a report by hour. */
const MOST_HOURS_MS = 8 * DAY_MS

export const reportUsage = operation({
  name: 'report usage',
  permission: 'see',
  input: fields({
    /** Without it: one sum of everything. */
    group_by: optional(list(word(...USAGE_DIMENSIONS), USAGE_DIMENSIONS.length)),
    ...HOURS,
    account: optional(ACCOUNT),
    key: optional(idOf('a key')),
    model: optional(NAME),
    upstream: optional(NAME),
    outcome: optional(NAME),
    after: optional(USAGE_GROUP),
    limit: optional(LIMIT),
  }),
  /** In the order of keys, accounts, models, upstreams, outcomes, days and hours. A page may be short although there are more. */
  async run(context, { group_by = [], from, to, account: named, key, model, upstream, outcome, ...page }) {
    const { place, limit } = readPlace(page, readGroup)
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const filter = given({ account, key: key === undefined ? undefined : BigInt(key), model, upstream, outcome })
    const { storage } = context
    const range = readHours(from, to)
    // Sums of hours are kept by account and key: many more rows than there are of days.
    if (group_by.includes('hour') && range.to - range.from > MOST_HOURS_MS)
      throw rejected('range_too_long', { field: 'from', days: MOST_HOURS_MS / DAY_MS })
    const { rows, next } = await storage.reports.usage(group_by, range, filter, limit, place.after)
    const nameOf = await groupNames(storage, rows)
    const items = rows.map(({ group, ...sums }) => ({
      id: groupText(group),
      ...groupFields(group, nameOf),
      requests: sums.requests,
      tokens: sums.tokens,
      charged_usd: formatUsd(sums.charged),
      ...costFields(context, sums),
    }))
    return { items, next: next === undefined ? null : groupText(next) }
  },
})

const groupFields = ({ key, account, model, upstream, outcome, day, hour }: UsageGroup, nameOf: GroupNames) => ({
  ...(account === undefined ? {} : { account_id: String(account), account: nameOf('account', account) }),
  ...(key === undefined ? {} : { key_id: String(key), key: nameOf('key', key) }),
  ...(model === undefined ? {} : { model: String(model) }),
  ...(upstream === undefined ? {} : { upstream: String(upstream) }),
  ...(outcome === undefined ? {} : { outcome: String(outcome) }),
  ...(day === undefined ? {} : { day: isoTime(Number(day)).slice(0, 10) }),
  ...(hour === undefined ? {} : { hour: isoTime(Number(hour)) }),
})

/** `upstream_cost_usd`: what is known of it; `unknown_costs`: of how many requests it is not. */
const costFields = ({ actor }: OperationContext, sums: { upstreamCost: bigint; unknownCosts: number }) =>
  seesCosts(actor) ? { upstream_cost_usd: formatUsd(sums.upstreamCost), unknown_costs: sums.unknownCosts } : {}
