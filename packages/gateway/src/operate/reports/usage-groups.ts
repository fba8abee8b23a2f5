// Groups of usage: as text, which is also where a page begins, with the names of their accounts and keys; and the hours that they cover.
import { parseIsoTime } from '../../request/iso-time.ts'
import { optional, rule, textLike, WRITTEN_TIME } from '../../request/schema/schema.ts'
import type { ReportRange, Storage, UsageDimension, UsageGroup } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
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
export const HOURS = { from: optional(FULL_HOUR), to: optional(FULL_HOUR) }

export function readHours(from: string | undefined, to: string | undefined): ReportRange {
  const now = new Date()
  const start = from === undefined ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) : (parseIsoTime(from) ?? 0)
  const end = to === undefined ? now.getTime() - (now.getTime() % DAY_MS) + DAY_MS : (parseIsoTime(to) ?? 0)
  if (start >= end) throw rejected('empty_range', { field: 'from', other: 'to' })
  return { from: start, to: end }
}

/** Also of sums by tag or by end user, where the empty text is all that is not told apart. */
export type SumsDimension = UsageDimension | 'tag' | 'end_user'
export type SumsGroup = Partial<Record<SumsDimension, bigint | string | number>>

/** Ids and days are digits, names are encoded: the text can be part of a URL. */
export const groupText = (group: SumsGroup): string =>
  Object.entries(group)
    .map(([dimension, value]) => `${dimension}:${encodeURIComponent(String(value))}`)
    .join(',')

const READ = {
  key: readId,
  account: readId,
  person: readId,
  day: readTime,
  week: readTime,
  month: readTime,
  hour: readTime,
  model: readName,
  upstream: readName,
  outcome: readName,
  tag: readName,
  end_user: readName,
} as const satisfies Record<SumsDimension, (value: string) => bigint | number | string | undefined>

function readId(value: string): bigint | undefined {
  return /^\d{1,18}$/.test(value) ? BigInt(value) : undefined
}

function readTime(value: string): number | undefined {
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

function readName(value: string): string | undefined {
  try {
    const name = decodeURIComponent(value)
    return name.includes('\0') ? undefined : name
  } catch {
    return undefined
  }
}

const isDimension = (name: string): name is SumsDimension => Object.hasOwn(READ, name)

function parseGroup(written: string): SumsGroup | undefined {
  const group: SumsGroup = {}
  for (const part of written.split(',')) {
    const [, name = '', value = ''] = /^(\w+):(.*)$/s.exec(part) ?? []
    const read = isDimension(name) ? READ[name](value) : undefined
    if (read === undefined || !isDimension(name)) return undefined
    group[name] = read
  }
  return group
}

export const USAGE_GROUP = textLike((value) => parseGroup(value) !== undefined, 'be the id of a group')
export const readGroup = (written: string): SumsGroup => parseGroup(written) ?? {}

/** null: it does not exist any more. */
type Named = 'account' | 'key' | 'person'
export type GroupNames = (dimension: Named, id: SumsGroup[SumsDimension]) => string | null

export async function groupNames(
  { accounts, keys, people }: Pick<Storage, 'accounts' | 'keys' | 'people'>,
  rows: readonly { group: SumsGroup }[],
): Promise<GroupNames> {
  const idsOf = (dimension: Named) => [
    ...new Set(rows.flatMap(({ group }) => (group[dimension] === undefined ? [] : BigInt(group[dimension])))),
  ]
  const names = {
    account: await accounts.names(idsOf('account')),
    key: await keys.names(idsOf('key')),
    person: await people.names(idsOf('person')),
  }
  return (dimension, id) => (id === undefined ? null : (names[dimension].get(BigInt(id)) ?? null))
}

/** The person who made the keys; null: the operator did. */
export const personFields = (person: UsageGroup['person'], nameOf: GroupNames) => ({
  person_id: BigInt(person ?? 0) === 0n ? null : String(person),
  person: nameOf('person', person),
})

/** Null: what came after the values of a day that are told apart. */
export const valueFields = ({ tag, end_user }: SumsGroup) => ({
  ...(tag === undefined ? {} : { tag: tag === '' ? null : String(tag) }),
  ...(end_user === undefined ? {} : { end_user: end_user === '' ? null : String(end_user) }),
})

export const dayText = (time: number | bigint | string): string => isoTime(Number(time)).slice(0, 10)

/** As rows of reports show them. */
export const groupFields = (
  { key, account, person, model, upstream, outcome, day, week, month, hour, ...values }: SumsGroup,
  nameOf: GroupNames,
) => ({
  ...(account === undefined ? {} : { account_id: String(account), account: nameOf('account', account) }),
  ...(key === undefined ? {} : { key_id: String(key), key: nameOf('key', key) }),
  ...(person === undefined ? {} : personFields(person, nameOf)),
  ...(model === undefined ? {} : { model: String(model) }),
  ...(upstream === undefined ? {} : { upstream: String(upstream) }),
  ...(outcome === undefined ? {} : { outcome: String(outcome) }),
  ...valueFields(values),
  ...(day === undefined ? {} : { day: dayText(day) }),
  ...(week === undefined ? {} : { week: dayText(week) }),
  ...(month === undefined ? {} : { month: dayText(month).slice(0, 7) }),
  ...(hour === undefined ? {} : { hour: isoTime(Number(hour)) }),
})
