// What was used, in groups of any dimensions: from sums that are kept, never from requests.
import { formatUsd } from '../../money/amount.ts'
import { fields, list, optional, text, word } from '../../request/schema/schema.ts'
import { type ReportRange, USAGE_DIMENSIONS, USAGE_SORTS, type UsageSort } from '../../storage/storage.ts'
import { given, readPlace } from '../inputs/page.ts'
import { LIMIT } from '../inputs/schemas.ts'
import { need, type OperationContext, operation, seesCosts } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { USAGE_SUMS } from '../resources/traffic.ts'
import { GROUPING, readSums, type ShownSums } from './read-sums.ts'
import { SUMS_FILTER, sumsFilter } from './sums-filter.ts'
import { groupFields, groupNames, groupText, HOURS, readGroup, readHours, USAGE_GROUP } from './usage-groups.ts'

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
    summary:
      'Adds up requests, tokens and charges by account, key, person, model, upstream, outcome, tag, end user or time',
    output: USAGE_SUMS,
    list: true,
    csv: true,
    example: { query: 'group_by=account,day' },
  },
  input: fields({
    /** Without it: one sum of everything. `tag:NAME`: by the values of this tag. */
    group_by: optional(list(GROUPING, USAGE_DIMENSIONS.length)),
    ...HOURS,
    ...SUMS_FILTER,
    outcome: optional(NAME),
    /** The largest, with `-`, or the smallest first: those alone that fit into `limit`. */
    sort: optional(word(...SORTS)),
    after: optional(USAGE_GROUP),
    limit: optional(LIMIT),
  }),
  /**
   * In the order of keys, accounts, models, upstreams, outcomes, days and hours; of tags and end users first. A page may be short although
   * there are more.
   */
  async run(context, { group_by: groups = [], from, to, sort, outcome, after: afterText, limit: most, ...sought }) {
    const { place, limit } = readPlace(given({ after: afterText, limit: most }), readGroup)
    if (sort !== undefined && afterText !== undefined) throw rejected('exclusive', { field: 'after', other: 'sort' })
    const { storage } = context
    const range = readHours(from, to)
    // Sums of hours are kept by account and key: many more rows than there are of days.
    if (groups.includes('hour') && range.to - range.from > MOST_HOURS_MS)
      throw rejected('range_too_long', { field: 'from', days: MOST_HOURS_MS / DAY_MS })
    const { rows, next } = await readSums(storage, {
      groups,
      range,
      filter: { ...(await sumsFilter(context, sought)), ...given({ outcome }) },
      sort: sort === undefined ? undefined : sortOf(context, sort, groups, range),
      after: place.after,
      limit,
    })
    const nameOf = await groupNames(storage, rows)
    const items = rows.map(({ group, ...sums }) => ({
      id: groupText(group),
      ...groupFields(group, nameOf),
      requests: sums.requests,
      tokens: sums.tokens,
      charged_usd: formatUsd(sums.charged),
      ...(sums.shortfall === undefined ? {} : { shortfall_usd: formatUsd(sums.shortfall) }),
      ...costFields(context, { group, ...sums }),
    }))
    return { items, next: next === undefined ? null : groupText(next) }
  },
})

const LONGEST_SORTED_DAYS = 100
const COSTS: ReadonlySet<UsageSort['by']> = new Set(['upstream_cost', 'margin', 'unknown_costs'])

function sortOf(
  { actor }: OperationContext,
  written: (typeof SORTS)[number],
  groups: readonly string[],
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
const costFields = ({ actor }: OperationContext, { charged, upstreamCost, unknownCosts }: ShownSums) =>
  seesCosts(actor)
    ? {
        upstream_cost_usd: formatUsd(upstreamCost),
        margin_usd: formatUsd(charged - upstreamCost),
        unknown_costs: unknownCosts,
      }
    : {}
