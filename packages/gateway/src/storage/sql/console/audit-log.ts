// The audit log on both engines.
import { type Expression, sql } from 'kysely'
import type { AuditEntry, AuditFields, AuditFilter, AuditRow } from '../../console/audit-log.ts'
import type { ListedAuditFilter } from '../../console/lists.ts'
import type { Page, Place } from '../../console/pages.ts'
import { checkText, normaliseEmail } from '../guard.ts'
import { newestFirst, present, readIdPage } from '../lists/pages.ts'
import { integer, optional, type Row, small, text } from '../rows.ts'
import { type Connection, type Database, putMeta, type Statement, statement } from '../statements.ts'

/** Triggers keep the rows from this time on, whichever statement would remove them. */
const KEPT_SINCE = 'audit_kept_since'

export const auditLogOver = ({ db, runner, clock }: Connection) => ({
  /** For a change that is in no transaction of the ledger's database; see Storage.audited for all others. */
  async add(entry: AuditEntry): Promise<void> {
    await runner.write([insertAuditEntry(db, entry, clock())])
  },
  /** Newest first. */
  async page({ object, action, ...range }: AuditFilter, limit: number): Promise<AuditRow[]> {
    let query = db.selectFrom('audit_log').selectAll()
    if (object !== undefined) query = query.where('object', '=', object)
    if (action !== undefined) query = query.where('action', '=', action)
    return (await newestFirst(runner.readPage, query, range, limit)).map(toAuditRow)
  },
  /**
   * Removes at most `limit` rows from before `keptSince`, and adds `entry` of their number in the same transaction; resolves with that
   * number. Nothing else can remove a row.
   */
  async sweep(keptSince: number, limit: number, entry: (removed: number) => AuditEntry): Promise<number> {
    if (!Number.isSafeInteger(keptSince)) throw new RangeError(`keptSince: ${keptSince}`)
    const old = db
      .selectFrom('audit_log')
      .select('id')
      .where('at', '<', keptSince)
      .orderBy('at')
      .orderBy('id')
      .limit(limit)
    const { length } = await runner.read(statement(old))
    if (length === 0) return 0
    await runner.write([
      putMeta(db, KEPT_SINCE, String(keptSince)),
      statement(db.deleteFrom('audit_log').where('id', 'in', old)),
      insertAuditEntry(db, entry(length), clock()),
    ])
    return length
  },
})

export async function listAuditLog(
  connection: Connection,
  { actor, action, object, from, to }: ListedAuditFilter,
  place: Place,
  limit: number,
): Promise<Page<AuditRow>> {
  const where = present(
    object === undefined ? undefined : sql`object = ${checkText('object', object)}`,
    // Ids grow with time.
    from === undefined ? undefined : sql`id >= (SELECT id FROM audit_log WHERE at >= ${from} ORDER BY at LIMIT 1)`,
    to === undefined ? undefined : sql`id <= (SELECT id FROM audit_log WHERE at < ${to} ORDER BY at DESC LIMIT 1)`,
  )
  const filters = present(
    action === undefined ? undefined : isAction(checkText('action', action)),
    actor && sql`actor_type = ${checkText('actor', actor.type)} AND actor = ${checkText('actor', actor.id)}`,
    from === undefined ? undefined : sql`at >= ${from}`,
    to === undefined ? undefined : sql`at < ${to}`,
  )
  const list = { table: 'audit_log', order: 'newest', columns: [sql`audit_log.*`], where, filters } as const
  const page = await readIdPage(connection, list, place, limit)
  return { rows: page.rows.map(toAuditRow), next: page.next }
}

/** `model` is all of models: `model create`, `model change`. */
const isAction = (action: string) =>
  sql`(action = ${action} OR substr(action, 1, ${sql.lit(action.length + 1)}) = ${`${action} `})`

export function insertAuditEntry(db: Database, entry: AuditEntry, now: number): Statement {
  const { actor, address, requestId, action, before, after, reason } = entry
  return statement(
    db.insertInto('audit_log').values({
      at: now,
      actor_type: 'email' in actor ? 'person' : actor.type,
      actor: 'email' in actor ? idText('', personWith(db, actor.email)) : checkText('actor', actor.id),
      address: checkText('address', address),
      request: requestId ?? null,
      action: checkText('action', action),
      object: objectOf(db, entry.object),
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
      reason: checkText('reason', reason),
    }),
  )
}

function objectOf(db: Database, object: AuditEntry['object']) {
  if (typeof object === 'string') return checkText('object', object)
  if ('key' in object) return idText('key/', db.selectFrom('api_key').select('id').where('hash', '=', object.key))
  if ('adminKey' in object)
    return idText('admin-key/', db.selectFrom('admin_key').select('id').where('hash', '=', object.adminKey))
  if ('invitation' in object)
    return idText('invitation/', db.selectFrom('invitation').select('id').where('hash', '=', object.invitation))
  return idText(
    'account/',
    'account' in object ? newestAccountOf(db, object.account) : newestNamed(db, object.accountName),
  )
}

const idText = (type: string, id: Expression<unknown>) => sql<string>`${sql.lit(type)} || CAST(${id} AS text)`

const personWith = (db: Database, email: string) =>
  db.selectFrom('person').select('id').where('email', '=', normaliseEmail(email))

const newestNamed = (db: Database, name: string) =>
  db
    .selectFrom('account')
    .select((row) => row.fn.max('id').as('id'))
    .where('name', '=', checkText('name', name))

const newestAccountOf = (db: Database, email: string) =>
  db
    .selectFrom('member')
    .innerJoin('person', 'person.id', 'member.person')
    .select((row) => row.fn.max('member.account').as('id'))
    .where('person.email', '=', normaliseEmail(email))

const fields = (value: unknown): AuditFields => JSON.parse(text(value)) as AuditFields

const toAuditRow = (row: Row): AuditRow => ({
  id: integer(row.id),
  at: small(row.at),
  actor: { type: row.actor_type as AuditRow['actor']['type'], id: text(row.actor) },
  address: text(row.address),
  requestId: optional(row.request, integer),
  action: text(row.action),
  object: text(row.object),
  before: optional(row.before, fields),
  after: optional(row.after, fields),
  reason: text(row.reason),
})
