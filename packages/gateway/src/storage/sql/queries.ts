// The ordinary queries, built once for both engines: each takes a Kysely of the engine's dialect, which only compiles.
import type { Compilable, Kysely } from 'kysely'
import type { Nanos } from '../../money/amount.ts'
import { CREDIT } from '../../money/ledger.ts'
import type { NewKey } from '../storage.ts'
import { MAX_BALANCE } from './guard.ts'
import type { Schema } from './schema.ts'

/** One step of an atomic list. When a `required` one returns no row, the whole list is undone. */
export type Statement = { sql: string; parameters: readonly unknown[]; required: boolean }

type Database = Kysely<Schema>

function statement(query: Compilable, required = false): Statement {
  const { sql, parameters } = query.compile()
  return { sql, parameters, required }
}
const required = (query: Compilable): Statement => statement(query, true)

const ACCOUNT = ['id', 'email', 'balance', 'held', 'disabled', 'created_at'] as const
const KEY = [
  'id',
  'account',
  'name',
  'group_name',
  'revoked',
  'expires_at',
  'cap',
  'spent',
  'held',
  'created_at',
] as const
const USAGE = ['id', 'key', 'model', 'upstream', 'state', 'ending', 'held', 'cost', 'shortfall', 'receipt'] as const

/** In the transaction of every change to a key or to an account's state: it is how all nodes drop what they cached. */
const bumpChangeCounter = (db: Database): Statement =>
  statement(db.updateTable('change_counter').set((row) => ({ value: row('value', '+', 1n) })))

export type NewAccount = { email: string; credit: Nanos; source: bigint; password: string | undefined }

export function createAccount(db: Database, account: NewAccount, now: number): Statement[] {
  const { email, credit, source, password } = account
  const created = required(
    db
      .insertInto('account')
      .values({ email, balance: credit, held: 0n, disabled: 0, created_at: now })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning(ACCOUNT),
  )
  const id = db.selectFrom('account').select('id').where('email', '=', email)
  const opening = { request: null, debit: source, credit: id, amount: credit, reason: 'opening credit', at: now }
  return [
    created,
    ...(credit === 0n ? [] : [statement(db.insertInto('transfer').values(opening))]),
    ...(password === undefined ? [] : [statement(db.insertInto('credential').values({ account: id, password }))]),
  ]
}

export const findAccount = (db: Database, email: string): Statement =>
  statement(db.selectFrom('account').select(ACCOUNT).where('email', '=', email))

export const setAccountDisabled = (db: Database, account: bigint, disabled: boolean): Statement[] => [
  required(
    db
      .updateTable('account')
      .set({ disabled: disabled ? 1 : 0 })
      .where('id', '=', account)
      .returning('id'),
  ),
  bumpChangeCounter(db),
]

export function creditAccount(
  db: Database,
  account: bigint,
  amount: Nanos,
  reason: string,
  now: number,
): readonly Statement[] {
  const sides = amount > 0n ? { debit: CREDIT, credit: account } : { debit: account, credit: CREDIT }
  return [
    required(
      db
        .updateTable('account')
        .set((row) => ({ balance: row('balance', '+', amount) }))
        .where('id', '=', account)
        .where('balance', '<=', MAX_BALANCE - amount)
        // `balance - held` cannot overflow where `balance + amount` could.
        .where((row) => row(row('balance', '-', row.ref('held')), '>=', -amount))
        .returning('id'),
    ),
    statement(
      db
        .insertInto('transfer')
        .values({ request: null, ...sides, amount: amount > 0n ? amount : -amount, reason, at: now }),
    ),
  ]
}

export function createKey(db: Database, key: NewKey, now: number): Statement[] {
  return [
    required(db.selectFrom('account').select('id').where('id', '=', key.account)),
    required(
      db
        .insertInto('api_key')
        .values({
          account: key.account,
          hash: key.hash,
          name: key.name,
          group_name: key.group,
          revoked: 0,
          expires_at: key.expiresAt ?? null,
          cap: key.cap ?? null,
          spent: 0n,
          held: 0n,
          created_at: now,
        })
        .returning(KEY),
    ),
    // A node may have cached that nobody has this secret.
    bumpChangeCounter(db),
  ]
}

export const listKeys = (db: Database, account: bigint): Statement =>
  statement(db.selectFrom('api_key').select(KEY).where('account', '=', account).orderBy('id'))

export const revokeKey = (db: Database, key: bigint): Statement[] => [
  required(db.updateTable('api_key').set({ revoked: 1 }).where('id', '=', key).returning('id')),
  bumpChangeCounter(db),
]

export const findCaller = (db: Database, hash: Uint8Array): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account')
      .select([
        'api_key.id as key',
        'api_key.account as account',
        'api_key.group_name as group_name',
        'api_key.revoked as revoked',
        'api_key.expires_at as expires_at',
        'account.disabled as disabled',
      ])
      .where('api_key.hash', '=', hash),
  )

export const changeCounter = (db: Database): Statement => statement(db.selectFrom('change_counter').select('value'))

export function usage(db: Database, account: bigint, limit: number): Statement {
  const all = db.selectFrom('request').select(USAGE).where('account', '=', account).orderBy('id', 'desc')
  return statement(limit === 0 ? all : all.limit(limit))
}

export const getMeta = (db: Database, name: string): Statement =>
  statement(db.selectFrom('meta').select('value').where('name', '=', name))

export const setMetaOnce = (db: Database, name: string, value: string): Statement[] => [
  statement(
    db
      .insertInto('meta')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  ),
  getMeta(db, name),
]
