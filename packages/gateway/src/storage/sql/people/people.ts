// People on both engines.

import { MAX_AMOUNT } from '../../../money/amount.ts'
import type { GatewayRole, Person, Preferences } from '../../people/people.ts'
import { toPerson } from '../../people/people.ts'
import { checkText, normaliseEmail } from '../guard.ts'
import { toKinds } from '../notices/notices.ts'
import { integer, optional, text } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  PERSON,
  required,
  type Statement,
  statement,
} from '../statements.ts'
import { endPasswordLinks } from './links.ts'
import { newPerson } from './new-account.ts'
import { takenAddress } from './registration.ts'
import { endSessions } from './sessions.ts'

export function peopleOver(connection: Connection) {
  const { db, runner, clock } = connection
  return {
    ...preferencesOver(connection),
    /** Entered by an operator, without an account. undefined: a person has this address. `password`: its hash. */
    async create(email: string, password?: string): Promise<Person | undefined> {
      const hash = password === undefined ? undefined : checkText('password', password)
      const person = { email: normaliseEmail(email), password: hash, isProved: true }
      const now = clock()
      const [, created] = (await runner.write([takenAddress(db, email, now), ...newPerson(db, person, now)])) ?? []
      return created?.[0] && toPerson(created[0])
    },
    async find(email: string): Promise<Person | undefined> {
      const query = db.selectFrom('person').select(PERSON).where('email', '=', normaliseEmail(email))
      const [row] = await runner.read(statement(query))
      return row && toPerson(row)
    },
    async findById(person: bigint): Promise<Person | undefined> {
      const [row] = await runner.read(statement(db.selectFrom('person').select(PERSON).where('id', '=', person)))
      return row && toPerson(row)
    },
    /** Addresses; those of people who do not exist are missing. */
    async names(people: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
      if (people.length === 0) return new Map()
      const query = db.selectFrom('person').select(['id', 'email']).where('id', 'in', people)
      return new Map((await runner.read(statement(query))).map(({ id, email }) => [integer(id), text(email)]))
    },
    /** All people, oldest first. */
    async list(): Promise<Person[]> {
      const [rows = []] = await runner.readSlowly([statement(db.selectFrom('person').select(PERSON).orderBy('id'))])
      return rows.map(toPerson)
    },
    /**
     * `endsAccess`: also ends all sessions, and makes links useless that set a password: they may be in the hands of somebody who may not
     * have the new role. false: the person is the last owner who is not disabled, however many are changed at once.
     */
    async setRole(
      person: bigint,
      role: GatewayRole | undefined,
      { endsAccess }: { endsAccess: boolean } = { endsAccess: false },
    ): Promise<boolean> {
      const ended = endsAccess ? endAccess(db, person) : []
      return (await runner.write([...changeRole(db, person, role), ...ended])) !== undefined
    },
    /** Also ends all sessions of a person who is disabled. false: as for roles. */
    async setDisabled(person: bigint, disabled: boolean): Promise<boolean> {
      const rows = await runner.write([
        incrementChangeCounter(db),
        changed(db, person, { disabled: disabled ? 1 : 0 }, disabled),
        // A new revision makes the ledger reject what nodes have cached of the keys: none of them pays for anything from now on.
        statement(
          db
            .updateTable('api_key')
            .set((row) => ({ revision: row('revision', '+', 1n) }))
            .where('person', '=', person),
        ),
        ...(disabled ? [endSessions(db, person)] : []),
      ])
      return rows !== undefined
    },
  }
}

/** No row: the person is the last owner. */
export const changeRole = (db: Database, person: bigint, role: GatewayRole | undefined): Statement[] => [
  incrementChangeCounter(db),
  changed(db, person, { role: role ?? null }, role !== 'owner'),
]

/** A new role must not be carried by sessions and links from before it, which others may have got. `keep`: a session that goes on. */
export const endAccess = (db: Database, person: bigint, keep?: bigint): Statement[] => [
  endSessions(db, person, keep),
  endPasswordLinks(db, person),
]

/**
 * `takesOwner`: another owner must stay. The change counter is written first: its row is a lock, so that of two owners who take each other's
 * role at once, the second one sees what the first one did.
 */
function changed(
  db: Database,
  person: bigint,
  columns: { role: string | null } | { disabled: number },
  takesOwner: boolean,
): Statement {
  const change = db.updateTable('person').set(columns).where('id', '=', person)
  if (!takesOwner) return required(change.returning('id'))
  const others = db
    .selectFrom('person as other')
    .select('other.id')
    .where('other.role', '=', 'owner')
    .where('other.disabled', '=', 0)
    .where('other.id', '!=', person)
  const kept = change.where((row) =>
    row.or([row('role', 'is', null), row('role', '!=', 'owner'), row('disabled', '=', 1), row.exists(others)]),
  )
  return required(kept.returning('id'))
}

/** What people have chosen in the console, on both engines. */
const preferencesOver = ({ db, runner }: Connection) => ({
  async preferences(person: bigint): Promise<Preferences> {
    const query = db
      .selectFrom('preference')
      .select(['low_balance', 'language', 'notices'])
      .where('person', '=', person)
    const [row] = await runner.read(statement(query))
    return {
      lowBalance: optional(row?.low_balance, integer),
      language: optional(row?.language, text),
      notices: optional(row?.notices, toKinds),
    }
  },
  /** Writes only the fields that are present. */
  async setPreferences(person: bigint, changes: Partial<Preferences>): Promise<void> {
    const columns = toColumns(changes)
    if (Object.keys(columns).length === 0) return
    const insert = db.insertInto('preference').values({ person, low_balance: null, language: null, ...columns })
    await runner.write([statement(insert.onConflict((conflict) => conflict.column('person').doUpdateSet(columns)))])
  },
})

function toColumns(changes: Partial<Preferences>) {
  const { lowBalance, language, notices } = changes
  if (lowBalance !== undefined && (lowBalance < 0n || lowBalance > MAX_AMOUNT))
    throw new RangeError(`lowBalance: ${lowBalance} is outside 0..${MAX_AMOUNT}`)
  if (language !== undefined) checkText('language', language)
  return {
    ...('lowBalance' in changes ? { low_balance: lowBalance ?? null } : {}),
    ...('language' in changes ? { language: language ?? null } : {}),
    ...('notices' in changes ? { notices: notices === undefined ? null : JSON.stringify(notices) } : {}),
  }
}
