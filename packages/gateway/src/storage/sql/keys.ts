// API keys on both engines.
import { sql } from 'kysely'
import { joinTags } from '../../money/budgets/attribution.ts'
import type { Account } from '../accounts.ts'
import type { Caller, Key, KeyChanges, KeyMaker, NewKey } from '../keys.ts'
import { consoleKeysOver } from './console/keys.ts'
import { checkCap, checkHash, checkLimits, checkList, checkText } from './guard.ts'
import { findHolder } from './people/members.ts'
import {
  ACCOUNT_PREFIX,
  ceilingText,
  flag,
  integer,
  KEY_PREFIX,
  toAccount,
  toCaller,
  toKey,
  withPrefix,
} from './rows.ts'
import {
  ACCOUNT,
  type Connection,
  type Database,
  incrementChangeCounter,
  KEY,
  LIMITS,
  limitColumns,
  operatorColumns,
  prefixed,
  required,
  type Statement,
  statement,
  tokensWindow,
} from './statements.ts'
import type { Schema } from './tables.ts'

export function keysOver(connection: Connection) {
  const { db, runner, clock } = connection
  // On the path of requests, so compiled once; only the parameter changes.
  const caller = findCaller(db, new Uint8Array())
  const counter = statement(db.selectFrom('change_counter').select('value'))
  async function keyWith(hash: Uint8Array): Promise<Key | undefined> {
    const [row] = await runner.readLedger(statement(db.selectFrom('api_key').select(KEY).where('hash', '=', hash)))
    return row && toKey(row, clock())
  }
  const built = consoleKeysOver(connection)
  async function callerWith(hash: Uint8Array): Promise<Caller | undefined> {
    const [row] = await runner.read({ ...caller, parameters: Array(caller.parameters.length).fill(hash) })
    if (!row) return undefined
    return toCaller(row, flag(row.holder_chose_group) ? await findHolder(connection, integer(row.account)) : undefined)
  }
  return {
    ...built,
    async create(key: NewKey): Promise<Key> {
      const rows = await runner.write(createKey(db, checkKey(key), clock()))
      const created = rows?.[1]?.[0]
      if (created) return toKey(created, clock())
      // Several nodes may create the built-in key of a person, or that of company tokens, at once: all get the same one.
      const present = key.person === undefined ? undefined : await built.playground(key.account, key.person)
      if (key.purpose === 'playground' && present) return present
      const ofToken = key.purpose === 'token' ? await keyWith(key.hash) : undefined
      if (ofToken) return ofToken
      throw new Error(`account ${key.account} does not exist`)
    },
    /** undefined: the account has `most` keys that are neither deleted nor expired. Exact, however many are created at once. */
    async createWithin(key: NewKey, most: number): Promise<Key | undefined> {
      const now = clock()
      const rows = await runner.write([
        ...fewerKeysThan(db, key.account, most, now),
        ...createKey(db, checkKey(key), now),
      ])
      const created = rows?.[3]?.[0]
      return created && toKey(created, now)
    },
    async list(account: bigint): Promise<Key[]> {
      const query = db.selectFrom('api_key').select(KEY).where('account', '=', account).orderBy('id')
      const now = clock()
      return (await runner.readLedger(statement(query))).map((row) => toKey(row, now))
    },
    /** How many of these a person made that work: in accounts of their own, and as an operator. */
    async countMadeBy(person: bigint): Promise<{ own: number; asOperator: number }> {
      const [row] = await runner.read(statement(countMadeBy(db, person, clock())))
      return { own: Number(row?.own ?? 0), asOperator: Number(row?.operated ?? 0) }
    },
    /** How many keys of each group are neither deleted nor expired. */
    async countByGroup(): Promise<ReadonlyMap<string, number>> {
      const [rows = []] = await runner.readSlowly([countByGroup(db, clock())])
      return new Map(rows.map((row) => [String(row.group_name), Number(row.keys)]))
    },
    /** false: no such key. */
    async delete(key: bigint): Promise<boolean> {
      const deleted = db.updateTable('api_key').set({ deleted: 1 }).where('id', '=', key).returning('id')
      return (await runner.write([required(deleted), incrementChangeCounter(db)])) !== undefined
    },
    /**
     * false: no such key, or its revision is another one than `known`. Gives the key a new revision: nodes must not use what they cached of
     * it.
     */
    async setTerms(key: bigint, changes: KeyChanges, known?: number): Promise<boolean> {
      return (await runner.write(setTerms(db, key, checkTerms(changes), clock(), known))) !== undefined
    },
    /** Keys of any account, the newest first. */
    async withLastFour(lastFour: string, limit: number): Promise<Key[]> {
      const query = db.selectFrom('api_key').select(KEY).where('last_four', '=', checkText('lastFour', lastFour))
      const now = clock()
      const rows = await runner.readLedger(statement(query.orderBy('id', 'desc').limit(limit)))
      return rows.map((row) => toKey(row, now))
    },
    async findWithAccount(key: bigint): Promise<{ account: Account; key: Key } | undefined> {
      const [row] = await runner.readLedger(findWithAccount(db, key))
      const now = clock()
      return (
        row && {
          account: toAccount(withPrefix(row, ACCOUNT_PREFIX), now),
          key: toKey(withPrefix(row, KEY_PREFIX), now),
        }
      )
    },
    findCaller: callerWith,
    /** As a request with the key's present secret would find it. */
    async callerOf(key: bigint): Promise<Caller | undefined> {
      const [row] = await runner.read(statement(db.selectFrom('api_key').select('hash').where('id', '=', key)))
      return row && (await callerWith(new Uint8Array(row.hash as Uint8Array)))
    },
    /** Grows with every change of a key or an account's state; nodes poll it to drop cached callers. */
    async changeCounter(): Promise<bigint> {
      return integer((await runner.read(counter))[0]?.value)
    },
  }
}

/** An operator may put a key into any group, and it stays there. */
const isOfOperator = (maker: KeyMaker): boolean => maker === 'command-line' || maker === 'first-start'

const asList = (values: readonly string[] | undefined): string | null =>
  values === undefined ? null : JSON.stringify(values)

export function createKey(db: Database, key: NewKey, now: number): Statement[] {
  const insert = db.insertInto('api_key').values({
    account: key.account,
    person: key.person ?? null,
    ...operatorColumns(key.operator),
    own_since: key.isolated ? now : null,
    hash: key.hash,
    last_four: key.lastFour ?? '',
    purpose: key.purpose === 'playground' ? 'playground' : 'client',
    company_token: key.purpose === 'token' ? 1 : 0,
    made_by: key.madeBy,
    holder_chose_group: isOfOperator(key.madeBy) ? 0 : 1,
    name: key.name,
    group_name: key.group,
    deleted: 0,
    expires_at: key.expiresAt ?? null,
    cap: key.cap ?? null,
    cap_period: key.capPeriod ?? null,
    ...limitColumns(key.limits),
    models: asList(key.restrictions.models),
    networks: asList(key.restrictions.networks),
    ...tagColumns(key),
    ceiling: ceilingText(key.ceiling),
    spent: 0n,
    held: 0n,
    created_at: now,
  })
  return [
    required(db.selectFrom('account').select('id').where('id', '=', key.account)),
    required(
      (['playground', 'token'].includes(key.purpose ?? '')
        ? insert.onConflict((conflict) => conflict.doNothing())
        : insert
      ).returning(KEY),
    ),
    // A node may have cached that no key has this secret.
    incrementChangeCounter(db),
  ]
}

/** Locks the account, so that keys that are created at once are counted one after the other. */
function fewerKeysThan(db: Database, account: bigint, most: number, now: number): Statement[] {
  const locked = db
    .updateTable('account')
    .set((row) => ({ disabled: row.ref('disabled') }))
    .where('id', '=', account)
  const active = db
    .selectFrom('api_key')
    .where('account', '=', account)
    .where('deleted', '=', 0)
    // Nobody makes these by hand: there is one for each person.
    .where('company_token', '=', 0)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
  const isBelow = active
    .select((row) => row.fn.countAll().as('keys'))
    .having((row) => row(row.fn.countAll(), '<', most))
  return [required(locked.returning('id')), required(isBelow)]
}

const COLUMN_OF = {
  name: 'name',
  group: 'group_name',
  expiresAt: 'expires_at',
  cap: 'cap',
  capPeriod: 'cap_period',
  models: 'models',
  networks: 'networks',
  ceiling: 'ceiling',
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  concurrent: 'concurrent',
} as const satisfies Record<Exclude<keyof KeyChanges, 'tags' | 'areTagsLocked'>, keyof Schema['api_key']>

/** Only those that are given. */
const tagColumns = ({ tags, areTagsLocked }: Pick<NewKey, 'tags' | 'areTagsLocked'>) => ({
  ...(tags === undefined ? {} : { tags: joinTags(tags) }),
  ...(areTagsLocked === undefined ? {} : { tags_locked: areTagsLocked ? 1 : 0 }),
})

/** Writes only the named fields, so that concurrent changes of different fields all take effect. */
function setTerms(db: Database, key: bigint, changes: KeyChanges, now: number, known?: number): Statement[] {
  const { ceiling, tags, areTagsLocked, ...terms } = changes
  const columns = Object.entries(terms).map(([name, value]) => [
    COLUMN_OF[name as keyof typeof terms],
    Array.isArray(value) ? asList(value) : (value ?? null),
  ])
  if (ceiling !== undefined) columns.push([COLUMN_OF.ceiling, ceilingText(ceiling)])
  const locked = db
    .updateTable('api_key')
    .set((row) => ({ deleted: row.ref('deleted') }))
    .where('id', '=', key)
  return [
    required((known === undefined ? locked : locked.where('revision', '=', known)).returning('id')),
    statement(
      db
        .updateTable('api_key')
        .set((row) => ({
          ...Object.fromEntries(columns),
          ...tagColumns({ tags, areTagsLocked }),
          // A group that is also the ceiling is the operator's choice.
          ...(changes.group === undefined ? {} : { holder_chose_group: ceiling?.group === undefined ? 1 : 0 }),
          tokens_window: tokensWindow('key', key, now),
          revision: row('revision', '+', 1n),
        }))
        .where('id', '=', key),
    ),
    incrementChangeCounter(db),
  ]
}

const countByGroup = (db: Database, now: number): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .select((row) => ['group_name', row.fn.countAll().as('keys')])
      .where('deleted', '=', 0)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
      .groupBy('group_name')
      .orderBy('group_name'),
  )

const countMadeBy = (db: Database, person: bigint, now: number) =>
  db
    .selectFrom('api_key')
    .select([sql`sum(CASE WHEN person = ${person} THEN 1 ELSE 0 END)`.as('own')])
    .select([sql`sum(CASE WHEN operator_person = ${person} THEN 1 ELSE 0 END)`.as('operated')])
    .where((row) => row.or([row('person', '=', person), row('operator_person', '=', person)]))
    .where('purpose', '=', 'client')
    .where('company_token', '=', 0)
    .where('deleted', '=', 0)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))

const findWithAccount = (db: Database, key: bigint): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account')
      .select([...prefixed('api_key', KEY_PREFIX, KEY), ...prefixed('account', ACCOUNT_PREFIX, ACCOUNT)])
      .where('api_key.id', '=', key),
  )

const findCaller = (db: Database, hash: Uint8Array): Statement =>
  statement(
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account')
      .leftJoin('person', 'person.id', 'api_key.person')
      .leftJoin('member', (join) =>
        join.onRef('member.account', '=', 'api_key.account').onRef('member.person', '=', 'api_key.person'),
      )
      .select([
        'api_key.id as key',
        'api_key.account as account',
        'api_key.group_name as group_name',
        'api_key.holder_chose_group as holder_chose_group',
        IS_DELETED.as('deleted'),
        usableUntil(hash).as('expires_at'),
        'api_key.revision as revision',
        'api_key.models as models',
        'api_key.networks as networks',
        'api_key.tags as tags',
        'api_key.tags_locked as tags_locked',
        'member.tags as member_tags',
        'api_key.cap as cap',
        'api_key.company_token as company_token',
        'api_key.own_since as own_since',
        'api_key.person as person',
        'account.budgets_version as budgets_version',
        'account.disabled as disabled',
        'person.disabled as maker_disabled',
        'account.disabled_reason as disabled_reason',
        ...prefixed('api_key', '', LIMITS),
        ...prefixed('account', ACCOUNT_PREFIX, LIMITS),
      ])
      .where((row) => row.or([row('api_key.hash', '=', hash), row('api_key.former_hash', '=', hash)])),
  )

/** Company tokens speak for members: whoever is none any more has no key. */
const IS_DELETED = sql<number>`CASE
  WHEN api_key.company_token = 1 AND member.person IS NULL THEN 1 ELSE api_key.deleted END`

/** The former secret of a key may expire before the key does. */
const usableUntil = (hash: Uint8Array) => sql<number | null>`CASE
  WHEN api_key.hash = ${hash} OR api_key.expires_at < api_key.former_until THEN api_key.expires_at
  ELSE api_key.former_until END`

function checkKey(key: NewKey): NewKey {
  checkText('name', key.name)
  checkText('group', key.group)
  checkHash(key.hash)
  checkText('lastFour', key.lastFour ?? '')
  const { expiresAt, cap, capPeriod, limits, restrictions } = key
  if (capPeriod !== undefined && cap === undefined) throw new RangeError(`capPeriod: ${capPeriod} without a cap`)
  checkText('tags', joinTags(key.tags ?? []))
  checkTerms({ expiresAt, cap, capPeriod, ...limits, ...restrictions, ceiling: key.ceiling ?? {} })
  return key
}

function checkTerms(terms: KeyChanges): KeyChanges {
  const { name, group, expiresAt, cap, capPeriod, models, networks, ceiling, tags, areTagsLocked: _, ...limits } = terms
  if (tags !== undefined) checkText('tags', joinTags(tags))
  if (ceiling !== undefined) checkTerms(ceiling)
  if (name !== undefined) checkText('name', name)
  if (group !== undefined) checkText('group', group)
  checkCap({ cap, capPeriod })
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) throw new RangeError(`expiresAt: ${expiresAt}`)
  checkLimits(limits)
  checkList('models', models)
  checkList('networks', networks)
  return terms
}
