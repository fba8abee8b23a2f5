// Admin keys on both engines.
import type { AdminKey, AdminKeys, FoundAdminKey } from '../../people/admin-keys.ts'
import type { GatewayRole } from '../../people/people.ts'
import { checkHash, checkList, checkText } from '../guard.ts'
import { integer, optional, type Row, small, text, toPerson, withPrefix } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  PERSON,
  prefixed,
  required,
  statement,
} from '../statements.ts'

const COLUMNS = [
  ...(['id', 'name', 'last_four', 'role', 'made_by', 'created_at'] as const),
  ...(['expires_at', 'networks', 'last_used_at', 'deleted_at'] as const),
] as const
const KEY_PREFIX = 'key_'
const PERSON_PREFIX = 'person_'

export const adminKeysOver = ({ db, runner, clock }: Connection): AdminKeys => ({
  async create(key, most) {
    checkList('networks', key.networks)
    const { name, hash, lastFour, role, madeBy, expiresAt, networks } = key
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
      made_by: madeBy ?? null,
      created_at: clock(),
      expires_at: expiresAt ?? null,
      networks: networks === undefined ? null : JSON.stringify(networks),
    })
    // The row of the change counter is a lock, so that the count is exact.
    const rows = await runner.write([incrementChangeCounter(db), required(live), required(insert.returning(COLUMNS))])
    const row = rows?.[2]?.[0]
    return row && toAdminKey(row)
  },
  async find(which) {
    const [row] = await runner.read(statement(findQuery(db, which)))
    return row && toFound(row)
  },
  async list({ before, after }, limit) {
    let query = db.selectFrom('admin_key').select(COLUMNS).where('deleted_at', 'is', null).limit(limit)
    if (before !== undefined) query = query.where('id', '<', before)
    if (after !== undefined) query = query.where('id', '>', after)
    const rows = await runner.read(statement(query.orderBy('id', after === undefined ? 'desc' : 'asc')))
    const keys = rows.map(toAdminKey)
    return after === undefined ? keys : keys.reverse()
  },
  async names(keys) {
    if (keys.length === 0) return new Map()
    const query = db.selectFrom('admin_key').select(['id', 'name']).where('id', 'in', keys)
    return new Map((await runner.read(statement(query))).map(({ id, name }) => [integer(id), text(name)]))
  },
  async countMadeBy(person) {
    const query = db
      .selectFrom('admin_key')
      .select((row) => ['role', row.fn.countAll().as('keys')] as const)
      .where('made_by', '=', person)
      .where('deleted_at', 'is', null)
      .groupBy('role')
    return new Map((await runner.read(statement(query))).map(({ role, keys }) => [role as GatewayRole, small(keys)]))
  },
  async delete(key) {
    const deleted = db
      .updateTable('admin_key')
      .set({ deleted_at: clock() })
      .where('id', '=', key)
      .where('deleted_at', 'is', null)
    return (await runner.write([required(deleted.returning('id'))])) !== undefined
  },
  async touch(key) {
    await runner.write([statement(db.updateTable('admin_key').set({ last_used_at: clock() }).where('id', '=', key))])
  },
})

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

const toAdminKey = (row: Row): AdminKey => ({
  id: integer(row.id),
  name: text(row.name),
  lastFour: text(row.last_four),
  role: row.role as GatewayRole,
  madeBy: optional(row.made_by, integer),
  createdAt: small(row.created_at),
  expiresAt: optional(row.expires_at, small),
  networks: optional(row.networks, (value) => JSON.parse(text(value)) as string[]),
  lastUsedAt: optional(row.last_used_at, small),
  deletedAt: optional(row.deleted_at, small),
})
