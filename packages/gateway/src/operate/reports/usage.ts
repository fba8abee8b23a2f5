// What was used, in groups of any dimensions: from sums that are kept, never from requests.
import { formatUsd } from '../../money/amount.ts'
import { fields, idOf, list, optional, text, word } from '../../request/schema/schema.ts'
import {
  type ReportRange,
  USAGE_DIMENSIONS,
  USAGE_SORTS,
  type UsageDimension,
  type UsageGroup,
  type UsageSort,
  type UsageSums,
} from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { given, readPlace } from '../inputs/page.ts'
import { ACCOUNT, LIMIT } from '../inputs/schemas.ts'
import { need, type OperationContext, operation, seesCosts } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { USAGE_SUMS } from '../resources/traffic.ts'
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

const NAME = text({ max: 300 })
const DAY_MS = 86_400_000
/** The longest period of a report by hour. */
const MOST_HOURS_MS = 8 * DAY_MS
const SORTS = USAGE_SORTS.flatMap((by) => [by, `-${by}` as const])

export const reportUsage = operation({
  name: 'report usage',
  permission: 'see',
  route: {
    at: 'GET usage',
    summary: 'Adds up requests, tokens and charges by account, key, model, upstream, outcome, day or hour',
    output: USAGE_SUMS,
    list: true,
    csv: true,
    example: { query: 'group_by=account,day' },
  },
  input: fields({
    /** Without it: one sum of everything. */
    group_by: optional(list(word(...USAGE_DIMENSIONS), USAGE_DIMENSIONS.length)),
    ...HOURS,
    account: optional(ACCOUNT),
    key: optional(idOf('a key')),
    model: optional(NAME),
    upstream: optional(NAME),
    outcome: optional(NAME),
    /** The largest, with `-`, or the smallest first: those alone that fit into `limit`. */
    sort: optional(word(...SORTS)),
    after: optional(USAGE_GROUP),
    limit: optional(LIMIT),
  }),
  /** In the order of keys, accounts, models, upstreams, outcomes, days and hours. A page may be short although there are more. */
  async run(context, { group_by = [], from, to, account: named, key, model, upstream, outcome, sort, ...page }) {
    const { place, limit } = readPlace(page, readGroup)
    if (sort !== undefined && page.after !== undefined) throw rejected('exclusive', { field: 'after', other: 'sort' })
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const filter = given({ account, key: key === undefined ? undefined : BigInt(key), model, upstream, outcome })
    const { storage } = context
    const range = readHours(from, to)
    // Sums of hours are kept by account and key: many more rows than there are of days.
    if (group_by.includes('hour') && range.to - range.from > MOST_HOURS_MS)
      throw rejected('range_too_long', { field: 'from', days: MOST_HOURS_MS / DAY_MS })
    const { rows, next } =
      sort === undefined
        ? await storage.reports.usage(group_by, range, filter, limit, place.after)
        : {
            rows: await storage.reports.topUsage(
              group_by,
              range,
              filter,
              limit,
              sortOf(context, sort, group_by, range),
            ),
          }
    const nameOf = await groupNames(storage, rows)
    const items = rows.map(({ group, ...sums }) => ({
      id: groupText(group),
      ...groupFields(group, nameOf),
      requests: sums.requests,
      tokens: sums.tokens,
      charged_usd: formatUsd(sums.charged),
      shortfall_usd: formatUsd(sums.shortfall),
      ...costFields(context, { group, ...sums }),
    }))
    return { items, next: next === undefined ? null : groupText(next) }
  },
})

const groupFields = (
  { key, account, person, model, upstream, outcome, day, hour }: UsageGroup,
  nameOf: GroupNames,
) => ({
  ...(account === undefined ? {} : { account_id: String(account), account: nameOf('account', account) }),
  ...(key === undefined ? {} : { key_id: String(key), key: nameOf('key', key) }),
  ...(person === undefined ? {} : personFields(person, nameOf)),
  ...(model === undefined ? {} : { model: String(model) }),
  ...(upstream === undefined ? {} : { upstream: String(upstream) }),
  ...(outcome === undefined ? {} : { outcome: String(outcome) }),
  ...(day === undefined ? {} : { day: isoTime(Number(day)).slice(0, 10) }),
  ...(hour === undefined ? {} : { hour: isoTime(Number(hour)) }),
})

const LONGEST_SORTED_DAYS = 100
const COSTS: ReadonlySet<UsageSort['by']> = new Set(['upstream_cost', 'margin', 'unknown_costs'])

function sortOf(
  { actor }: OperationContext,
  written: (typeof SORTS)[number],
  groups: readonly UsageDimension[],
  { from, to }: ReportRange,
): UsageSort {
  const by = written.replace(/^-/, '') as UsageSort['by']
  if (COSTS.has(by)) need(actor, 'see_costs')
  // Other sums are kept over all accounts, a few for each day.
  const isMany = groups.some((each) => each === 'account' || each === 'key' || each === 'person')
  if (isMany && to - from > LONGEST_SORTED_DAYS * DAY_MS)
    throw rejected('range_too_long', { field: 'from', days: LONGEST_SORTED_DAYS })
  return { by, descends: written.startsWith('-') }
}

/** `upstream_cost_usd`: what is known of it; `unknown_costs`: of how many requests it is not. */
const costFields = ({ actor }: OperationContext, { charged, upstreamCost, unknownCosts }: UsageSums) =>
  seesCosts(actor)
    ? {
        upstream_cost_usd: formatUsd(upstreamCost),
        margin_usd: formatUsd(charged - upstreamCost),
        unknown_costs: unknownCosts,
      }
    : {}
