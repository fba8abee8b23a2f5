// Stored configuration on both engines.
import { sql } from 'kysely'
import type { AuditEntry } from '../../console/audit-log.ts'
import {
  type EntryChange,
  type EntryKind,
  isUnreadable,
  type NamedChange,
  type NewStoredSecret,
  type Revision,
  type RevisionSummary,
  readEntryValue,
  type StoredConfiguration,
  toSecret,
} from '../../console/configuration.ts'
import { checkText } from '../guard.ts'
import { newestFirst } from '../lists/pages.ts'
import { bytes, integer, optional, type Row, small, text } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  rawStatement,
  required,
  type Statement,
  statement,
} from '../statements.ts'

export const configurationOver = ({ db, runner }: Connection) => ({
  /** The newest revision; 0: there is none. */
  async revision(): Promise<number> {
    const newest = db.selectFrom('configuration_revision').select((row) => row.fn.max('revision').as('newest'))
    const [row] = await runner.read(statement(newest))
    return optional(row?.newest, small) ?? 0
  },
  /** The state of the newest revision, with all secrets that entries of any revision have. */
  async read(): Promise<StoredConfiguration> {
    // One statement, so that the entries are those of the revision.
    const found = sql`SELECT newest, kind, id, value, stored_entry.revision AS revision
      FROM (SELECT coalesce(max(revision), 0) AS newest FROM configuration_revision) AS known
      LEFT JOIN stored_entry ON true ORDER BY kind, id`
    const rows = await runner.read(rawStatement(db, found))
    // Read afterwards: the secret of an entry is never removed.
    const secrets = await runner.read(statement(db.selectFrom('stored_secret').selectAll().orderBy('id')))
    return {
      revision: small(rows[0]?.newest),
      entries: rows
        .filter(({ kind }) => kind !== null)
        .map((row) => ({ ...entryOf(row), value: json(row.value), revision: small(row.revision) })),
      secrets: secrets.map(toSecret),
    }
  },
  /** Newest first. `before`, `after`: only those with a lower or a higher number, nearest to it. */
  async revisions(range: { before?: number; after?: number }, limit: number): Promise<Revision[]> {
    const all = db.selectFrom('configuration_revision').selectAll()
    return (await newestFirst(runner.readPage, all, range, limit, 'revision')).map(toRevision)
  },
  /** What each of these changed, with at most `most` changes of each. */
  async summaries(revisions: readonly number[], most: number): Promise<RevisionSummary[]> {
    if (revisions.length === 0) return []
    const found = sql`SELECT revision, kind, id, is_new, is_gone, changes FROM (
        SELECT revision, kind, id, before IS NULL AS is_new, after IS NULL AS is_gone,
          count(*) OVER (PARTITION BY revision) AS changes,
          row_number() OVER (PARTITION BY revision ORDER BY kind, id) AS place
        FROM configuration_change WHERE revision IN (${sql.join(revisions)})) AS numbered
      WHERE place <= ${most} ORDER BY revision, place`
    const rows = await runner.readPage(rawStatement(db, found))
    return [...Map.groupBy(rows, (row) => small(row.revision))].map(([revision, changes]) => ({
      revision,
      count: small(changes[0]?.changes),
      first: changes.map(toNamed),
    }))
  },
  async find(revision: number): Promise<(Revision & { changes: EntryChange[] }) | undefined> {
    const found = db.selectFrom('configuration_revision').selectAll().where('revision', '=', revision)
    const [row] = await runner.read(statement(found))
    if (!row) return undefined
    const changed = db.selectFrom('configuration_change').selectAll().where('revision', '=', revision)
    const changes = await runner.read(statement(changed.orderBy('kind').orderBy('id')))
    return { ...toRevision(row), changes: changes.map(toChange) }
  },
  /** For each entry that was changed after this revision: what it was then, as it was written, and what it is now. */
  async changesSince(revision: number): Promise<EntryChange[]> {
    const found = sql`SELECT first.kind, first.id, first.before, stored_entry.value AS after
      FROM configuration_change AS first
      JOIN (SELECT kind, id, min(revision) AS revision FROM configuration_change WHERE revision > ${revision} GROUP BY kind, id) AS changed
        ON changed.kind = first.kind AND changed.id = first.id AND changed.revision = first.revision
      LEFT JOIN stored_entry ON stored_entry.kind = first.kind AND stored_entry.id = first.id
      ORDER BY first.kind, first.id`
    const changes = (await runner.read(rawStatement(db, found))).map(toChange)
    const asWritten = async (change: EntryChange): Promise<EntryChange> => {
      const { kind, id } = change
      const written = db.selectFrom('configuration_change').select('after').where('revision', '<=', revision)
      const latest = written.where('kind', '=', kind).where('id', '=', id).orderBy('revision', 'desc').limit(1)
      const [row] = await runner.read(statement(latest))
      return { ...change, before: optional(row?.after, json) }
    }
    return await Promise.all(changes.map((each) => (isUnreadable(each.before) ? asWritten(each) : each)))
  },
  /** Secrets that are not erased, after this id, in order: for the rotation of the master secret. */
  async secrets(after: string, limit: number): Promise<{ id: string; sealed: Uint8Array }[]> {
    const kept = db.selectFrom('stored_secret').select(['id', 'sealed']).where('sealed', 'is not', null)
    const rows = await runner.read(statement(kept.where('id', '>', after).orderBy('id').limit(limit)))
    return rows.map((row) => ({ id: text(row.id), sealed: bytes(row.sealed) }))
  },
  /** false: it is not `before` any more. */
  async resealSecret(id: string, before: Uint8Array, after: Uint8Array): Promise<boolean> {
    const update = db.updateTable('stored_secret').set({ sealed: after }).where('id', '=', id)
    return (await runner.write([required(update.where('sealed', '=', before).returning('id'))])) !== undefined
  },
})

/** `runner` adds the entry of the audit log to each transaction. */
/** Only with an entry in the audit log, which also says whose the revision is. */
export const configurationWriter = ({ db, runner, clock }: Connection, entry: AuditEntry) => ({
  /**
   * Writes the revision after `expected`, with all its changes, in one transaction; false, and nothing is written, if another one has been
   * written meanwhile. `erased`: ids of secrets that are emptied for good.
   */
  async write(
    expected: number,
    changes: readonly EntryChange[],
    secrets: readonly NewStoredSecret[] = [],
    erased: readonly string[] = [],
  ): Promise<boolean> {
    const revision = expected + 1
    const now = clock()
    const steps = [
      insertRevision(db, revision, entry, now),
      ...secrets.map((secret) => insertSecret(db, secret, now)),
      ...changes.flatMap((change) => writeChange(db, revision, change)),
      ...erased.map((id) => eraseSecret(db, id, now)),
      incrementChangeCounter(db),
    ]
    return (await runner.write(steps)) !== undefined
  },
})

/** Revisions have no gaps and are never removed: whoever inserts the number first has written the one after `expected`. */
function insertRevision(db: Database, revision: number, entry: AuditEntry, now: number): Statement {
  const { actor, requestId, action, reason } = entry
  if ('email' in actor) throw new TypeError('actor: only a person with an id changes the configuration')
  const insert = db.insertInto('configuration_revision').values({
    revision,
    at: now,
    actor_type: actor.type,
    actor: checkText('actor', actor.id),
    request: requestId ?? null,
    action: checkText('action', action),
    reason: checkText('reason', reason),
  })
  return required(insert.onConflict((conflict) => conflict.doNothing()).returning('revision'))
}

const insertSecret = (db: Database, secret: NewStoredSecret, now: number): Statement =>
  statement(
    db.insertInto('stored_secret').values({
      id: checkText('id', secret.id),
      owner: checkText('owner', secret.owner),
      sealed: secret.sealed,
      fingerprint: checkText('fingerprint', secret.fingerprint),
      last_four: checkText('lastFour', secret.lastFour),
      created_at: now,
    }),
  )

function writeChange(db: Database, revision: number, { kind, id, before, after }: EntryChange): Statement[] {
  const place = { kind, id: checkText('id', id) }
  const value = after === undefined ? undefined : checkText('value', JSON.stringify(after))
  const insert = db.insertInto('configuration_change').values({
    ...place,
    revision,
    before: before === undefined ? null : JSON.stringify(before),
    after: value ?? null,
  })
  const entry =
    value === undefined
      ? db.deleteFrom('stored_entry').where('kind', '=', kind).where('id', '=', id)
      : db
          .insertInto('stored_entry')
          .values({ ...place, value, revision })
          .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet({ value, revision }))
  return [statement(insert), statement(entry)]
}

const eraseSecret = (db: Database, id: string, now: number): Statement =>
  statement(
    db
      .updateTable('stored_secret')
      .set({ sealed: null, erased_at: now })
      .where('id', '=', id)
      .where('erased_at', 'is', null),
  )

const json = (value: unknown): unknown => readEntryValue(text(value))
const entryOf = ({ kind, id }: Row) => ({ kind: text(kind) as EntryKind, id: text(id) })

const toChange = (row: Row): EntryChange => ({
  ...entryOf(row),
  before: optional(row.before, json),
  after: optional(row.after, json),
})

const toNamed = (row: Row): NamedChange => ({
  ...entryOf(row),
  change: Number(row.is_new) === 1 ? 'created' : Number(row.is_gone) === 1 ? 'deleted' : 'changed',
})

const toRevision = (row: Row): Revision => ({
  revision: small(row.revision),
  at: small(row.at),
  actor: { type: text(row.actor_type), id: text(row.actor) },
  requestId: optional(row.request, integer),
  action: text(row.action),
  reason: text(row.reason),
})
