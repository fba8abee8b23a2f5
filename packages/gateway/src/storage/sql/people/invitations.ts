// Invitations by link: into an account, to a role in the gateway, or both. A link works once; the store keeps its SHA-256.

import { fieldsOf, flag, from, integer, maybe, small, text, word } from '../../fields.ts'
import type { MemberRole } from '../../people/members.ts'
import type { GatewayRole } from '../../people/people.ts'
import { checkHash, normaliseEmail } from '../guard.ts'
import { newestFirst } from '../lists/pages.ts'
import { type Connection, type Database, incrementChangeCounter, required, statement } from '../statements.ts'
import { makerIsThere } from './admin-keys.ts'
import { setMember } from './members.ts'
import { changeRole, endAccess } from './people.ts'

const toInvitation = fieldsOf({
  id: integer,
  /** In the gateway; undefined: none. */
  role: from('gateway_role', maybe(word<GatewayRole>())),
  account: maybe(integer),
  memberRole: maybe(word<MemberRole>()),
  /** Only the person with this address may accept; undefined: whoever has the link. */
  email: maybe(text),
  /** undefined: the command line. */
  madeBy: maybe(integer),
  /** The admin key that made it, with which it ends. */
  madeByKey: maybe(integer),
  /** Made by an operator, and not by an owner of the account. */
  byOperator: flag,
  createdAt: small,
  expiresAt: small,
  /** When it was accepted or revoked. */
  endedAt: maybe(small),
})
export type Invitation = ReturnType<typeof toInvitation>

export type NewInvitation = Omit<Invitation, 'id' | 'createdAt' | 'endedAt'> & { hash: Uint8Array }

/** `before`: only those with a lower id; `after`: with a higher one. */
export type InvitationFilter = { account?: bigint; before?: bigint; after?: bigint }

/** What the person gets; absent: has it already. `proves`: the address is the person's, since an operator invited it. `needsProof`: else it must be proved. `session`: goes on, though a new role ends the others. */
export type Accepted = {
  session?: bigint
  role?: GatewayRole
  member?: MemberRole
  proves: boolean
  needsProof: boolean
}

const COLUMNS = toInvitation.columns
const DAY_MS = 86_400_000

export const invitationsOver = ({ db, runner, clock }: Connection) => ({
  /** undefined: there are too many, those included that ended within a day. Those into no account count together. Also undefined: the key that makes it was deleted meanwhile. */
  async create(
    { hash, role, account, memberRole, email, madeBy, madeByKey, byOperator, expiresAt }: NewInvitation,
    most: { ofAccount: number; inAll: number },
  ): Promise<Invitation | undefined> {
    const now = clock()
    const gone = db
      .deleteFrom('invitation')
      .where((row) => row.or([row('ended_at', '<', now - DAY_MS), row('expires_at', '<', now - DAY_MS)]))
    const insert = db.insertInto('invitation').values({
      hash: checkHash(hash),
      gateway_role: role ?? null,
      account: account ?? null,
      member_role: memberRole ?? null,
      email: email === undefined ? null : normaliseEmail(email),
      made_by: madeBy ?? null,
      made_by_key: madeByKey ?? null,
      by_operator: byOperator ? 1 : 0,
      created_at: now,
      expires_at: expiresAt,
    })
    const maker = makerIsThere(db, madeByKey)
    const rows = await runner.write([
      // Its row is a lock, so that the counts are exact.
      incrementChangeCounter(db),
      ...maker,
      statement(gone),
      required(fewerThan(db, most.inAll)),
      required(fewerThan(db, most.ofAccount).where('account', account === undefined ? 'is' : '=', account ?? null)),
      required(insert.returning(COLUMNS)),
    ])
    const row = rows?.at(4 + maker.length)?.[0]
    return row && toInvitation(row)
  },
  /** Also one that has ended or expired. */
  async find(which: { hash: Uint8Array } | { id: bigint }): Promise<Invitation | undefined> {
    const all = db.selectFrom('invitation').select(COLUMNS)
    const found = 'id' in which ? all.where('id', '=', which.id) : all.where('hash', '=', checkHash(which.hash))
    const [row] = await runner.read(statement(found))
    return row && toInvitation(row)
  },
  /** Those that can be accepted, newest first. */
  async list({ account, ...range }: InvitationFilter, limit: number): Promise<Invitation[]> {
    const all = open(db, clock()).select(COLUMNS)
    const query = account === undefined ? all : all.where('account', '=', account)
    return (await newestFirst(runner.read, query, range, limit)).map(toInvitation)
  },
  /** false: it has ended. */
  async revoke(id: bigint): Promise<boolean> {
    const ended = db.updateTable('invitation').set({ ended_at: clock() }).where('id', '=', id)
    return (await runner.write([required(ended.where('ended_at', 'is', null).returning('id'))])) !== undefined
  },
  /** All at once. `ended`: it was accepted, revoked, or has expired. `unproved`: the address of the person must be proved first. */
  async accept(
    { id, account, byOperator }: Invitation,
    person: bigint,
    { role, member, proves, needsProof, session }: Accepted,
  ): Promise<'done' | 'ended' | 'unproved'> {
    const now = clock()
    const used = db
      .updateTable('invitation')
      .set({ ended_at: now, accepted_by: person })
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
    const proved = db.updateTable('person').set({ proved_at: now }).where('id', '=', person)
    const rows = await runner.write([
      required(used.returning('id')),
      ...(proves ? [statement(proved.where('proved_at', 'is', null))] : []),
      ...(needsProof && !proves ? [required(isProved(db, person))] : []),
      ...(member === undefined || account === undefined
        ? []
        : [setMember(db, { account, person, role: member }, now, { needsProof: false, byOperator })]),
      ...(role === undefined ? [] : [...changeRole(db, person, role), ...endAccess(db, person, session)]),
      incrementChangeCounter(db),
    ])
    if (rows) return 'done'
    const [row] = await runner.read(statement(open(db, clock()).select('id').where('id', '=', id)))
    return row ? 'unproved' : 'ended'
  },
  /** Whether an invitation that can be accepted names this address. */
  async isInvited(email: string): Promise<boolean> {
    const named = open(db, clock()).select('id').where('email', '=', normaliseEmail(email)).limit(1)
    return (await runner.read(statement(named))).length > 0
  },
})

const open = (db: Database, now: number) =>
  db.selectFrom('invitation').where('ended_at', 'is', null).where('expires_at', '>', now)

const fewerThan = (db: Database, most: number) =>
  db
    .selectFrom('invitation')
    .select((row) => row.fn.countAll().as('invitations'))
    .having((row) => row(row.fn.countAll(), '<', most))

const isProved = (db: Database, person: bigint) =>
  db.selectFrom('person').select('id').where('id', '=', person).where('proved_at', 'is not', null)
