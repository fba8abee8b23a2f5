// Statements and how an engine runs them. Queries are built once for both engines: a Kysely of the engine's dialect only compiles.
import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Limits } from '../../money/limits.ts'
import type { Operator } from '../keys.ts'
import { toPerson } from '../people/people.ts'
import type { Row } from './rows.ts'
import type { Schema } from './tables.ts'

/**
 * One step of an atomic list. If a `required` one returns no row, the whole list is rolled back. `isChange`: after the list, caches of keys,
 * accounts and their funds are out of date. The id that a statement with a `name` returns is a parameter of those that follow it (`idOf`).
 */
export type Statement = {
  sql: string
  parameters: readonly unknown[]
  required: boolean
  isChange?: true
  name?: string
}

/** Told after each statement how many have been run. */
export type OnStep = (done: number) => void

/** An engine's way of running statements. All reject with StoreDown if the store does not answer. */
export type Runner = {
  /** For data that no verb changes: does not wait for pending rows. */
  read(statement: Statement): Promise<Row[]>
  /** Sees the changes of all verbs answered so far. */
  readLedger(statement: Statement): Promise<Row[]>
  /** The same, for a page of a list, which may look at thousands of rows: must not delay requests meanwhile. */
  readPage(statement: Statement): Promise<Row[]>
  /** May take seconds and must not delay requests meanwhile. All statements see one snapshot. */
  readSlowly(statements: readonly Statement[], onStep?: OnStep): Promise<Row[][]>
  /** All or nothing, in order; undefined: a required statement returned no row and everything was rolled back. */
  write(statements: readonly Statement[]): Promise<Row[][] | undefined>
}

export type Database = Kysely<Schema>
/**
 * What every noun is built from. `clock`: the store's, in milliseconds since 1970. `receiptError`: the code of the error in the column
 * `receipt`, or NULL, in the words of the engine; never fails, whatever the column has.
 */
export type Connection = {
  db: Database
  runner: Runner
  clock: () => number
  receiptError: string
  receiptIds: ReceiptIds
  /** The beginning of the month (UTC) in which a time lies. */
  monthOf: (time: string) => string
}

/** The ids of caller and vendor in the column `receipt`, as the indexes have them. `written`: an id as it stands there. */
export type ReceiptIds = { client: string; upstream: string; written(id: string): string }
/** The condition of these indexes. */
export const HAS_IDS = `substr(receipt, 1, 8) = '{"ids":{'`

export function statement(query: Compilable, required = false): Statement {
  const { sql, parameters } = query.compile()
  return { sql, parameters, required }
}
/** A query written as text. */
export const rawStatement = (db: Database, query: RawBuilder<unknown>): Statement => ({
  ...query.compile(db),
  required: false,
})
export const required = (query: Compilable): Statement => statement(query, true)

/** The id that an earlier statement of the list returned. Only a parameter, whose type is that of the column. */
export const idOf = (name: string): bigint => ({ idOf: name }) as unknown as bigint
export const named = (name: string, step: Statement): Statement => ({ ...step, name })

/** For an engine that runs a list: the parameters of each step, with the ids of the steps before it. */
export function bindParameters(): {
  of(step: Statement): readonly unknown[]
  note(step: Statement, rows: readonly Row[]): void
} {
  const ids = new Map<string, unknown>()
  return {
    of: ({ parameters }) => (ids.size === 0 ? parameters : parameters.map((value) => bound(value, ids))),
    note({ name }, rows) {
      if (name !== undefined) ids.set(name, rows[0]?.id)
    },
  }
}

const bound = (value: unknown, ids: ReadonlyMap<string, unknown>): unknown =>
  typeof value === 'object' && value !== null && 'idOf' in value ? ids.get(String(value.idOf)) : value

export const putMeta = (db: Database, name: string, value: string): Statement =>
  statement(
    db
      .insertInto('meta')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
  )

/** Part of every transaction that changes a key or an account's state: tells all nodes to drop what they cached. */
export const incrementChangeCounter = (db: Database): Statement =>
  changing(statement(db.updateTable('change_counter').set((row) => ({ value: row('value', '+', 1n) }))))

export const changing = (statement: Statement): Statement => ({ ...statement, isChange: true })

export const LIMITS = ['requests_per_minute', 'tokens_per_minute', 'concurrent'] as const
export const SPENT = ['spent_at', 'spent_day', 'week_before', 'month_before'] as const
const METERED = [...LIMITS, ...SPENT] as const
export const ACCOUNT = [
  ...(['id', 'name', 'balance', 'held', 'credit_line', 'cap', 'cap_period', 'spent'] as const),
  ...(['disabled', 'created_at', 'deleted_at'] as const),
  ...METERED,
] as const
export const PERSON = toPerson.columns
export const KEY = [
  ...([
    'id',
    'account',
    'person',
    'name',
    'group_name',
    'deleted',
    'expires_at',
    'cap',
    'cap_period',
    'models',
  ] as const),
  ...(['networks', 'spent', 'held', 'created_at', 'last_four', 'purpose', 'made_by', 'former_until'] as const),
  ...(['ceiling', 'revision', 'operator_person', 'operator_key', 'own_since', 'tags', 'tags_locked'] as const),
  'company_token',
  ...METERED,
] as const

/** The columns of a table under names that begin with `prefix`. */
export const prefixed = <Table extends string, Prefix extends string, Column extends string>(
  table: Table,
  prefix: Prefix,
  columns: readonly Column[],
) => columns.map((column) => `${table}.${column} as ${prefix}${column}` as const)

export const limitColumns = ({ requestsPerMinute, tokensPerMinute, concurrent }: Limits) => ({
  requests_per_minute: requestsPerMinute ?? null,
  tokens_per_minute: tokensPerMinute ?? null,
  concurrent: concurrent ?? null,
})

export const operatorColumns = (operator: Operator | undefined) => ({
  operator_person: operator && 'person' in operator ? operator.person : null,
  operator_key: operator && 'adminKey' in operator ? operator.adminKey : null,
})

/**
 * A new token limit starts with the tokens that open requests reserve: they return what they do not use, and must not
 * return what was never counted. The row must be locked by an earlier statement, so that this one sees all requests.
 */
export function tokensWindow(owner: 'account' | 'key', id: bigint, now: number) {
  const second = String(Math.floor(now / 1_000))
  // `+` makes SQLite use the index of open requests, which are few, not that of all requests of the account.
  return sql<string>`CASE WHEN tokens_per_minute IS NULL THEN
    (SELECT ${second} || ',' || CAST(coalesce(sum(tokens), 0) AS text) FROM request
      WHERE state = 0 AND +${sql.ref(`request.${owner}`)} = ${id})
    ELSE tokens_window END`
}
