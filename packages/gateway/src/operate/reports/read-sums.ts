// Sums of usage in groups, from those that are kept: by everything that requests have, or by one of their tags or their end user.
import { nameOf } from '../../access/attribution/tags.ts'
import { type AttributionDimension, LONGEST_TAG } from '../../money/budgets/attribution.ts'
import { textLike } from '../../request/schema/schema.ts'
import {
  type AttributedGroup,
  type AttributedSums,
  type ReportRange,
  type Storage,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageFilter,
  type UsageSort,
  type UsageSums,
} from '../../storage/storage.ts'
import { given } from '../inputs/page.ts'
import { rejected } from '../rejections.ts'
import type { SumsGroup } from './usage-groups.ts'

const DAY_MS = 86_400_000
const TAG_NAME = 'tag:'

/** What sums are grouped by: `tag:NAME` by the values of the tags with this name. */
export const GROUPING = textLike(
  (text) => isUsageDimension(text) || text === 'tag' || text === 'end_user' || isTagName(text),
  `be one of ${USAGE_DIMENSIONS.join(', ')}, tag, end_user or tag:NAME`,
)
export const isTagName = (text: string): boolean =>
  text.startsWith(TAG_NAME) && text.length > TAG_NAME.length && text.length <= TAG_NAME.length + LONGEST_TAG
const isUsageDimension = (name: string): name is UsageDimension => USAGE_DIMENSIONS.some((each) => each === name)

/** `group.tag`, `group.end_user`: '' for what came after the 10,000 values of a day. `shortfall`: not known by tag and end user. */
export type ShownSums = Omit<UsageSums, 'group' | 'shortfall'> & {
  group: SumsGroup
  shortfall?: UsageSums['shortfall']
}

type Query = {
  groups: readonly string[]
  range: ReportRange
  /** `endUser`: as it is kept. */
  filter: UsageFilter & { tag?: string; endUser?: string }
  sort?: UsageSort | undefined
  after?: SumsGroup | undefined
  limit: number
}

export async function readSums(
  storage: Pick<Storage, 'reports' | 'attribution'>,
  query: Query,
): Promise<{ rows: ShownSums[]; next: SumsGroup | undefined }> {
  const { groups, range, sort, after, limit } = query
  const { tag, endUser, ...filter } = query.filter
  const dimension = attributionOf(groups, { tag, endUser })
  const plain = groups.filter(isUsageDimension)
  if (dimension === undefined) {
    if (sort !== undefined)
      return { rows: await storage.reports.topUsage(plain, range, filter, limit, sort), next: undefined }
    return await storage.reports.usage(plain, range, filter, limit, after)
  }
  checkDays(range, plain)
  const named = groups.find((each) => each.startsWith(TAG_NAME))
  const sought = given({ value: tag ?? endUser, tagName: named?.slice(TAG_NAME.length) })
  const by = [...(groups.length > plain.length ? (['value'] as const) : []), ...plain.filter((each) => each !== 'hour')]
  const page = await storage.attribution.sums(dimension, by, range, { ...filter, ...sought }, limit, {
    sort: sort && sortOf(sort),
    after: after && toAttributed(after, dimension),
  })
  return { rows: page.rows.map((row) => toShown(row, dimension)), next: page.next && groupOf(page.next, dimension) }
}

/** By which of the two the sums are read. Sums of several tags, or of a tag and an end user together, are not kept. */
function attributionOf(
  groups: readonly string[],
  { tag, endUser }: { tag: string | undefined; endUser: string | undefined },
): AttributionDimension | undefined {
  const [one, two] = groups.filter((each) => !isUsageDimension(each))
  if (two !== undefined) throw oneOnly('group_by', String(one), two)
  const isByTag = tag !== undefined || one === 'tag' || one?.startsWith(TAG_NAME) === true
  if (isByTag && (endUser !== undefined || one === 'end_user')) throw oneOnly('end_user', 'tag', 'end user')
  if (tag !== undefined && one?.startsWith(TAG_NAME) && nameOf(tag) !== one.slice(TAG_NAME.length))
    throw oneOnly('tag', one, tag)
  if (isByTag) return 'tag'
  return endUser !== undefined || one === 'end_user' ? 'end_user' : undefined
}

const notSummed = (field: string, message: string) => rejected('not_summed', { field, message })
const oneOnly = (field: string, one: string, two: string) =>
  notSummed(
    field,
    `sums are kept by one tag or one end user at a time, not by ${one} and ${two} together. Leave one of them out; the list of requests takes both as filters.`,
  )
const wholeDays = (field: string) =>
  notSummed(field, 'sums by tag and end user are kept for whole days (UTC): no hours can be named.')

function checkDays({ from, to }: ReportRange, groups: readonly UsageDimension[]): void {
  if (groups.includes('hour')) throw wholeDays('group_by')
  if (from % DAY_MS !== 0) throw wholeDays('from')
  if (to % DAY_MS !== 0) throw wholeDays('to')
}

function sortOf({ by, descends }: UsageSort) {
  if (by === 'shortfall') throw notSummed('sort', 'shortfalls are not kept by tag and end user.')
  return { by, descends }
}

const toShown = ({ group, lastAt: _, ...sums }: AttributedSums, dimension: AttributionDimension): ShownSums => ({
  ...sums,
  group: groupOf(group, dimension),
})

const groupOf = ({ value, ...group }: AttributedGroup, dimension: AttributionDimension): SumsGroup => ({
  ...(value === undefined ? {} : { [dimension]: value }),
  ...group,
})

function toAttributed(
  { tag, end_user, hour: _, ...group }: SumsGroup,
  dimension: AttributionDimension,
): AttributedGroup {
  const value = dimension === 'tag' ? tag : end_user
  return value === undefined ? group : { value, ...group }
}
