// Budgets and caps as one list: budgets first, then the caps of accounts, members and keys, each newest first.
import type { ReadBudget } from '../../money/budgets/state.ts'
import type { Account, Budget, BudgetSettings, BudgetSubject, Key, Member, Place } from '../../storage/storage.ts'
import type { OperationContext } from '../operation.ts'

export type Entry = BudgetSubject &
  BudgetSettings &
  ReadBudget &
  Pick<Budget, 'setBy' | 'deletedAt'> & { id: string; isCap: boolean; createdAt: number | undefined }

type Stores = Pick<OperationContext, 'storage'>

export const budgetEntry = (budget: Budget): Entry => ({ ...budget, id: String(budget.id), isCap: false })

const NO_SUBJECT = { key: undefined, person: undefined, model: undefined, value: undefined }
const NO_SETTINGS = { everyHours: undefined, startsAt: undefined, hard: true, alerts: [], text: '' } as const
const CAP = { ...NO_SUBJECT, ...NO_SETTINGS, isCap: true, deletedAt: undefined } as const

type Capped = Pick<Key, 'cap' | 'capPeriod' | 'spentUnderCap' | 'held'>
/** Caps are read anew for each list, so their period is the present one. */
const meterOf = ({ cap, capPeriod, spentUnderCap, held }: Capped) => ({
  amount: cap ?? 0n,
  period: capPeriod,
  spentNow: spentUnderCap,
  held,
  periodEndsAt: undefined,
})

/** undefined: there is no cap. */
export const accountCap = (account: Account): Entry | undefined =>
  account.cap === undefined
    ? undefined
    : {
        ...CAP,
        ...meterOf(account),
        id: `cap:account:${account.id}`,
        kind: 'account',
        account: account.id,
        setBy: 'operator',
        createdAt: undefined,
      }

export const keyCap = (key: Key): Entry | undefined =>
  key.cap === undefined
    ? undefined
    : {
        ...CAP,
        ...meterOf(key),
        id: `cap:key:${key.id}`,
        kind: 'key',
        account: key.account,
        key: key.id,
        setBy: key.ceiling.cap === undefined ? 'holder' : 'operator',
        createdAt: key.createdAt,
      }

export async function memberCap({ account, person }: Member, { storage }: Stores): Promise<Entry | undefined> {
  const standing = await storage.members.standing(account, person)
  return (
    standing && {
      ...CAP,
      ...meterOf(standing),
      id: `cap:member:${account}:${person}`,
      kind: 'member',
      account,
      person,
      setBy: 'holder',
      createdAt: undefined,
    }
  )
}

export const BUDGET_ID = /^(?:\d{1,18}|cap:(?:account|key):\d{1,18}|cap:member:\d{1,18}:\d{1,18})$/

/** The ids of a part are numbers, or those of an account and a person. */
type Ids = readonly bigint[]
/** `next`: where the part goes on, in the direction that was asked for; undefined: there is no more of it. */
type Part = { entries: Entry[]; next: Ids | undefined }
type Section = { prefix: string; read(place: Place<Ids>, limit: number): Promise<Part> }

export type EntryFilter = Parameters<Stores['storage']['budgets']['page']>[0] & { hasCaps: boolean }

function sectionsOf(context: Stores, { hasCaps, ...filter }: EntryFilter): Section[] {
  const { storage } = context
  const { account, kind, key, person, value, setBy } = filter
  const sections: Section[] = [
    {
      prefix: '',
      async read(place, limit) {
        const rows = await storage.budgets.page(filter, numbered(place), limit)
        return { entries: rows.map(budgetEntry), next: lastOf(rows, limit, place, ({ id }) => [id]) }
      },
    },
  ]
  if (!hasCaps || account === null || value !== undefined) return sections
  const isOf = (name: string) => kind === undefined || kind === name
  if (isOf('account') && key === undefined && person === undefined && setBy !== 'holder')
    sections.push({ prefix: 'cap:account:', read: (place, limit) => accountCaps(context, account, place, limit) })
  if (isOf('member') && key === undefined && setBy !== 'operator')
    sections.push({
      prefix: 'cap:member:',
      async read(place, limit) {
        const members = await storage.members.capped(account, paired(place), limit)
        const caps = await Promise.all(members.map((each) => memberCap(each, context)))
        return { entries: present(caps), next: lastOf(members, limit, place, (each) => [each.account, each.person]) }
      },
    })
  if (isOf('key') && person === undefined)
    sections.push({
      prefix: 'cap:key:',
      async read(place, limit) {
        const of = { state: 'active', hasCap: true, ...(account === undefined ? {} : { account }) } as const
        const { rows, next } = await storage.lists.keys(of, numbered(place), limit)
        return { entries: present(rows.map(keyCap)), next: next === undefined ? undefined : [next] }
      },
    })
  return sections
}

async function accountCaps(
  { storage }: Stores,
  account: bigint | undefined,
  place: Place<Ids>,
  limit: number,
): Promise<Part> {
  const { after, before } = numbered(place)
  if (account === undefined) {
    const { rows, next } = await storage.lists.accounts({ hasCap: true }, numbered(place), limit, 'newest')
    return {
      entries: present(rows.map((each) => accountCap(each.account))),
      next: next === undefined ? undefined : [next],
    }
  }
  const isPast = (after !== undefined && account >= after) || (before !== undefined && account <= before)
  const found = isPast ? undefined : await storage.accounts.find(account)
  return { entries: present([found && accountCap(found)]), next: undefined }
}

/** Those with a cap. */
const present = (entries: readonly (Entry | undefined)[]): Entry[] => entries.filter((entry) => entry !== undefined)

const numbered = ({ after, before }: Place<Ids>): Place => ({
  ...(after === undefined ? {} : { after: after[0] ?? 0n }),
  ...(before === undefined ? {} : { before: before[0] ?? 0n }),
})
const pair = ([account = 0n, person = 0n]: Ids) => ({ account, person })
const paired = ({ after, before }: Place<Ids>) => ({
  ...(after === undefined ? {} : { after: pair(after) }),
  ...(before === undefined ? {} : { before: pair(before) }),
})

function lastOf<Row>(rows: readonly Row[], limit: number, { before }: Place<Ids>, idsOf: (row: Row) => Ids) {
  const last = before === undefined ? rows.at(-1) : rows[0]
  return rows.length < limit || last === undefined ? undefined : idsOf(last)
}

/** How much one page looks at, if it does not show all of it. */
const MOST_READS = 25
const AT_ONCE = 200

/** `next`: the id to read on from. A page may be short although there is more: it looks at a bounded number. */
export async function entryPage(
  context: Stores,
  filter: EntryFilter,
  { after, before }: Place<string>,
  limit: number,
  isShown: (entry: Entry) => boolean,
): Promise<{ entries: Entry[]; next: string | undefined }> {
  const isBackwards = before !== undefined
  const start = before ?? after
  const ordered = sectionsOf(context, filter)
  if (isBackwards) ordered.reverse()
  const first = start === undefined ? 0 : ordered.findIndex(({ prefix }) => prefix === prefixOf(start))
  const found: Entry[] = []
  const page = (next: string | undefined) => ({ entries: isBackwards ? found.reverse() : found, next })
  let reads = 0
  for (const [index, section] of ordered.slice(Math.max(first, 0)).entries()) {
    // A part that is read backwards from its end begins after the lowest id.
    let at: Ids | undefined = index === 0 && start !== undefined ? idsIn(start) : isBackwards ? [] : undefined
    do {
      const part = await section.read(at === undefined ? {} : isBackwards ? { before: at } : { after: at }, AT_ONCE)
      for (const entry of isBackwards ? part.entries.toReversed() : part.entries) {
        if (found.length === limit && isShown(entry)) return page(found.at(-1)?.id)
        if (isShown(entry)) found.push(entry)
      }
      at = part.next
      reads += 1
      if (at !== undefined && reads === MOST_READS) return page(section.prefix + at.join(':'))
    } while (at !== undefined)
  }
  return page(undefined)
}

const prefixOf = (id: string): string => id.replace(/\d+(?::\d+)?$/, '')
const idsIn = (id: string): Ids => (id.match(/\d+/g) ?? []).map(BigInt)
