// What only the console does with API keys, on both engines: pages of them, the built-in key, rotation.
import type { ExpressionBuilder } from 'kysely'
import type { Key, KeyFilter, NewSecret } from '../../keys.ts'
import { checkHash, checkText } from '../guard.ts'
import { foldName } from '../lists/lists.ts'
import { integer, small, text, toKey } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  KEY,
  operatorColumns,
  required,
  type Statement,
  statement,
} from '../statements.ts'
import type { Schema } from '../tables.ts'

export function consoleKeysOver({ db, runner, clock }: Connection) {
  async function read(query: Statement): Promise<Key[]> {
    const now = clock()
    return (await runner.readLedger(query)).map((row) => toKey(row, now))
  }

  /** Neither engine folds the case of all letters as the other does, so names are compared here. */
  async function pageByName(account: bigint, filter: KeyFilter, sought: string, limit: number) {
    const names = filtered(db, account, filter, clock()).select(['id', 'name', 'last_four']).orderBy('id', 'desc')
    const found = (await runner.read(statement(names))).filter(
      ({ name, last_four }) => text(last_four) === sought || foldName(text(name)).includes(foldName(sought)),
    )
    const ids = found.map(({ id }) => integer(id))
    const { before } = filter
    const shown = (before === undefined ? ids : ids.filter((id) => id < before)).slice(0, limit)
    if (shown.length === 0) return { keys: [], total: found.length }
    const query = db.selectFrom('api_key').select(KEY).where('id', 'in', shown).orderBy('id', 'desc')
    return { keys: await read(statement(query)), total: found.length }
  }

  return {
    /** Newest first. `total`: of the account's keys that the filter admits, regardless of `before`. */
    async page(account: bigint, filter: KeyFilter, limit: number): Promise<{ keys: Key[]; total: number }> {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`limit: ${limit}`)
      if (filter.name) return pageByName(account, filter, checkText('name', filter.name), limit)
      const all = filtered(db, account, filter, clock())
      const older = filter.before === undefined ? all : all.where('id', '<', filter.before)
      const [keys, [row]] = await Promise.all([
        read(statement(older.select(KEY).orderBy('id', 'desc').limit(limit))),
        runner.read(statement(all.select((key) => key.fn.countAll().as('total')))),
      ])
      return { keys, total: small(row?.total) }
    },
    async names(keys: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
      if (keys.length === 0) return new Map()
      const query = db.selectFrom('api_key').select(['id', 'name']).where('id', 'in', keys)
      return new Map((await runner.read(statement(query))).map(({ id, name }) => [integer(id), text(name)]))
    },
    /** The built-in key of a person in the account, for the console; created by `create` with this purpose, at most one. */
    async playground(account: bigint, person: bigint): Promise<Key | undefined> {
      return (await read(playground(db, account, person)))[0]
    },
    /** false: no such key, or it is deleted. */
    async rotate(key: bigint, secret: NewSecret): Promise<boolean> {
      const rotated = rotate(db, key, checkSecret(secret), clock())
      return (await runner.write([rotated, incrementChangeCounter(db)])) !== undefined
    },
  }
}

const playground = (db: Database, account: bigint, person: bigint | undefined): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .select(KEY)
      .where('account', '=', account)
      .where('purpose', '=', 'playground')
      .where('person', '=', person ?? null),
  )

function filtered(db: Database, account: bigint, { state, purpose, person }: KeyFilter, now: number) {
  const any = db.selectFrom('api_key').where('account', '=', account)
  const every = person === undefined ? any : any.where('person', '=', person)
  const all =
    purpose === undefined
      ? every
      : every
          .where('company_token', '=', purpose === 'token' ? 1 : 0)
          .where('purpose', '=', purpose === 'token' ? 'client' : purpose)
  if (state === undefined) return all
  if (state === 'deleted') return all.where('deleted', '=', 1)
  const valid = all.where('deleted', '=', 0)
  if (state === 'expired') return valid.where('expires_at', '<=', now)
  return valid.where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', now)]))
}

/** The new revision makes nodes that still have the former secret in their cache look it up again. */
function rotate(
  db: Database,
  key: bigint,
  { hash, lastFour, formerUntil, person, learned }: NewSecret,
  now: number,
): Statement {
  return required(
    db
      .updateTable('api_key')
      .set((row) => ({
        hash,
        last_four: lastFour,
        former_hash: formerUntil === undefined ? null : row.ref('hash'),
        former_until: formerUntil ?? null,
        revision: row('revision', '+', 1n),
        ...(learned ? { ...operatorColumns(learned.operator), own_since: learned.isolated ? now : null } : {}),
        // A person who has signed up with another's address now knows the secret, even of a key that the operator made.
        made_by: row.case().when(isUnproved(row, person)).then('sign-up').else(row.ref('made_by')).end(),
        person: row
          .case()
          .when(isUnproved(row, person))
          .then(person ?? null)
          .else(row.ref('person'))
          .end(),
      }))
      .where('id', '=', key)
      .where('deleted', '=', 0)
      // A secret names one key, whether it is the present or the former one.
      .where((row) =>
        row.not(
          row.exists(row.selectFrom('api_key as other').select('other.id').where('other.former_hash', '=', hash)),
        ),
      )
      .returning('id'),
  )
}

const isUnproved = (row: ExpressionBuilder<Schema, 'api_key'>, person: bigint | undefined) =>
  row.exists(
    row
      .selectFrom('person')
      .select('id')
      .where('id', '=', person ?? null)
      .where('proved_at', 'is', null),
  )

function checkSecret(secret: NewSecret): NewSecret {
  checkHash(secret.hash)
  checkText('lastFour', secret.lastFour)
  if (secret.formerUntil !== undefined && !Number.isSafeInteger(secret.formerUntil))
    throw new RangeError(`formerUntil: ${secret.formerUntil}`)
  return secret
}
