// The ordinary queries, built once for both engines: each takes a Kysely of the engine's dialect, which only compiles.
import { type Compilable, type Kysely, sql } from 'kysely'
import type { Nanos } from '../../money/amount.ts'
import { HELD } from '../../money/book.ts'
import { CREDIT } from '../../money/ledger.ts'
import type { Limits } from '../../money/limits.ts'
import type { KeyChanges, NewKey } from '../storage.ts'
import { MAX_BALANCE } from './guard.ts'
import { ACCOUNT_PREFIX, KEY_PREFIX } from './rows.ts'
import type { Schema } from './schema.ts'

/** One step of an atomic list. When a `required` one returns no row, the whole list is undone. */
export type Statement = { sql: string; parameters: readonly unknown[]; required: boolean }

type Database = Kysely<Schema>

export function statement(query: Compilable, required = false): Statement {
  const { sql, parameters } = query.compile()
  return { sql, parameters, required }
}
export const required = (query: Compilable): Statement => statement(query, true)

const LIMITS = ['requests_per_minute', 'tokens_per_minute', 'concurrent'] as const
const METERED = [...LIMITS, 'spent_at', 'spent_day', 'week_before', 'month_before'] as const
const ACCOUNT = ['id', 'email', 'balance', 'held', 'disabled', 'created_at', ...METERED] as const
const KEY = [
  'id',
  'account',
  'name',
  'group_name',
  'revoked',
  'expires_at',
  'cap',
  'cap_period',
  'models',
  'networks',
  'spent',
  'held',
  'created_at',
  ...METERED,
] as const
const USAGE = [
  ...(['id', 'key', 'model', 'upstream', 'state', 'ending', 'held', 'held_at', 'tokens', 'cost'] as const),
  'shortfall',
] as const
/**
 * In place of a receipt that is larger than any of this version: the first versions kept names of any length, and one
 * page of such receipts takes more memory than there is.
 */
const OVERSIZED_RECEIPT = JSON.stringify({ warnings: ['receipt;cut'] })
const RECEIPT_CHARACTERS = 16 * 1024
const receipt = sql<string>`CASE WHEN length(receipt) <= ${sql.lit(RECEIPT_CHARACTERS)} THEN receipt ELSE ${sql.lit(OVERSIZED_RECEIPT)} END`

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

export const listAccounts = (db: Database): Statement =>
  statement(db.selectFrom('account').select(ACCOUNT).orderBy('id'))

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

const limitColumns = ({ requestsPerMinute, tokensPerMinute, concurrent }: Limits) => ({
  requests_per_minute: requestsPerMinute ?? null,
  tokens_per_minute: tokensPerMinute ?? null,
  concurrent: concurrent ?? null,
})

/**
 * A limit of tokens begins with what open requests may use: they give back what they do not, and must not give back what
 * was never counted. What sets one takes the row's lock first, in a statement of its own, so that this sees all that
 * came before.
 */
function tokensWindow(owner: 'account' | 'key', id: bigint, now: number) {
  const second = String(Math.floor(now / 1_000))
  // `+`: by the index of open requests, which are few, not by that of all requests of the account.
  return sql<string>`CASE WHEN tokens_per_minute IS NULL THEN
    (SELECT ${second} || ',' || CAST(coalesce(sum(tokens), 0) AS text) FROM request
      WHERE state = 0 AND +${sql.ref(`request.${owner}`)} = ${id})
    ELSE tokens_window END`
}

export function setAccountLimits(db: Database, account: bigint, limits: Limits, now: number): Statement[] {
  return [
    required(
      db
        .updateTable('account')
        .set((row) => ({ disabled: row.ref('disabled') }))
        .where('id', '=', account)
        .returning('id'),
    ),
    statement(
      db
        .updateTable('account')
        .set({ ...limitColumns(limits), tokens_window: tokensWindow('account', account, now) })
        .where('id', '=', account),
    ),
    statement(
      db
        .updateTable('api_key')
        .set((row) => ({ revision: row('revision', '+', 1n) }))
        .where('account', '=', account),
    ),
    bumpChangeCounter(db),
  ]
}

const asList = (values: readonly string[] | undefined): string | null =>
  values === undefined ? null : JSON.stringify(values)

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
          cap_period: key.capPeriod ?? null,
          ...limitColumns(key.limits),
          models: asList(key.restrictions.models),
          networks: asList(key.restrictions.networks),
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

const COLUMN_OF = {
  ...{ expiresAt: 'expires_at', cap: 'cap', capPeriod: 'cap_period', models: 'models', networks: 'networks' },
  ...{ requestsPerMinute: 'requests_per_minute', tokensPerMinute: 'tokens_per_minute', concurrent: 'concurrent' },
} as const satisfies Record<keyof KeyChanges, keyof Schema['api_key']>

/** Only what is named is written: two who change different things at once both have their way. */
export function setKeyTerms(db: Database, key: bigint, changes: KeyChanges, now: number): Statement[] {
  const columns = Object.entries(changes).map(([name, value]) => [
    COLUMN_OF[name as keyof KeyChanges],
    Array.isArray(value) ? asList(value) : (value ?? null),
  ])
  return [
    required(
      db
        .updateTable('api_key')
        .set((row) => ({ revoked: row.ref('revoked') }))
        .where('id', '=', key)
        .returning('id'),
    ),
    statement(
      db
        .updateTable('api_key')
        .set((row) => ({
          ...Object.fromEntries(columns),
          tokens_window: tokensWindow('key', key, now),
          revision: row('revision', '+', 1n),
        }))
        .where('id', '=', key),
    ),
    bumpChangeCounter(db),
  ]
}

export const listKeys = (db: Database, account: bigint): Statement =>
  statement(db.selectFrom('api_key').select(KEY).where('account', '=', account).orderBy('id'))

export const keyGroups = (db: Database, now: number): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .select((row) => ['group_name', row.fn.countAll().as('keys')])
      .where('revoked', '=', 0)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
      .groupBy('group_name')
      .orderBy('group_name'),
  )

export const revokeKey = (db: Database, key: bigint): Statement[] => [
  required(db.updateTable('api_key').set({ revoked: 1 }).where('id', '=', key).returning('id')),
  bumpChangeCounter(db),
]

const prefixed = <Table extends string, Prefix extends string, Column extends string>(
  table: Table,
  prefix: Prefix,
  columns: readonly Column[],
) => columns.map((column) => `${table}.${column} as ${prefix}${column}` as const)

export const standing = (db: Database, key: bigint): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account')
      .select([...prefixed('api_key', KEY_PREFIX, KEY), ...prefixed('account', ACCOUNT_PREFIX, ACCOUNT)])
      .where('api_key.id', '=', key),
  )

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
        'api_key.revision as revision',
        'api_key.models as models',
        'api_key.networks as networks',
        'account.disabled as disabled',
        ...prefixed('api_key', '', LIMITS),
        ...prefixed('account', ACCOUNT_PREFIX, LIMITS),
      ])
      .where('api_key.hash', '=', hash),
  )

export const changeCounter = (db: Database): Statement => statement(db.selectFrom('change_counter').select('value'))

export function usage(db: Database, account: bigint, limit: number, before: bigint | undefined): Statement {
  const all = db
    .selectFrom('request')
    .select([...USAGE, receipt.as('receipt')])
    .where('account', '=', account)
    .orderBy('id', 'desc')
  const older = before === undefined ? all : all.where('id', '<', before)
  return statement(limit === 0 ? older : older.limit(limit))
}

export const findRequest = (db: Database, account: bigint, request: bigint): Statement =>
  statement(
    db
      .selectFrom('request')
      .select([...USAGE, receipt.as('receipt')])
      .where('id', '=', request)
      .where('account', '=', account),
  )

/** Which of the next requests are over, and which have a receipt, without reading it. */
export const receiptsAfter = (db: Database, after: bigint, below: bigint, limit: number): Statement =>
  statement(
    db
      .selectFrom('request')
      .select(['id', 'state', sql<number>`CASE WHEN receipt = '' THEN 0 ELSE 1 END`.as('has_receipt')])
      .where('id', '>', after)
      .where('id', '<', below)
      .orderBy('id')
      .limit(limit),
  )

export const clearReceipts = (db: Database, after: bigint, last: bigint): Statement =>
  statement(
    db
      .updateTable('request')
      .set({ receipt: '' })
      .where('id', '>', after)
      .where('id', '<=', last)
      .where('state', '<>', HELD)
      .where('receipt', '<>', ''),
  )

/** In one order, and only those that renewed after `deadBefore`. */
export const nodes = (db: Database, deadBefore: number): Statement =>
  statement(db.selectFrom('node').select(['slot', 'config']).where('renewed_at', '>', deadBefore).orderBy('slot'))

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
