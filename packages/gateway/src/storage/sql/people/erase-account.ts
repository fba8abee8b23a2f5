// The end of an account on both engines: its people, keys and sessions go, its money stays in the ledger.
import { sql } from 'kysely'

import {
  type Connection,
  type Database,
  incrementChangeCounter,
  required,
  type Statement,
  statement,
} from '../statements.ts'

export const erasureOver = ({ db, runner, clock }: Connection) => ({
  /**
   * Deletes its keys, sessions and members, and all of people who have no other account and no role; the account is named
   * `deleted account N`. Ledger and receipts stay; what they were for is
   * removed in the background. false: it is deleted already or, without `force`, has a balance or open holds.
   */
  async erase(account: bigint, { force }: { force: boolean }): Promise<boolean> {
    return (await runner.write(eraseAccount(db, account, force, clock()))) !== undefined
  },
})

/** The first statement locks the account: what is held cannot grow after it. */
const eraseAccount = (db: Database, account: bigint, force: boolean, now: number): Statement[] => {
  const ended = db
    .updateTable('account')
    .set({ name: `deleted account ${account}`, disabled: 1, disabled_reason: '', deleted_at: now })
    .where('id', '=', account)
    .where('deleted_at', 'is', null)
    .where((row) => row.not(row.exists(onlyHere(db, account, true))))
  const empty = force ? ended : ended.where('balance', '=', 0n).where('held', '=', 0n)
  return [
    required(empty.returning('id')),
    statement(
      db
        .updateTable('api_key')
        .set((row) => ({
          name: 'deleted key',
          deleted: 1,
          former_hash: null,
          former_until: null,
          networks: null,
          revision: row('revision', '+', 1n),
        }))
        .where('account', '=', account),
    ),
    // Before the members are removed, who say which people these are.
    ...(['recovery_code', 'preference', 'link', 'session', 'credential', 'identity'] as const).map((table) =>
      statement(db.deleteFrom(table).where('person', 'in', onlyHere(db, account))),
    ),
    statement(
      db
        .updateTable('person')
        .set({ email: sql<string>`'deleted person ' || CAST(id AS text)`, disabled: 1, proved_at: null })
        .where('id', 'in', onlyHere(db, account)),
    ),
    statement(db.deleteFrom('session').where('account', '=', account)),
    statement(
      db.updateTable('invitation').set({ ended_at: now }).where('account', '=', account).where('ended_at', 'is', null),
    ),
    statement(db.updateTable('budget').set({ value: null, text: '', deleted_at: now }).where('account', '=', account)),
    statement(
      db
        .insertInto('attribution_removal')
        .values({ account, done_to: 0n })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    ...(['account_note', 'notice_webhook', 'notice_mark'] as const).map((table) =>
      statement(db.deleteFrom(table).where('account', '=', account)),
    ),
    // What waits is not sent, and nothing names anybody any more.
    statement(db.deleteFrom('notice_delivery').where('account', '=', account)),
    statement(db.deleteFrom('notice').where('account', '=', account)),
    statement(db.deleteFrom('member').where('account', '=', account)),
    incrementChangeCounter(db),
  ]
}

/** People who are members of no other account, and who have a role in the gateway or none. */
const onlyHere = (db: Database, account: bigint, hasRole = false) =>
  db
    .selectFrom('member')
    .innerJoin('person as one', 'one.id', 'member.person')
    .select('member.person')
    .where('member.account', '=', account)
    .where('one.role', hasRole ? 'is not' : 'is', null)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('member as other')
            .select('other.account')
            .whereRef('other.person', '=', 'member.person')
            .where('other.account', '<>', account),
        ),
      ),
    )
