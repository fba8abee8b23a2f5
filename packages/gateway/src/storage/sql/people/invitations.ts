// Invitations on both engines.
import type { Invitation, Invitations } from '../../people/invitations.ts'
import type { MemberRole } from '../../people/members.ts'
import type { GatewayRole } from '../../people/people.ts'
import { checkHash, normaliseEmail } from '../guard.ts'
import { flag, integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, incrementChangeCounter, required, statement } from '../statements.ts'
import { makerIsThere } from './admin-keys.ts'
import { setMember } from './members.ts'
import { changeRole, endAccess } from './people.ts'

const COLUMNS = [
  ...(['id', 'gateway_role', 'account', 'member_role', 'email', 'made_by', 'made_by_key', 'by_operator'] as const),
  ...(['created_at', 'expires_at', 'ended_at'] as const),
] as const
const DAY_MS = 86_400_000

export const invitationsOver = ({ db, runner, clock }: Connection): Invitations => ({
  async create({ hash, role, account, memberRole, email, madeBy, madeByKey, byOperator, expiresAt }, most) {
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
  async find(which) {
    const all = db.selectFrom('invitation').select(COLUMNS)
    const found = 'id' in which ? all.where('id', '=', which.id) : all.where('hash', '=', checkHash(which.hash))
    const [row] = await runner.read(statement(found))
    return row && toInvitation(row)
  },
  async list({ account, before, after }, limit) {
    let query = open(db, clock()).select(COLUMNS).limit(limit)
    if (account !== undefined) query = query.where('account', '=', account)
    if (before !== undefined) query = query.where('id', '<', before)
    if (after !== undefined) query = query.where('id', '>', after)
    const rows = await runner.read(statement(query.orderBy('id', after === undefined ? 'desc' : 'asc')))
    const found = rows.map(toInvitation)
    return after === undefined ? found : found.reverse()
  },
  async revoke(id) {
    const ended = db.updateTable('invitation').set({ ended_at: clock() }).where('id', '=', id)
    return (await runner.write([required(ended.where('ended_at', 'is', null).returning('id'))])) !== undefined
  },
  async accept({ id, account, byOperator }, person, { role, member, proves, needsProof, session }) {
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
  async isInvited(email) {
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

const toInvitation = (row: Row): Invitation => ({
  id: integer(row.id),
  role: optional(row.gateway_role, (role) => text(role) as GatewayRole),
  account: optional(row.account, integer),
  memberRole: optional(row.member_role, (role) => text(role) as MemberRole),
  email: optional(row.email, text),
  madeBy: optional(row.made_by, integer),
  madeByKey: optional(row.made_by_key, integer),
  byOperator: flag(row.by_operator),
  createdAt: small(row.created_at),
  expiresAt: small(row.expires_at),
  endedAt: optional(row.ended_at, small),
})
