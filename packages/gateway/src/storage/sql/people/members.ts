// Members of accounts on both engines.

import { type Period, spentIn } from '../../../money/limits.ts'
import type { Holder } from '../../accounts.ts'
import type { Member, MemberCap, MemberRole, Members } from '../../people/members.ts'
import { checkCap } from '../guard.ts'
import { ACCOUNT_PREFIX, integer, type Row, text, toAccount, toSpent, withPrefix } from '../rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  incrementChangeCounter,
  prefixed,
  required,
  type Statement,
  statement,
} from '../statements.ts'
import { toGroups } from './identities.ts'

export function membersOver({ db, runner, clock }: Connection): Members {
  return {
    async set(account, person, role) {
      const done = await runner.write([setMember(db, account, person, role, clock()), incrementChangeCounter(db)])
      if (done) return 'done'
      const unproved = db.selectFrom('person').select('id').where('id', '=', person).where('proved_at', 'is', null)
      return (await runner.read(statement(unproved))).length > 0 ? 'unproved' : 'unknown'
    },
    async remove(account, person, { keepsKeys } = { keepsKeys: false }) {
      const member = db.deleteFrom('member').where('account', '=', account).where('person', '=', person)
      const sessions = db.deleteFrom('session').where('account', '=', account).where('person', '=', person)
      const removed = await runner.write([
        required(member.returning('person')),
        statement(sessions),
        ...(keepsKeys ? [] : [revokeKeys(db, account, person)]),
        incrementChangeCounter(db),
      ])
      return removed !== undefined
    },
    async setCap(account, person, cap) {
      checkCap(cap ?? {})
      const set = db
        .updateTable('member')
        .set({ cap: cap?.cap ?? null, cap_period: cap?.capPeriod ?? null })
        .where('account', '=', account)
        .where('person', '=', person)
        .where('role', '=', 'member')
      return (await runner.write([required(set.returning('person')), incrementChangeCounter(db)])) !== undefined
    },
    async standing(account, person) {
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
    async list(account) {
      return (await runner.read(statement(membersOf(db).where('member.account', '=', account)))).map(toMember)
    },
    async accountsOf(person) {
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

const NO_CAP = { cap: null, cap_period: null }

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

/** The values come from the rows that they name, so that there are none without them. */
const setMember = (db: Database, account: bigint, person: bigint, role: MemberRole, now: number): Statement =>
  required(
    db
      .insertInto('member')
      .columns(['account', 'person', 'role', 'created_at'])
      .expression(
        db
          .selectFrom('account')
          .innerJoin('person', (join) => join.on('person.id', '=', person))
          .select((row) => ['account.id', 'person.id as person', row.val(role).as('role'), row.val(now).as('at')])
          .where('account.id', '=', account)
          .where('person.proved_at', 'is not', null),
      )
      .onConflict((conflict) =>
        conflict.columns(['account', 'person']).doUpdateSet({ role, ...(role === 'owner' ? NO_CAP : {}) }),
      )
      .returning('person'),
  )

/** The key of the playground stays: its secret never leaves the gateway. */
const revokeKeys = (db: Database, account: bigint, person: bigint): Statement =>
  statement(
    db
      .updateTable('api_key')
      .set({ deleted: 1 })
      .where('account', '=', account)
      .where('person', '=', person)
      .where('purpose', '=', 'client'),
  )

export const membersOf = (db: Database) =>
  db
    .selectFrom('member')
    .innerJoin('person', 'person.id', 'member.person')
    .select(['member.account', 'member.person', 'person.email', 'member.role', 'member.cap', 'member.cap_period'])
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
  cap: toCap(row),
})

const toCap = ({ cap, cap_period }: Row): MemberCap | undefined =>
  cap === null ? undefined : { cap: integer(cap), capPeriod: cap_period as Period }
