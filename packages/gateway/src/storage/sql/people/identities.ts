// Identities on both engines.
import { type GivenBySignIn, type Identity, type IdentityName, toIdentity } from '../../people/identities.ts'
import { checkIdentity, checkText } from '../guard.ts'
import { type Row, text } from '../rows.ts'
import { type Connection, type Database, incrementChangeCounter, required, statement } from '../statements.ts'
import { changeRole, endAccess } from './people.ts'

export const identitiesOver = ({ db, runner, clock }: Connection) => ({
  async find(name: IdentityName): Promise<Identity | undefined> {
    const [row] = await runner.read(statement(identity(db, checkIdentity(name)).selectAll()))
    return row && toIdentity(row)
  },
  /** false: the person's address is not proved, or somebody has this identity. */
  async bind(name: IdentityName, person: bigint): Promise<boolean> {
    const { issuer, subject } = checkIdentity(name)
    const proved = db
      .selectFrom('person')
      .select((row) => [row.val(issuer).as('issuer'), row.val(subject).as('subject'), 'id', row.val(clock()).as('at')])
      .where('id', '=', person)
      .where('proved_at', 'is not', null)
    const insert = db
      .insertInto('identity')
      .columns(['issuer', 'subject', 'person', 'created_at'])
      .expression(proved)
      .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    return (await runner.write([required(insert.returning('person'))])) !== undefined
  },
  /** Whether an owner of the gateway who is not disabled has an identity at one of these providers. */
  async hasOwner(issuers: readonly string[]): Promise<boolean> {
    if (issuers.length === 0) return false
    const owner = db
      .selectFrom('person')
      .innerJoin('identity', 'identity.person', 'person.id')
      .select('person.id')
      .where('person.role', '=', 'owner')
      .where('person.disabled', '=', 0)
      .where('identity.issuer', 'in', issuers)
      .limit(1)
    return (await runner.read(statement(owner))).length > 0
  },
  /** All of it at once. false: the person is the last owner, and would not be one any more. */
  async refresh(
    { issuer, subject, ...before }: Identity,
    { role, keptRole, groups, person }: GivenBySignIn,
  ): Promise<boolean> {
    for (const group of groups) checkText('group', group)
    const set = db
      .updateTable('identity')
      .set({ role: role ?? null, kept_role: keptRole ?? null, price_groups: JSON.stringify(groups) })
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
    const changesGroups = JSON.stringify(groups) !== JSON.stringify(before.groups)
    const rows = await runner.write([
      ...(person === undefined ? [] : changeRole(db, before.person, person.role)),
      required(set.returning('person')),
      ...(person?.endsAccess ? endAccess(db, before.person) : []),
      ...(changesGroups ? [incrementChangeCounter(db)] : []),
    ])
    return rows !== undefined
  },
})

const identity = (db: Database, { issuer, subject }: IdentityName) =>
  db.selectFrom('identity').where('issuer', '=', issuer).where('subject', '=', subject)

export const toGroups = (row: Row): string[] => JSON.parse(text(row.price_groups)) as string[]
