// Members of accounts on both engines.

import type { Nanos } from '../../../money/amount.ts'
import { joinTags, splitTags } from '../../../money/budgets/attribution.ts'
import { type Period, spentIn } from '../../../money/limits.ts'
import type { Holder } from '../../accounts.ts'
import type { Place } from '../../console/pages.ts'
import type { Member, MemberCap, MemberId, MemberRole, MemberStanding, Membership } from '../../people/members.ts'
import type { GatewayRole } from '../../people/people.ts'
import { checkCap, checkText, normaliseEmail } from '../guard.ts'
import { ACCOUNT_PREFIX, flag, integer, optional, type Row, text, toAccount, toSpent, withPrefix } from '../rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  idOf,
  incrementChangeCounter,
  prefixed,
  required,
  SPENT,
  type Statement,
  statement,
} from '../statements.ts'
import { toGroups } from './identities.ts'
import { newPerson, THE_PERSON } from './new-account.ts'
import { takenAddress } from './registration.ts'

export function membersOver({ db, runner, clock }: Connection) {
  return {
    /**
     * Also changes the role of a member; an owner has no cap. `person`: the address of one who is not known yet is entered. `cap`: absent:
     * as it is; the same of `tags`. `byOperator`: of a new member. `unproved`: the address may be another person's, who would then get the account. `unknown`: there is no such account or
     * person, or another one has the address now.
     */
    async set(
      account: bigint,
      person: bigint | { email: string },
      role: MemberRole,
      options: { cap?: MemberCap | undefined; tags?: readonly string[] | undefined; byOperator?: boolean } = {},
    ): Promise<'done' | 'unproved' | 'unknown'> {
      const { cap, tags, byOperator = false } = options
      if (cap) checkCap(cap)
      if (tags) checkText('tags', joinTags(tags))
      const now = clock()
      const isNew = typeof person === 'object'
      const entered = isNew
        ? [
            takenAddress(db, person.email, now),
            ...newPerson(db, { email: normaliseEmail(person.email), password: undefined, isProved: true }, now),
          ]
        : []
      const id = isNew ? idOf(THE_PERSON) : person
      const terms = {
        ...('cap' in options ? capColumns(cap) : {}),
        ...(tags === undefined ? {} : { tags: joinTags(tags) }),
      }
      const member = setMember(db, { account, person: id, role, ...terms }, now, { byOperator })
      if (await runner.write([...entered, member, incrementChangeCounter(db)])) return 'done'
      if (isNew) return 'unknown'
      const unproved = db.selectFrom('person').select('id').where('id', '=', person).where('proved_at', 'is', null)
      return (await runner.read(statement(unproved))).length > 0 ? 'unproved' : 'unknown'
    },
    /** Ends the person's sessions in the account and, unless they are kept, deletes the keys that the person made. false: no such member. */
    async remove(
      account: bigint,
      person: bigint,
      { keepsKeys }: { keepsKeys: boolean } = { keepsKeys: false },
    ): Promise<boolean> {
      const member = db.deleteFrom('member').where('account', '=', account).where('person', '=', person)
      const sessions = db.deleteFrom('session').where('account', '=', account).where('person', '=', person)
      const removed = await runner.write([
        required(member.returning('person')),
        statement(sessions),
        ...(keepsKeys ? [] : [revokeKeys(db, account, person)]),
        rejectTokens(db, account, person),
        incrementChangeCounter(db),
      ])
      return removed !== undefined
    },
    /** undefined removes the cap. false: no such member, or an owner. */
    async setCap(account: bigint, person: bigint, cap: MemberCap | undefined): Promise<boolean> {
      checkCap(cap ?? {})
      const set = db
        .updateTable('member')
        .set(capColumns(cap))
        .where('account', '=', account)
        .where('person', '=', person)
        .where('role', '=', 'member')
      return (await runner.write([required(set.returning('person')), incrementChangeCounter(db)])) !== undefined
    },
    /** undefined: the person has no cap in the account. */
    async standing(account: bigint, person: bigint): Promise<MemberStanding | undefined> {
      const now = clock()
      const rows = await runner.readLedger(keysUnderCap(db, account, person))
      const cap = rows[0] && toCap(rows[0])
      if (cap === undefined) return undefined
      const standing = { cap: cap.cap, capPeriod: cap.capPeriod, spentUnderCap: 0n, held: 0n }
      for (const row of rows.filter(({ held }) => held !== null)) {
        standing.spentUnderCap += spentIn(toSpent(row), cap.capPeriod, now)
        standing.held += integer(row.held)
      }
      return standing
    },
    /** What the people of the account spent with the keys that they made there, deleted keys included. */
    async spent(account: bigint): Promise<ReadonlyMap<bigint, { inAll: Nanos; thisMonth: Nanos }>> {
      const now = clock()
      const sums = new Map<bigint, { inAll: Nanos; thisMonth: Nanos }>()
      for (const row of await runner.readLedger(keysOfPeople(db, account))) {
        const { inAll, thisMonth } = sums.get(integer(row.person)) ?? { inAll: 0n, thisMonth: 0n }
        sums.set(integer(row.person), {
          inAll: inAll + integer(row.spent),
          thisMonth: thisMonth + spentIn(toSpent(row), 'month', now),
        })
      }
      return sums
    },
    /** The members of the account, in the order in which they joined. */
    async list(account: bigint): Promise<Member[]> {
      return (await runner.read(statement(membersOf(db).where('member.account', '=', account)))).map(toMember)
    },
    /** Those with a cap: of this account, or of all; the highest ids first. */
    async capped(account: bigint | undefined, { after, before }: Place<MemberId>, limit: number): Promise<Member[]> {
      const isBackwards = before !== undefined
      const direction = isBackwards ? 'asc' : 'desc'
      let query = membersOf(db)
        .clearOrderBy()
        .where('member.cap', 'is not', null)
        .orderBy('member.account', direction)
        .orderBy('member.person', direction)
        .limit(limit)
      if (account !== undefined) query = query.where('member.account', '=', account)
      const start = before ?? after
      const beyond = isBackwards ? '>' : '<'
      if (start !== undefined)
        query = query.where((row) =>
          row.or([
            row('member.account', beyond, start.account),
            row.and([row('member.account', '=', start.account), row('member.person', beyond, start.person)]),
          ]),
        )
      const rows = (await runner.readPage(statement(query))).map(toMember)
      return isBackwards ? rows.reverse() : rows
    },
    /** Oldest account first. */
    async accountsOf(person: bigint): Promise<Membership[]> {
      const now = clock()
      const rows = await runner.readLedger(accountsOf(db, person))
      return rows.map((row) => ({
        account: toAccount(withPrefix(row, ACCOUNT_PREFIX), now),
        role: row.role as MemberRole,
      }))
    },
  }
}

/** Read apart from the caller, since most keys have a group that the operator chose. */
export async function findHolder({ db, runner }: Connection, account: bigint): Promise<Holder> {
  const owners = membersOf(db)
    .where('member.account', '=', account)
    .where('member.role', '=', 'owner')
    .where('person.proved_at', 'is not', null)
  const rows = await runner.read(statement(owners))
  const groups = rows.length === 0 ? [] : await runner.read(groupsOfOwners(db, account))
  return { account, emails: rows.map(({ email }) => text(email)), groups: groups.flatMap(toGroups) }
}

const groupsOfOwners = (db: Database, account: bigint): Statement =>
  statement(
    db
      .selectFrom('member')
      .innerJoin('identity', 'identity.person', 'member.person')
      .select('identity.price_groups')
      .where('member.account', '=', account)
      .where('member.role', '=', 'owner'),
  )

type CapColumns = { cap: Nanos | null; cap_period: Period | null }
const capColumns = (cap: MemberCap | undefined): CapColumns => ({
  cap: cap?.cap ?? null,
  cap_period: cap?.capPeriod ?? null,
})

/** At least one row, if the person is a member. */
const keysUnderCap = (db: Database, account: bigint, person: bigint): Statement =>
  statement(
    db
      .selectFrom('member')
      .leftJoin('api_key', (join) =>
        join.onRef('api_key.account', '=', 'member.account').onRef('api_key.person', '=', 'member.person'),
      )
      .select(['member.cap', 'member.cap_period', 'held', 'spent_at', 'spent_day', 'week_before', 'month_before'])
      .where('member.account', '=', account)
      .where('member.person', '=', person),
  )

const keysOfPeople = (db: Database, account: bigint): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .select(['person', 'spent', ...SPENT])
      .where('account', '=', account)
      .where('person', 'is not', null),
  )

/** The values come from the rows that they name, so that there are none without them. */
export function setMember(
  db: Database,
  {
    account,
    person,
    ...columns
  }: { account: bigint; person: bigint; role: MemberRole; tags?: string } & Partial<CapColumns>,
  now: number,
  { needsProof = true, byOperator = false }: { needsProof?: boolean; byOperator?: boolean } = {},
): Statement {
  const changed = { ...columns, ...(columns.role === 'owner' ? capColumns(undefined) : {}) }
  const names = Object.keys(changed) as (keyof typeof changed)[]
  return required(
    db
      .insertInto('member')
      .columns(['account', 'person', 'created_at', 'by_operator', ...names])
      .expression(
        db
          .selectFrom('account')
          .innerJoin('person', (join) => join.on('person.id', '=', person))
          .select((row) => [
            'account.id',
            'person.id as person',
            row.val(now).as('at'),
            row.val(byOperator ? 1 : 0).as('by_operator'),
            ...names.map((name) => row.val(changed[name] ?? null).as(name)),
          ])
          .where('account.id', '=', account)
          .$if(needsProof, (row) => row.where('person.proved_at', 'is not', null)),
      )
      .onConflict((conflict) => conflict.columns(['account', 'person']).doUpdateSet(changed))
      .returning('person'),
  )
}

/** The key of the playground stays: its secret never leaves the gateway. */
const revokeKeys = (db: Database, account: bigint, person: bigint): Statement =>
  statement(
    db
      .updateTable('api_key')
      .set({ deleted: 1 })
      .where('account', '=', account)
      .where('person', '=', person)
      .where('purpose', '=', 'client')
      .where('company_token', '=', 0),
  )

/** A new revision makes the ledger reject what nodes have cached; the key itself works again once the person is a member again. */
const rejectTokens = (db: Database, account: bigint, person: bigint): Statement =>
  statement(
    db
      .updateTable('api_key')
      .set((row) => ({ revision: row('revision', '+', 1n) }))
      .where('account', '=', account)
      .where('person', '=', person)
      .where('company_token', '=', 1),
  )

export const membersOf = (db: Database) =>
  db
    .selectFrom('member')
    .innerJoin('person', 'person.id', 'member.person')
    .select([
      ...(['member.account', 'member.person', 'person.email', 'member.role'] as const),
      ...([
        'person.role as gateway_role',
        'member.by_operator',
        'member.cap',
        'member.cap_period',
        'member.tags',
      ] as const),
    ])
    .orderBy('member.account')
    .orderBy('member.created_at')
    .orderBy('member.person')

const accountsOf = (db: Database, person: bigint): Statement =>
  statement(
    db
      .selectFrom('member')
      .innerJoin('account', 'account.id', 'member.account')
      .select([...prefixed('account', ACCOUNT_PREFIX, ACCOUNT), 'member.role'])
      .where('member.person', '=', person)
      .orderBy('account.id'),
  )

export const toMember = (row: Row): Member => ({
  account: integer(row.account),
  person: integer(row.person),
  email: text(row.email),
  role: row.role as MemberRole,
  gatewayRole: optional(row.gateway_role, (role) => role as GatewayRole),
  byOperator: flag(row.by_operator),
  cap: toCap(row),
  tags: splitTags(text(row.tags)),
})

const toCap = ({ cap, cap_period }: Row): MemberCap | undefined =>
  cap === null ? undefined : { cap: integer(cap), capPeriod: cap_period as Period }
