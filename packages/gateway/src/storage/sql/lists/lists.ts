// Pages over all accounts on both engines: accounts, keys and people. Requests and transfers: request-lists.ts.
import { sql } from 'kysely'
import type { AuditRow } from '../../console/audit-log.ts'
import type {
  AccountFilter,
  AccountOrder,
  ListedAccount,
  ListedAuditFilter,
  ListedKeyFilter,
  ListedPerson,
  PersonFilter,
} from '../../console/lists.ts'
import type { Page, Place } from '../../console/pages.ts'
import type { Key } from '../../keys.ts'
import type { MemberRole } from '../../people/members.ts'
import { toPerson } from '../../people/people.ts'
import { listAuditLog } from '../console/audit-log.ts'
import { checkText, normaliseEmail } from '../guard.ts'
import { membersOf, toMember } from '../people/members.ts'
import { integer, type Row, text, toAccount, toCap, toKey } from '../rows.ts'
import { ACCOUNT, type Connection, KEY, PERSON, SPENT, statement } from '../statements.ts'
import { accountActivityOver, accountsByValue } from './account-activity.ts'
import { beginsWith, type Condition, columnsOf, contains, present, readIdPage } from './pages.ts'
import { requestListsOver } from './request-lists.ts'

/** Keys that are looked for by what neither engine can compare alike are read whole. */
const MOST_COMPARED = 5_000
/** Keys that one page looks at; a filter that few of them match takes a tenth of a second. */
const MOST_KEYS_READ = 100_000
const MOST_ACCOUNTS_READ = 20_000
const ACCOUNTS = {
  table: 'account',
  columns: columnsOf('account', ACCOUNT),
  where: [],
  mostRead: MOST_ACCOUNTS_READ,
} as const

export function listsOver(connection: Connection) {
  const { db, runner, clock } = connection
  return {
    ...requestListsOver(connection),
    ...accountActivityOver(connection),
    async accounts(
      filter: AccountFilter,
      place: Place,
      limit: number,
      order: AccountOrder = 'oldest',
    ): Promise<Page<ListedAccount>> {
      const filters = accountConditions(filter)
      const page = await (order === 'oldest' || order === 'newest'
        ? readIdPage(connection, { ...ACCOUNTS, order, filters }, place, limit)
        : accountsWith(await accountsByValue(connection, order, filters, place, limit)))
      const now = clock()
      const accounts = page.rows.map((row) => toAccount(row, now))
      const members = Map.groupBy(await membersOfAll(accounts.map(({ id }) => id)), ({ account }) => account)
      return { rows: accounts.map((account) => ({ account, members: members.get(account.id) ?? [] })), next: page.next }
    },
    /** Oldest first. */
    async people(filter: PersonFilter, place: Place, limit: number): Promise<Page<ListedPerson>> {
      const columns = columnsOf('person', PERSON)
      const list = { table: 'person', order: 'oldest', columns, where: [], filters: personConditions(filter) } as const
      const page = await readIdPage(connection, list, place, limit)
      const accounts = Map.groupBy(await accountsOfAll(page.rows), ({ person }) => person)
      const withFactor = await withSecondFactor(page.rows)
      const rows = page.rows.map((row): ListedPerson => {
        const person = toPerson(row)
        return { person, accounts: accounts.get(person.id) ?? [], hasSecondFactor: withFactor.has(person.id) }
      })
      return { rows, next: page.next }
    },
    /** Newest first. */
    keys,
    /** Newest first. */
    auditLog: (filter: ListedAuditFilter, place: Place, limit: number): Promise<Page<AuditRow>> =>
      listAuditLog(connection, filter, place, limit),
  }

  async function accountsWith({ rows: ids, next }: Page<bigint>): Promise<Page<Row>> {
    if (ids.length === 0) return { rows: [], next }
    const rows = await runner.readLedger(statement(db.selectFrom('account').select(ACCOUNT).where('id', 'in', ids)))
    const places = new Map(ids.map((id, place) => [id, place]))
    const placeOf = ({ id }: Row) => places.get(integer(id)) ?? 0
    return { rows: rows.toSorted((one, other) => placeOf(one) - placeOf(other)), next }
  }

  async function membersOfAll(accounts: readonly bigint[]) {
    if (accounts.length === 0) return []
    return (await runner.read(statement(membersOf(db).where('member.account', 'in', accounts)))).map(toMember)
  }

  async function accountsOfAll(people: readonly Row[]) {
    if (people.length === 0) return []
    const query = db
      .selectFrom('member')
      .innerJoin('account', 'account.id', 'member.account')
      .select(['member.person', 'member.role', 'account.id', 'account.name'])
      .where(
        'member.person',
        'in',
        people.map(({ id }) => integer(id)),
      )
      .orderBy('account.id')
    return (await runner.read(statement(query))).map((row) => ({
      person: integer(row.person),
      account: integer(row.id),
      name: text(row.name),
      role: row.role as MemberRole,
    }))
  }

  async function withSecondFactor(people: readonly Row[]): Promise<ReadonlySet<bigint>> {
    if (people.length === 0) return new Set()
    const ids = people.map(({ id }) => integer(id))
    const query = db.selectFrom('credential').select('person').where('person', 'in', ids)
    const rows = await runner.read(statement(query.where('totp_secret', 'is not', null)))
    return new Set(rows.map(({ person }) => integer(person)))
  }

  async function keys(filter: ListedKeyFilter, place: Place, limit: number): Promise<Page<Key>> {
    const { account, group, lastFour, name, capUsed } = filter
    const where = present(
      account === undefined ? undefined : sql`account = ${account}`,
      group === undefined ? undefined : sql`group_name = ${checkText('group', group)}`,
      lastFour === undefined ? undefined : sql`last_four = ${checkText('lastFour', lastFour)}`,
    )
    const filters = keyConditions(filter, clock())
    const list = { table: 'api_key', order: 'newest', columns: columnsOf('api_key', KEY) } as const
    const page = await (name || capUsed !== undefined
      ? keysThat(matching(filter, clock()), { ...list, where, filters, mostRead: MOST_KEYS_READ }, place, limit)
      : readIdPage(connection, { ...list, where, filters, mostRead: MOST_KEYS_READ }, place, limit))
    const now = clock()
    return { rows: page.rows.map((row) => toKey(row, now)), next: page.next }
  }

  async function keysThat(
    matches: (row: Row) => boolean,
    list: Parameters<typeof readIdPage>[1],
    place: Place,
    limit: number,
  ): Promise<Page<Row>> {
    const compared = { ...list, columns: columnsOf('api_key', COMPARED) }
    const read = await readIdPage(connection, compared, place, MOST_COMPARED)
    const isBackwards = place.before !== undefined
    const found = read.rows.filter(matches).map(({ id }) => integer(id))
    const ids = isBackwards ? found.slice(-limit) : found.slice(0, limit)
    const next = found.length > limit ? (isBackwards ? ids[0] : ids.at(-1)) : read.next
    if (ids.length === 0) return { rows: [], next }
    const query = db.selectFrom('api_key').select(KEY).where('id', 'in', ids).orderBy('id', 'desc')
    return { rows: await runner.readLedger(statement(query)), next }
  }
}

const COMPARED = ['id', 'name', 'cap', 'cap_period', 'spent', ...SPENT] as const

/** Neither engine folds the case of all letters as the other does, and what a cap covers depends on the time. */
function matching({ name, capUsed }: ListedKeyFilter, now: number): (row: Row) => boolean {
  const part = foldName(checkText('name', name ?? ''))
  return (row) => {
    if (!foldName(text(row.name)).includes(part)) return false
    if (capUsed === undefined) return true
    const { cap, spentUnderCap } = toCap(row, now)
    return cap !== undefined && spentUnderCap * 100n >= cap * BigInt(capUsed)
  }
}

export const foldName = (name: string): string => name.normalize('NFC').toLowerCase()

function accountConditions({ state, email, name, search, hasCap }: AccountFilter): Condition[] {
  const member = (condition: Condition) => sql`EXISTS (SELECT 1 FROM member JOIN person ON person.id = member.person
    WHERE member.account = account.id AND ${condition})`
  const has = (part: string) =>
    sql.join(
      present(
        contains('account.name', part),
        member(contains('person.email', part)),
        /^\d{1,18}$/.test(part) ? sql`account.id = ${BigInt(part)}` : undefined,
      ),
      sql` OR `,
    )
  return present(
    state === 'active' ? sql`disabled = 0` : undefined,
    state === 'disabled' ? sql`disabled = 1 AND deleted_at IS NULL` : undefined,
    state === 'deleted' ? sql`deleted_at IS NOT NULL` : undefined,
    name === undefined ? undefined : beginsWith('account.name', checkText('name', name)),
    email === undefined ? undefined : member(beginsWith('person.email', normaliseEmail(email))),
    search === undefined ? undefined : sql`(${has(checkText('search', search))})`,
    hasCap ? sql`cap IS NOT NULL` : undefined,
  )
}

const personConditions = ({ role, email, disabled }: PersonFilter): Condition[] =>
  present(
    role === null ? sql`role IS NULL` : undefined,
    role === 'any' ? sql`role IS NOT NULL` : undefined,
    role === undefined || role === null || role === 'any' ? undefined : sql`role = ${role}`,
    email === undefined ? undefined : beginsWith('person.email', normaliseEmail(email)),
    disabled === undefined ? undefined : sql`disabled = ${disabled ? 1 : 0}`,
  )

function keyConditions(filter: ListedKeyFilter, now: number): Condition[] {
  const { state, search, maker, makerKey, unusedSince, isUnused, hasCap, hasExpiry, capUsed } = filter
  const unused = (since: number) => sql`created_at < ${since} AND spent_at < ${since} AND NOT EXISTS (
    SELECT 1 FROM daily_key_spending WHERE key = api_key.id AND day >= ${since - (since % DAY_MS)} AND last_at >= ${since})`
  return present(
    state === 'deleted' ? sql`deleted = 1` : undefined,
    state === 'expired' ? sql`deleted = 0 AND expires_at <= ${now}` : undefined,
    state === 'active' ? sql`deleted = 0 AND (expires_at IS NULL OR expires_at > ${now})` : undefined,
    maker === undefined ? undefined : sql`(person = ${maker} OR operator_person = ${maker})`,
    makerKey === undefined ? undefined : sql`operator_key = ${makerKey}`,
    unusedSince === undefined ? undefined : unused(unusedSince),
    isUnused === undefined ? undefined : sql`${sql.raw(isUnused ? 'NOT' : '')} EXISTS (${USE})`,
    hasCap === undefined ? undefined : isSet('cap', hasCap),
    hasExpiry === undefined ? undefined : isSet('expires_at', hasExpiry),
    capUsed === undefined ? undefined : sql`cap IS NOT NULL`,
    search === undefined ? undefined : namedOrEnding(checkText('search', search)),
  )
}

/** The last four characters of a secret are those of one key: their case counts. */
const namedOrEnding = (search: string): Condition =>
  sql`(${contains('api_key.name', search)} OR api_key.last_four = ${search})`

const USE = sql`SELECT 1 FROM daily_key_spending WHERE key = api_key.id`

const isSet = (column: 'cap' | 'expires_at', set: boolean): Condition =>
  sql`${sql.ref(column)} IS ${sql.raw(set ? 'NOT NULL' : 'NULL')}`

const DAY_MS = 86_400_000
