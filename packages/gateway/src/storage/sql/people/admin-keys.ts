// Admin keys on both engines.
import { sql } from 'kysely'
import {
  type AdminKey,
  type AdminKeyFilter,
  type FoundAdminKey,
  type MadeByAdminKey,
  type NewAdminKey,
  toAdminKey,
} from '../../people/admin-keys.ts'
import type { GatewayRole } from '../../people/people.ts'
import { toPerson } from '../../people/people.ts'
import { checkHash, checkList, checkText } from '../guard.ts'
import { newestFirst } from '../lists/pages.ts'
import { integer, type Row, small, text, withPrefix } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  PERSON,
  prefixed,
  required,
  type Statement,
  statement,
} from '../statements.ts'

const COLUMNS = toAdminKey.columns
const KEY_PREFIX = 'key_'
const PERSON_PREFIX = 'person_'
/** People with a link, in the answer to what a key made. */
const MOST_NAMED = 20

export const adminKeysOver = ({ db, runner, clock }: Connection) => ({
  /** undefined: there are `most` keys that are not deleted, or the key that makes it was deleted meanwhile. */
  async create(key: NewAdminKey, most: number): Promise<AdminKey | undefined> {
    checkList('networks', key.networks)
    const { name, hash, lastFour, role, permissions, madeBy, madeByKey, expiresAt, networks } = key
    const live = db
      .selectFrom('admin_key')
      .select((row) => row.fn.countAll().as('keys'))
      .where('deleted_at', 'is', null)
      .having((row) => row(row.fn.countAll(), '<', most))
    const insert = db.insertInto('admin_key').values({
      name: checkText('name', name),
      hash: checkHash(hash),
      last_four: checkText('lastFour', lastFour),
      role,
      permissions: permissions === undefined ? null : JSON.stringify(permissions),
      made_by: madeBy ?? null,
      made_by_key: madeByKey ?? null,
      created_at: clock(),
      expires_at: expiresAt ?? null,
      networks: networks === undefined ? null : JSON.stringify(networks),
    })
    // The row of the change counter is a lock, so that the count is exact.
    const maker = makerIsThere(db, madeByKey)
    const rows = await runner.write([
      incrementChangeCounter(db),
      ...maker,
      required(live),
      required(insert.returning(COLUMNS)),
    ])
    const row = rows?.[2 + maker.length]?.[0]
    return row && toAdminKey(row)
  },
  /** Deleted keys are found, too. */
  async find(which: { hash: Uint8Array } | { id: bigint }): Promise<FoundAdminKey | undefined> {
    const [row] = await runner.read(statement(findQuery(db, which)))
    return row && toFound(row)
  },
  /** Those that are not deleted, newest first. */
  async list(range: AdminKeyFilter, limit: number): Promise<AdminKey[]> {
    const live = db.selectFrom('admin_key').select(COLUMNS).where('deleted_at', 'is', null)
    return (await newestFirst(runner.read, live, range, limit)).map(toAdminKey)
  },
  /** Deleted keys have their name, too. */
  async names(keys: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
    if (keys.length === 0) return new Map()
    const query = db.selectFrom('admin_key').select(['id', 'name']).where('id', 'in', keys)
    return new Map((await runner.read(statement(query))).map(({ id, name }) => [integer(id), text(name)]))
  },
  /** How many of these a person made that are not deleted, by their role. */
  async countMadeBy(person: bigint): Promise<ReadonlyMap<GatewayRole, number>> {
    const query = db
      .selectFrom('admin_key')
      .select((row) => ['role', row.fn.countAll().as('keys')] as const)
      .where('made_by', '=', person)
      .where('deleted_at', 'is', null)
      .groupBy('role')
    return new Map((await runner.read(statement(query))).map(({ role, keys }) => [role as GatewayRole, small(keys)]))
  },
  async madeByKey(key: bigint): Promise<MadeByAdminKey> {
    const live = db.selectFrom('admin_key').select(COLUMNS).where('deleted_at', 'is', null).where('id', '<>', key)
    const open = db
      .selectFrom('invitation')
      .select((row) => row.fn.countAll().as('invitations'))
      .where('ended_at', 'is', null)
      .where('expires_at', '>', clock())
      .where('made_by_key', 'in', lineOf(key))
    const links = db
      .selectFrom('link')
      .innerJoin('person', 'person.id', 'link.person')
      .where('link.expires_at', '>', clock())
      .where('link.made_by_key', 'in', lineOf(key))
    const [keys, [row], [counted], named] = await Promise.all([
      runner.read(statement(live.where('id', 'in', lineOf(key)).orderBy('id'))),
      runner.read(statement(open)),
      runner.read(statement(links.select((each) => each.fn.countAll().as('links')))),
      runner.read(statement(links.select('person.email').orderBy('person.email').limit(MOST_NAMED))),
    ])
    return {
      adminKeys: keys.map(toAdminKey),
      invitations: small(row?.invitations),
      links: { count: small(counted?.links), emails: named.map(({ email }) => text(email)) },
    }
  },
  /** With all that it made, directly or by keys that it made. false: no such key, or it is deleted. */
  async delete(key: bigint): Promise<boolean> {
    const now = clock()
    const live = db.updateTable('admin_key').set({ deleted_at: now }).where('deleted_at', 'is', null)
    const invited = db.updateTable('invitation').set({ ended_at: now }).where('ended_at', 'is', null)
    const rows = await runner.write([
      // Its row is a lock: what the key makes at the same time is there already, or is not made.
      incrementChangeCounter(db),
      statement(invited.where('made_by_key', 'in', lineOf(key))),
      statement(db.deleteFrom('link').where('made_by_key', 'in', lineOf(key))),
      statement(live.where('id', 'in', lineOf(key)).where('id', '<>', key)),
      required(live.where('id', '=', key).returning('id')),
    ])
    return rows !== undefined
  },
  /** Records that it was used now; once a minute is enough. */
  async touch(key: bigint): Promise<void> {
    await runner.write([statement(db.updateTable('admin_key').set({ last_used_at: clock() }).where('id', '=', key))])
  },
})

/** The key, those that it made, those that these made, and so on. */
const lineOf = (key: bigint) => sql<bigint>`(WITH RECURSIVE line (id) AS (
    SELECT id FROM admin_key WHERE id = ${key}
    UNION SELECT admin_key.id FROM line JOIN admin_key ON admin_key.made_by_key = line.id)
  SELECT id FROM line)`

/** Nothing is made by a key that is deleted meanwhile. */
export const makerIsThere = (db: Database, madeByKey: bigint | undefined): Statement[] =>
  madeByKey === undefined
    ? []
    : [required(db.selectFrom('admin_key').select('id').where('id', '=', madeByKey).where('deleted_at', 'is', null))]

function findQuery(db: Database, which: { hash: Uint8Array } | { id: bigint }) {
  const query = db
    .selectFrom('admin_key')
    .leftJoin('person', 'person.id', 'admin_key.made_by')
    .select([...prefixed('admin_key', KEY_PREFIX, COLUMNS), ...prefixed('person', PERSON_PREFIX, PERSON)])
  if ('id' in which) return query.where('admin_key.id', '=', which.id)
  return query.where('admin_key.hash', '=', checkHash(which.hash))
}

function toFound(row: Row): FoundAdminKey {
  const person = withPrefix(row, PERSON_PREFIX)
  return {
    key: toAdminKey(withPrefix(row, KEY_PREFIX)),
    maker: person.id === null ? undefined : toPerson(person),
  }
}
